# SPDX-License-Identifier: Apache-2.0
"""Counters of flows against the model: every count of every window, in its clock and in no other, whatever ids come and whenever
windows end and resets come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from lib.player import Player
from lib.simulation import RTL, catalog

from sluice_golden.min_count import NUMBER_BITS, MinCount, exposure, log_mean
from sluice_golden.salted_hash import salted_hash

if TYPE_CHECKING:
    from pathlib import Path

LATENCIES = {counter["name"]: counter["latency_cycles"] for counter in catalog()["counters"]}
IDS = 1 << 32


@dataclass(frozen=True)
class Phase:
    """Some time in which the traffic is of one kind. Ids come in a share `duty` of the clocks; each clock may end a window, with the
    probability `ends`, or begin a reset, with `resets`."""

    ids: np.ndarray
    clocks: int
    duty: float = 1.0
    ends: float = 0.0002
    resets: float = 0.0

    def columns(self, rng: np.random.Generator, salt: int) -> dict[str, np.ndarray]:
        return {
            "s_arrival_valid": rng.random(self.clocks) < self.duty,
            "s_arrival_flow": rng.choice(self.ids, self.clocks),
            "salt": np.full(self.clocks, salt, dtype=np.uint64),
            "window_end": rng.random(self.clocks) < self.ends,
            "rst": np.convolve(rng.random(self.clocks) < self.resets, np.ones(rng.integers(1, 4)), "same") > 0,
        }


def of_buckets(count: int, index_bits: int, salt: int) -> np.ndarray:
    """Some ids that come to the same buckets."""
    ids = np.arange(200_000)
    return ids[salted_hash(ids, salt) >> (32 - index_bits) < count]


def phases(rng: np.random.Generator, clocks: int, index_bits: int, salt: int) -> list[Phase]:
    """One flow, few, many, and those of one to three buckets; with windows as short as they can be, and with many resets."""
    few, many = rng.integers(0, IDS, 3000), rng.integers(0, IDS, 200_000)
    return [
        Phase(many[:1], clocks // 8),
        Phase(few, clocks, duty=0.9),
        Phase(many, clocks),
        *(Phase(of_buckets(count, index_bits, salt), clocks) for count in (1, 2, 3)),
        Phase(many, clocks, ends=0.3),
        Phase(few, clocks // 2, resets=0.0005, ends=0.01),
        Phase(many, clocks, duty=0.1, ends=0.01, resets=0.05),
        Phase(few, clocks // 2, duty=0.01),
    ]


def expected(given: dict[str, np.ndarray], hashes: np.ndarray, model: MinCount, latency: int) -> dict[str, np.ndarray]:
    """The outputs; those beside `m_count_valid` where it is high."""
    rows = len(hashes)
    outputs = {"busy": np.zeros(rows + latency + 1, dtype=bool), "m_count_valid": np.zeros(rows + latency + 1, dtype=bool)}
    fields = ("flows", "arrivals", "stored")
    outputs |= {f"m_count_{field}": np.zeros(rows + latency + 1, dtype=np.int64) for field in fields}
    is_arrival = given["s_arrival_valid"] & ~given["rst"]
    begin, due = 0, -1
    for row in np.flatnonzero(given["window_end"] | given["rst"]).tolist():
        if given["rst"][row]:
            for name in ("busy", "m_count_valid"):
                outputs[name][row + 1 :] = False
            begin, due = row + 1, row
        elif row > due:
            arrived = hashes[begin:row][is_arrival[begin:row]]
            count = model.count(arrived, len(arrived))
            begin, due = row, row + latency
            outputs["busy"][row + 1 : due + 1] = True
            outputs["m_count_valid"][due] = True
            for field in fields:
                outputs[f"m_count_{field}"][due] = getattr(count, field)
    return {name: column[:rows] for name, column in outputs.items()}


def check(source: Path, given: dict[str, np.ndarray], hashes: np.ndarray, model: MinCount, latency: int) -> int:
    """How many windows were counted."""
    seen = Player(source).play(given)
    wanted = expected(given, hashes, model, latency)
    is_due = wanted["m_count_valid"]
    for name, column in wanted.items():
        wrong = np.flatnonzero((seen[name] != column) & (is_due | (name in ("busy", "m_count_valid"))))
        assert not wrong.size, f"{name} in clock {wrong[0]}: {seen[name][wrong[0]]}, not {column[wrong[0]]}; {wrong.size} differ"
    return int(is_due.sum())


@pytest.mark.parametrize(("buckets", "clocks", "windows"), [(64, 20_000, 300), (1024, 160_000, 100)])
def test_counters(buckets: int, clocks: int, windows: int) -> None:
    """A million ids for the largest."""
    rng = np.random.default_rng(buckets)
    salts = rng.integers(0, 1 << 63, 2).tolist()
    parts, hashed = [], []
    for salt in salts if buckets == 64 else salts[:1]:
        for phase in phases(rng, clocks, buckets.bit_length() - 1, salt):
            parts.append(phase.columns(rng, salt))
            hashed.append(salted_hash(parts[-1]["s_arrival_flow"], salt))
    given = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    assert given["s_arrival_valid"].sum() > (1_000_000 if buckets == 1024 else 100_000)
    source = RTL / f"mincount-{buckets}" / f"sluice_mincount_{buckets}.sv"
    counted = check(source, given, np.concatenate(hashed), MinCount(buckets), LATENCIES[f"mincount-{buckets}"])
    assert counted > windows
