# SPDX-License-Identifier: Apache-2.0
"""Every generated top in the most ordinary Verilog bench: what Icarus Verilog sees, which knows X, is what Verilator sees, and
all that should be seen is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from lib.files import kept
from lib.simulation import BENCHES, catalog, registers
from lib.verilated import program
from together.plain import CLOCK, Access, Bench
from together.quick_hash import quick
from together.tops import CONFIGS, COUNTERS, DATAPATHS, SHELLS, identity, instance

pytestmark = pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no Icarus Verilog here; on Debian: apt-get install iverilog"
)

INSIDE = {shell["datapath"] for shell in catalog()["shells"]}
"""Datapaths that a shell's wrapper has in it: there they are tried with it."""

QUIET = re.compile(r"axil|S_AXI_|_dma_|m_axi_|_stat_")
"""Outputs on which nothing is to be seen: hosts of shells are left alone, and nothing of ours leads to the masters of Corundum's
block."""

NONE_DROPPED = ("sluice_tile_pie", "sluice_tile_step_head", "sluice_tile_rem_head")
"""Tiles that drop nobody at the head: PIE and the step never do, and REM's price does not rise so far here."""

LEAST = 2
"""Clocks in which anything else must have been valid."""

NO_NAMES = "-DSYNTHESIS"
"""Without the names of what enumerations hold: they are for waveforms, lead nowhere, and are a third of Icarus Verilog's work."""

RAMP = {"min_threshold": 1_000, "max_threshold": 60_000}
"""Bytes between which a profile drops a part of the packets, which have 32,768 in the mean: after a reset it drops none."""

LIMIT, SMALL_LIMIT = 400, 30
"""Packets, so that a tile, and a datapath, which has fewer, soon drop some: as many as it takes for an AQM to drop of itself."""


def bench_of(name: str) -> Bench:
    """The bench of a tile or datapath, whose host reads all counters behind the traffic."""
    declared = registers(name)
    at = {word["name"]: word["address"] for word in declared["registers"]}
    wanted = RAMP | {"limit": SMALL_LIMIT if name in DATAPATHS else LIMIT}
    first = [Access(p["address"], wanted[p["name"]]) for p in declared["parameters"] if p["name"] in wanted]
    words = [Access(word["address"]) for word in declared["registers"] if word["access"] == "ro"]
    clocks = 1_500 if name in DATAPATHS else 2_400
    return Bench(instance(name), clocks, [*first, Access(at["COMMIT"], 1)], [Access(at["SNAPSHOT"], 1), *words])


BENCHED = [*CONFIGS, *(name for name in DATAPATHS if name not in INSIDE)]
ALONE = [*COUNTERS, *SHELLS]


def printed(*command: str | Path, folder: Path) -> list[str]:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return [line for line in done.stdout.splitlines() if "$finish" not in line]


def compare(bench: Bench) -> list[str]:
    """What both print."""
    folder = BENCHES / f"plain-{bench.source.stem}"
    plain, clock = kept(folder / "plain.sv", bench.text), kept(folder / "run.sv", CLOCK)
    design = kept(folder / bench.source.name, quick(bench.source.read_text()))
    printed("iverilog", "-g2012", NO_NAMES, "-s", "run", "-o", "icarus", clock, plain, design, folder=folder)
    four_state = printed("vvp", "-n", "icarus", folder=folder)
    main, unknown = Path(__file__).with_name("plain_clock.cc"), ("--x-initial", "unique", NO_NAMES)
    binary = program([plain, design], main, folder, verilate=unknown, level=0)
    two_state = printed(binary, "7", folder=folder)
    known = [line for line in four_state if "x" in line or "z" in line.lower()]
    assert not known, f"{len(known)} lines with X, the first: {known[0]}"
    assert four_state == two_state
    seen = bench.seen(four_state)
    if bench.source.stem in NONE_DROPPED:
        del seen["m_dropped_valid"]
    hidden = {name: count for name, count in seen.items() if count < LEAST and not QUIET.search(name)}
    assert not hidden, f"not seen, or hardly: {hidden}"
    return four_state


@pytest.mark.parametrize("name", BENCHED)
def test_a_plain_bench_sees_what_verilator_sees(name: str) -> None:
    """And with a host it reads the identity of this one's register map."""
    lines = [line.split() for line in compare(bench_of(name))]
    words = {int(line[1], 16): int(line[2], 16) for line in lines if line[0] == "word"}
    own = identity(name)
    assert len(own) >= 6
    assert {address: words[address] for address in own} == own


@pytest.mark.parametrize("source", ALONE, ids=lambda file: file.stem)
def test_a_plain_bench_of_what_has_no_host(source: Path) -> None:
    """Counters of flows take longer than a window to show one of its counts."""
    compare(Bench(source, 4_000 if source in COUNTERS else 260))
