# SPDX-License-Identifier: Apache-2.0
"""Twenty faults of RED, spread over its stages, that a short piece of its traffic must find."""

from __future__ import annotations

import shutil

from cores.test_conformance import traffic
from lib.simulation import BENCHES, core_source

from sluice.faults.mutants import player, selectable
from sluice.faults.mutants.recording import Shape
from sluice.synthesis import harness

ARRIVALS = 2000
FAULTS = (
    ("inv", "stage0_decay_IDLE_NS", 56),
    ("inv", "stage2_decay_IS_IDLE", 0),
    ("const1", "stage2_decay_SCALED_1", 21),
    ("const1", "stage5_decay_IS_IDLE", 0),
    ("const1", "decay_onTable_standing", 21),
    ("const0", "stage0_onAverage_QUEUE", 3),
    ("const1", "stage7_onAverage_QUEUE", 10),
    ("inv", "stage8_onAverage_INCREMENT", 16),
    ("const0", "stage16_onAverage_IS_STANDING", 0),
    ("inv", "onAverage_weight", 5),
    ("const0", "ewma_average", 6),
    ("inv", "stage13_curve_OFFSET", 14),
    ("const0", "stage17_curve_SUM", 24),
    ("inv", "stage17_curve_IS_FORCED", 0),
    ("const0", "spacing_isHit", 0),
    ("const1", "stage22_spacing_RECENT", 2),
    ("const1", "stage21_spacing_TOTAL", 51),
    ("const0", "stage22_onDecide_IF_NOT_HIT_reason", 1),
    ("const0", "stage12_valid", 0),
    ("inv", "derived_reciprocals_unit_io_done", 0),
)


def test_twenty_mutants_die() -> None:
    """And the design without any gives its own recording back."""
    source = core_source("red")
    folder = BENCHES / "mutants-red"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    block = folder / source.name
    shutil.copyfile(source, block)
    netlist = selectable.read(block, source.stem)
    shape = Shape.of(harness.ports(netlist, source.stem))
    mutants = [selectable.wire_fault(netlist, source.stem, *fault) for fault in FAULTS]
    program = player.build(selectable.write(block, source.stem, mutants), source.stem, shape)

    traffic("red", ARRIVALS).bench.recording().rows(shape).tofile(folder / "rows.bin")

    rows = player.first_wrong_rows(program, folder / "rows.bin", range(len(FAULTS) + 1))
    assert rows[player.NO_MUTANT] == player.SURVIVED
    missed = [FAULTS[number - 1] for number, row in rows.items() if number and row == player.SURVIVED]
    assert not missed
