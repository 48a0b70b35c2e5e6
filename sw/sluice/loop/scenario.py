# SPDX-License-Identifier: Apache-2.0
"""Scenarios: who sends how much over which links. YAML files, built in or the user's own.

A scenario says nothing about which AQM stands at the bottleneck; it only offers settings for each
algorithm, by the algorithm's name and in the words of the register map. What a file may say stands in
`scenario_format`. Groups of like flows are written once with a `count`; `expand` turns them into the single
flows that the simulator takes.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from sluice.hardware.catalog import unknown
from sluice.loop import scenario_check, yaml_lines
from sluice.loop.scenario_format import AnyFlowGroup, FlowGroup, ScenarioFile, SwitchPort
from sluice.loop.series import Steps
from sluice.support.errors import UserError

_FOLDER = resources.files("sluice.loop") / "scenarios"

ATLAS = "atlas"
"""Folder of the scenarios that `sluice.experiments.atlas` compares schemes in."""

ALL = "all"
"""Key of the settings that go to every algorithm that has them."""

_FILE = TypeAdapter(ScenarioFile)
_GROUP: TypeAdapter[Any] = TypeAdapter(AnyFlowGroup)
_OF_THE_GROUP = ("name", "count", "start_s", "start_spread_s", "rtt")
"""Keys of a group that its flows do not have as they are."""


@dataclass(kw_only=True, frozen=True)
class Scenario(ScenarioFile):
    """One scenario, by its name."""

    name: str

    @property
    def rate_pps(self) -> float:
        """Full packets per second of the first bottleneck, at the start."""
        return self.hops[0].rate_mbps * 1e6 / 8 / self.packet_bytes

    @property
    def facts(self) -> dict[str, float]:
        """What parameters follow from: the facts of the hardware's declarations, by name; without `ecn` where nobody heeds it."""
        facts: dict[str, float] = {
            "limit": self.limit,
            "limit_bytes": self.limit * self.packet_bytes,
            "packet_bytes": self.packet_bytes,
            "rate_pps": self.rate_pps,
            "rate_bps": self.hops[0].rate_mbps * 1e6,
        }
        is_any_ecn = self.ecn or any(vars(group).get("ecn") for group in self.flows)
        return facts | ({"ecn": 1} if is_any_ecn else {})

    @property
    def capacity_mbps(self) -> float:
        """Mean rate of the first bottleneck over the measured time."""
        return self.hops[0].mean_rate_mbps(self.warmup_s, self.duration_s)

    def lasting(self, duration_s: float | None) -> Scenario:
        """The same scenario over another time; the warm-up shrinks with it but never grows."""
        if duration_s is None:
            return self
        warmup_s = min(self.warmup_s, self.warmup_s * duration_s / self.duration_s)
        return replace(
            self,
            duration_s=duration_s,
            warmup_s=round(warmup_s, 3),
            sample_interval_s=min(self.sample_interval_s, duration_s),
        )


def names(folder: str = "") -> list[str]:
    """Names of the built-in scenarios, or of those in a folder of them, which are `folder/name`."""
    found = (Path(entry.name) for entry in _FOLDER.joinpath(folder).iterdir())
    return sorted((Path(folder) / file.stem).as_posix() for file in found if file.suffix == ".yaml")


def load(name_or_path: str) -> Scenario:
    """A built-in scenario by name, or the one in a YAML file."""
    built_in = [*names(), *names(ATLAS)]
    if name_or_path in built_in:
        return _built_in(name_or_path, text(name_or_path))
    path = Path(name_or_path)
    if path.suffix not in {".yaml", ".yml"}:
        raise UserError(unknown("scenario", name_or_path, built_in) + "; or give a path to a .yaml file")
    try:
        given = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read scenario {path}: {getattr(error, 'strerror', 'not text')}") from None
    return parse(path.stem, given, path.parent)


@cache
def _built_in(name: str, text: str) -> Scenario:
    """Read once: the pages ask for each of them again and again."""
    return parse(name, text, Path(str(_FOLDER / name)).parent)


def text(name: str) -> str:
    """The YAML of a built-in scenario."""
    return (_FOLDER / f"{name}.yaml").read_text()


def parse(name: str, text: str, folder: Path = Path()) -> Scenario:
    """The scenario of a YAML text in a folder; a user error says what is wrong with it, and on which line."""
    document = yaml_lines.read(f"scenario {name}", text)
    if not isinstance(document.data, dict):
        raise UserError(f"scenario {name}: not a table of keys and values")
    try:
        checked = _FILE.validate_python(document.data)
    except ValidationError as error:
        raise scenario_check.refusal(document, error, _schema()) from None
    scenario_check.check_settings(document, checked.settings, ALL)
    return Scenario(name=name, **vars(checked) | {"switch": _found(document, checked.switch, folder)})


def _found(document: yaml_lines.Document, switch: SwitchPort | None, folder: Path) -> SwitchPort | None:
    """The same switch with its file as a path from here."""
    if switch is None:
        return None
    file = folder / switch.file
    if not file.is_file():
        raise document.refuse(("switch", "file"), f"switch.file: there is no file {file}")
    return switch.model_copy(update={"file": str(file)})


@cache
def _schema() -> dict[str, Any]:
    return _FILE.json_schema()


def flow_groups(groups: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Groups of flows out of what a file says about them."""
    return [_GROUP.validate_python(group) for group in groups]


def label(group: FlowGroup) -> str:
    """The name of a group of flows: its own, or its kind."""
    return group.name or str(vars(group)["kind"])


def expand(scenario: Scenario, seed: int) -> list[dict[str, Any]]:
    """The single flows, as the simulator takes them; what is random follows from the seed."""
    draw, draw_error = random.Random(seed), random.Random(f"round-trip times {seed}")
    flows = []
    for group in scenario.flows:
        said = {key: value for key, value in vars(group).items() if value is not None}
        shared = {key: value for key, value in said.items() if key not in _OF_THE_GROUP}
        for index in range(group.count):
            start_s = group.start_s + draw.uniform(0, group.start_spread_s)
            errors: dict[str, dict[str, float]] = {
                "embedded": {},
                "idmaps": {"rtt_error": draw_error.uniform(0.5, 2)},
                "unknown": {"rtt_error": 0},
            }
            flows.append(
                {
                    "id": f"{label(group)}-{index + 1}",
                    "source_delay_ms": scenario.access.delay_ms,
                    "sink_delay_ms": scenario.access.delay_ms,
                }
                | shared
                | ({"ecn": int(said["ecn"])} if "ecn" in said else {})
                | {"start_s": round(start_s, 6)}
                | errors[said.get("rtt", scenario.rtt)]
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
