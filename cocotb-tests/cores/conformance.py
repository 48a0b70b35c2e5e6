# SPDX-License-Identifier: Apache-2.0
"""The contract of a core as cocotb tests. They know no core: which one runs is told by the environment."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import cocotb
from lib.core_bench import CoreBench, Cycle
from lib.simulation import registers
from lib.stimulus import random_cycles, random_parameters, with_ticks

from sluice_golden import Arrival, models

CONFIG = os.environ["SLUICE_CONFIG"]
ARRIVALS = int(os.environ["SLUICE_ARRIVALS"])
SEED = int(os.environ["SLUICE_SEED"])


async def bench_of(dut: Any) -> CoreBench:
    bench = CoreBench(dut, models()[CONFIG], registers(CONFIG), Counter())
    await bench.start()
    return bench


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    """Bit-exact over random arrivals, with register writes, idle times, time jumps and resets in between."""
    rng = random.Random(SEED)
    bench = await bench_of(dut)
    widths = {p["name"]: p["width"] for p in bench.registers["parameters"]}

    def new_parameters() -> dict[str, int]:
        return random_parameters(rng, bench.model, widths)

    # A few arrivals are lost to resets, so a few more than asked for are sent.
    settle = bench.latency + 4
    cycles = random_cycles(rng, bench.model, ARRIVALS * 21 // 20, settle, new_parameters)
    await bench.play(with_ticks(rng, cycles, bench.tick_spacing) if bench.tick_cycles else cycles)
    bench.check_status()
    dut._log.info("%d verdicts checked: %s", bench.checked, dict(bench.verdicts))
    assert bench.checked >= ARRIVALS, f"only {bench.checked} verdicts were checked"
    for reason in bench.registers["reasons"]:
        if reason["name"] != "Overlimit drop":
            assert bench.verdicts[reason["name"]] >= 20, f"'{reason['name']}' hardly happened"


@cocotb.test()
async def one_per_clock(dut: Any) -> None:
    """A thousand arrivals of one flow without a gap, from reset on: a verdict in every clock, at the declared latency."""
    rng = random.Random(SEED + 1)
    bench = await bench_of(dut)
    words = bench.model.random_words
    await bench.play(
        Cycle(
            Arrival(
                now_ns=4 * i,
                flow=7,
                size=64,
                ect=False,
                queue_packets=i // 8,
                queue_bytes=8 * i,
                random=tuple(rng.getrandbits(32) for _ in range(words)),
            )
        )
        for i in range(1000)
    )
    assert bench.checked == 1000
    bench.check_status()
