# SPDX-License-Identifier: Apache-2.0
"""Counters of flows against the model: every count of every window, in its clock and in no other, whatever ids come and whenever
windows end and resets come."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from built import built
from lib.player import Player
from lib.simulation import BENCHES, ROOT, RTL, catalog

from sluice.support import paths
from sluice_golden.blocks.arithmetic.salted_hash import salted_hash
from sluice_golden.blocks.cardinality.min_count import NUMBER_BITS, MinCount, log_mean

if TYPE_CHECKING:
    from pathlib import Path

LATENCIES = {counter["name"]: counter["latency_cycles"] for counter in catalog()["counters"]}
IDS = 1 << 32
PAGE = ROOT / "docs" / "blocks" / "min-count.md"


@dataclass(frozen=True)
class Phase:
    """Some time in which the traffic is of one kind. Ids come in a share `duty` of the clocks; each clock may end a window, with
    the probability `ends`, or begin a reset, with `resets`."""

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
    outputs = {
        "busy": np.zeros(rows + latency + 1, dtype=bool),
        "m_count_valid": np.zeros(rows + latency + 1, dtype=bool),
    }
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
        assert not wrong.size, (
            f"{name} in clock {wrong[0]}: {seen[name][wrong[0]]}, not {column[wrong[0]]}; {wrong.size} differ"
        )
    return int(is_due.sum())


def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.mark.parametrize(("buckets", "clocks", "windows"), [(64, 20_000, 200), (256, 20_000, 50), (1024, 160_000, 100)])
def test_counters(buckets: int, clocks: int, windows: int) -> None:
    """A million ids for the largest. The salt changes half way."""
    rng = np.random.default_rng(buckets)
    parts, hashes = [], []
    for salt in rng.integers(0, 1 << 63, 2).tolist():
        for phase in phases(rng, clocks // 2, buckets.bit_length() - 1, salt):
            parts.append(phase.columns(rng, salt))
            hashes.append(salted_hash(parts[-1]["s_arrival_flow"], salt))
    given = joined(parts)
    assert given["s_arrival_valid"].sum() > (1_000_000 if buckets == 1024 else 100_000)
    source = RTL / f"mincount-{buckets}" / f"sluice_mincount_{buckets}.sv"
    counted = check(source, given, np.concatenate(hashes), MinCount(buckets), LATENCIES[f"mincount-{buckets}"])
    assert counted > windows


def near(rng: np.random.Generator, buckets: int, numbers: list[int]) -> np.ndarray:
    """Hashes for 64 buckets: some of these, with these numbers."""
    count = 1000
    return rng.integers(0, buckets, count) << 26 | rng.choice(numbers, count) << 6 | rng.integers(0, 64, count)


@pytest.mark.parametrize(
    ("block", "model", "latency"),
    [("singles", MinCount(64, 1), 122), ("pairs", MinCount(64, 2, log_mean), 93)],
)
def test_other_words_and_the_logarithm(block: str, model: MinCount, latency: int) -> None:
    """Without a hash, so that the smallest numbers, the largest and equal ones meet in a bucket."""
    rng = np.random.default_rng(model.values)
    largest = (1 << NUMBER_BITS) - 1
    kinds = [
        near(rng, buckets, numbers) for buckets in (1, 2, 64) for numbers in ([0, 1, 2], [largest, largest - 1, 5])
    ]
    kinds += [near(rng, buckets, list(range(0, largest, 999))) for buckets in (1, 3, 20, 64)]
    given = joined(
        [
            Phase(ids, 3000, duty, ends=0.002, resets=resets).columns(rng, 0)
            for ids in kinds
            for duty, resets in ((1, 0), (0.03, 0.01))
        ]
    )
    del given["salt"]
    source = RTL / "blocks" / f"sluice_block_min_count_{block}.sv"
    assert check(source, given, given["s_arrival_flow"], model, latency) > 50


def test_the_example_of_the_page() -> None:
    """With windows of 512 clocks, and an alarm for more than 300 flows."""
    text = PAGE.read_text().partition("```verilog\n")[2].partition("```")[0]
    for long, short in (("WINDOW_BITS = 27", "WINDOW_BITS = 9"), ("> 5000", "> 300")):
        assert long in text
        text = text.replace(long, short)
    source = BENCHES / "flow-alarm" / "flow_alarm.sv"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text + (RTL / "mincount-256" / "sluice_mincount_256.sv").read_text())
    secret, window = 0x5EED, 512
    flows = [np.arange(window) % count for count in (100, 290, 500, 1, 310, 512)]
    given = {
        "packet_valid": np.ones(6 * window),
        "packet_flow": np.concatenate(flows),
        "secret": np.full(6 * window, secret),
    }
    alarms = Player(source).play(given)["alarm"]
    limit = [MinCount(256).count(salted_hash(arrived, secret), window).flows >> 8 > 300 for arrived in flows]
    assert alarms[window - 1 :: window].tolist() == [0, *limit[:5]]


@pytest.mark.parametrize("flows", [600, 20_000])
def test_the_program_that_counts_in_software_gives_the_models_estimate(flows: int) -> None:
    seed = 7
    command = [
        built(paths.mincount_bench()),
        str(50 * flows),
        str(flows),
        str(seed),
    ]  # so many packets that every flow has one
    estimate, _ = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    hashes = np.arange(flows, dtype=np.uint32) ^ np.uint32(seed)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        hashes = (hashes ^ (hashes >> np.uint32(shift))) * np.uint32(factor)
    assert int(estimate) == MinCount(1024).count(hashes.astype(np.int64), 0).flows
