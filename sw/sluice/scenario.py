# SPDX-License-Identifier: Apache-2.0
"""Scenarios: who sends how much over which links. YAML files, built in or the user's own.

A scenario says nothing about which AQM stands at the bottleneck; it only offers settings for each
algorithm, by the algorithm's name and in the words of the register map. Groups of like flows are written
once with a `count`; `expand` turns them into the single flows that the simulator takes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Any

import yaml

from sluice.catalog import unknown
from sluice.errors import UserError
from sluice.series import Steps

_FOLDER = resources.files("sluice") / "scenarios"


@dataclass(frozen=True)
class Scenario:
    """One scenario as its file has it."""

    name: str
    summary: str
    duration_s: float
    """Simulated time."""
    warmup_s: float
    """What happens before is not measured."""
    limit: int
    """Buffer at each bottleneck, packets."""
    packet_bytes: int
    """Size of a full IP packet."""
    hops: list[dict[str, float]]
    """Chain of bottlenecks: rate_mbps, delay_ms."""
    access: dict[str, float]
    """Links of sources and sinks: rate_mbps, delay_ms."""
    flows: list[dict[str, Any]]
    """Groups of flows: kind, count, name, start_spread_s and the simulator's own keys."""
    tcp: dict[str, Any] = field(default_factory=dict)
    """ns-3 attribute defaults."""
    settings: dict[str, dict[str, float]] = field(default_factory=dict)
    """Parameters by algorithm."""

    @property
    def rate_pps(self) -> float:
        """Full packets per second of the first bottleneck."""
        return self.hops[0]["rate_mbps"] * 1e6 / 8 / self.packet_bytes

    @property
    def flow_count(self) -> int:
        """Number of single flows."""
        return sum(int(group.get("count", 1)) for group in self.flows)

    def lasting(self, duration_s: float | None) -> Scenario:
        """The same scenario over another time; the warm-up shrinks with it but never grows."""
        if duration_s is None:
            return self
        warmup_s = min(self.warmup_s, self.warmup_s * duration_s / self.duration_s)
        return replace(self, duration_s=duration_s, warmup_s=round(warmup_s, 3))


def names() -> list[str]:
    """Names of the built-in scenarios."""
    return sorted(Path(entry.name).stem for entry in _FOLDER.iterdir() if entry.name.endswith(".yaml"))


def load(name_or_path: str) -> Scenario:
    """A built-in scenario by name, or the one in a YAML file."""
    if name_or_path in names():
        return parse(name_or_path, (_FOLDER / f"{name_or_path}.yaml").read_text())
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        raise UserError(unknown("scenario", name_or_path, names()) + "; or give a path to a .yaml file")
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read scenario {path}: {getattr(error, 'strerror', 'not text')}") from None
    return parse(path.stem, text)


def parse(name: str, text: str) -> Scenario:
    """The scenario of a YAML text; a user error says what is wrong with it."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UserError(f"scenario {name}: {error}") from None
    if not isinstance(data, dict):
        raise UserError(f"scenario {name}: not a table of keys and values")
    known = {entry.name for entry in fields(Scenario)} - {"name"}
    needed = known - {"tcp", "settings"}
    for problem, keys in (("unknown key", set(data) - known), ("missing key", needed - set(data))):
        if keys:
            raise UserError(f"scenario {name}: {problem} {', '.join(sorted(map(str, keys)))}")
    _check(name, data)
    return Scenario(name=name, **data)


def expand(scenario: Scenario, seed: int) -> list[dict[str, Any]]:
    """The single flows, as the simulator takes them; random start times follow from the seed."""
    draw = random.Random(seed)
    flows = []
    for group in scenario.flows:
        shared = {key: value for key, value in group.items() if key not in {"name", "count", "start_spread_s"}}
        name = group.get("name", group["kind"])
        spread_s = group.get("start_spread_s", 0)
        for index in range(int(group.get("count", 1))):
            start_s = group.get("start_s", 0) + draw.uniform(0, spread_s)
            flows.append(
                {
                    "id": f"{name}-{index + 1}",
                    "source_delay_ms": scenario.access["delay_ms"],
                    "sink_delay_ms": scenario.access["delay_ms"],
                }
                | shared
                | {"start_s": round(start_s, 6)}
            )
    return flows


def active_flows(scenario: Scenario) -> Steps:
    """How many flows are sending, from each time on at which that changes; random start times are seed 1's."""
    changes: Counter[float] = Counter()
    for flow in expand(scenario, 1):
        changes[flow["start_s"]] += 1
        changes[flow.get("stop_s", scenario.duration_s)] -= 1
    steps = sorted(changes.items())
    counts = accumulate(change for _, change in steps)
    return [(time_s, count) for (time_s, _), count in zip(steps, counts, strict=True)]


def _check(name: str, data: Mapping[str, Any]) -> None:
    for key in ("duration_s", "warmup_s", "limit", "packet_bytes"):
        if not isinstance(data[key], int | float) or isinstance(data[key], bool) or data[key] < 0:
            raise UserError(f"scenario {name}: {key} must be a number, not {data[key]!r}")
    for key, needed in (("hops", {"rate_mbps", "delay_ms"}), ("flows", {"kind"})):
        entries = data[key]
        is_list = isinstance(entries, list) and entries and all(isinstance(entry, dict) for entry in entries)
        if not is_list or any(needed - set(entry) for entry in entries):
            raise UserError(f"scenario {name}: {key} must be a list of entries with {', '.join(sorted(needed))}")
    access = data["access"]
    if not isinstance(access, dict) or set(access) != {"rate_mbps", "delay_ms"}:
        raise UserError(f"scenario {name}: access must have rate_mbps and delay_ms")
