# SPDX-License-Identifier: Apache-2.0
"""Mutants of a small design: one that must die, one that changes nothing, one that the recording does not reach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sluice.faults.mutants import cones, player, proof, recorder, selectable, survivors
from sluice.faults.mutants.campaign import Campaign
from sluice.faults.mutants.recording import Layout, Recording, Shape
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import harness
from sluice.synthesis.passes.netlist import Module

TOP = "tiny"
SOURCE = """\
(* keep_hierarchy *)
module part (input [3:0] a, output [3:0] low);
  assign low = a & 4'd7;
endmodule
module tiny (input clk, input rst, input a_valid, input [3:0] a, input [1:0] parameters_p, output legal,
  output reg r_valid, output reg [5:0] r, output [79:0] wide);
  reg [5:0] table_of_steps [0:3];
  initial begin
    table_of_steps[0] = 6'd1; table_of_steps[1] = 6'd2; table_of_steps[2] = 6'd4; table_of_steps[3] = 6'd8;
  end
  wire [3:0] low;
  part part (.a(a), .low(low));
  wire is_beyond = low > 4'd7;  // never
  wire is_most = a == 4'd15;    // not in the recording
  wire is_refused = parameters_p == 2'd3;  // not in a legal set
  wire is_chosen = parameters_p == 2'd2;   // in one, and not in the recording
  assign legal = parameters_p < 2'd3;
  wire [5:0] step = table_of_steps[a[1:0]];
  reg is_late, was_never;
  reg [1:0] kept;               // its upper bit is never read
  wire never = low > 4'd7;      // a fault here shows only where it is seen in two clocks at once
  wire spare = a[3] ^ a[2];     // only where nothing is written
  wire [1:0] place = a_valid ? a[1:0] : {2{spare}};
  reg [3:0] memory [0:3];
  reg [3:0] remembered;
  always @(posedge clk) begin
    if (a_valid) memory[place] <= a;
    remembered <= memory[a[3:2]];
  end
  (* ram_style = "distributed" *) reg [3:0] in_luts [0:3];
  initial begin in_luts[0] = 0; in_luts[1] = 0; in_luts[2] = 0; in_luts[3] = 0; end
  wire [3:0] at_once = in_luts[a[1:0]];  // 0, and not the inverse of it in the clock of a write
  reg old;
  always @(posedge clk) begin
    if (a_valid) in_luts[a[1:0]] <= {4{is_beyond}};
    old <= at_once[0];
  end
  always @(posedge clk) begin
    if (rst) r_valid <= 0; else r_valid <= a_valid;
    is_late <= low > 4'd7;      // never, one clock later
    was_never <= never;
    if (a_valid) kept <= a[1:0];
    r <= is_refused | is_chosen ? 6'd62 : is_beyond | never & was_never ? 6'd0 : is_most ? 6'd63
      : step + {5'd0, is_late & kept[0] & remembered[3] | old & r_valid};
  end
  reg [9:0] passed_on;          // is 0, which a fault of its first bit hides from who sees few clocks
  always @(posedge clk) passed_on <= {passed_on[8:0], 1'b0};
  assign wide = {80{r_valid ^ passed_on[9] & is_most}};
endmodule
"""
STEPS = np.array([1, 2, 4, 8], dtype=np.uint8)
FAULTS = (("inv", "step"), ("const0", "is_beyond"), ("const0", "is_late"), ("const0", "is_most"), ("const1", "never"))
"""One that shows, one without effect, one without effect a clock later, one that the recording does not reach, and one whose
effect needs two clocks."""


def recording() -> Recording:
    """Two clocks of reset, then every value but the highest."""
    a = np.array([0, 0, *range(15), 0], dtype=np.uint8)
    rst = np.array([1, 1] + [0] * 16, dtype=np.uint8)
    is_given = 1 - rst
    valid = np.concatenate([[0], is_given[:-1]]).astype(np.uint8)
    result = np.concatenate([[0], STEPS[a & 3][:-1]]).astype(np.uint8)
    wide = valid[:, None] * np.array([2**32 - 1, 2**32 - 1, 2**16 - 1], dtype=np.uint32)
    running = rst == 0
    return Recording(
        {"rst": rst, "a_valid": is_given, "a": a, "parameters_p": 0 * a},
        {"legal": 0 * a + 1, "r_valid": valid, "r": result, "wide": wide},
        {"legal": running, "r_valid": running, "r": running & (valid == 1), "wide": running},
    )


class Design:
    """The small design in the place of one of the catalogue."""

    top, config, kind = TOP, "small", "core"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.source = folder / f"{TOP}.sv"
        self.source.write_text(SOURCE)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Known faults, one of the table, one of a bit that nobody reads, two of where a memory is written, two of values of a
    parameter, and three of what is passed on, built; the folder, the shape and the program."""
    folder = tmp_path_factory.mktemp("small")
    design = Design(folder)
    netlist = selectable.read(design.source, TOP)
    assert list(netlist["modules"]) == [TOP]
    shape = Shape.of(harness.ports(netlist, TOP))
    mutants = [selectable.wire_fault(netlist, TOP, mode, wire, 0) for mode, wire in FAULTS]
    mutants.append(selectable.table_fault("table_of_steps", 2, 1))
    mutants.append(selectable.wire_fault(netlist, TOP, "inv", "kept", 1))
    mutants.append(selectable.wire_fault(netlist, TOP, "inv", "spare", 0))
    mutants.append(selectable.wire_fault(netlist, TOP, "inv", "place", 0))
    mutants += [selectable.wire_fault(netlist, TOP, "const0", wire, 0) for wire in ("is_refused", "is_chosen")]
    mutants += [
        selectable.wire_fault(netlist, TOP, mode, "passed_on", bit)
        for mode, bit in (("inv", 0), ("const0", 9), ("const1", 9))
    ]
    program = player.build(selectable.write(design.source, TOP, mutants), TOP, shape)
    return folder, shape, program


def test_what_a_recording_kills(built: Any) -> None:
    folder, shape, program = built
    recording().rows(shape).tofile(folder / "rows.bin")
    rows = player.first_wrong_rows(program, folder / "rows.bin", range(7))
    assert rows[player.NO_MUTANT] == player.SURVIVED
    dies, equivalent, late, survives, in_two_clocks, of_table = (rows[number] for number in range(1, 7))
    assert in_two_clocks > 0
    assert dies == 3, "the first clock with a result"
    assert of_table == 5, "the clock after the entry is read"
    assert equivalent == late == survives == player.SURVIVED


def test_what_is_proved_equivalent(built: Any) -> None:
    folder, _, _ = built
    proved = proof.equivalent(folder / selectable.NETLIST, TOP, range(1, 15))
    assert [number for number, is_equivalent in proved.items() if is_equivalent] == [2, 3, 7, 8, 10, 13]


def test_a_campaign_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design: Any = Design(tmp_path)
    campaign = Campaign.prepare(design, 40, 1)
    rows = tmp_path / "rows.bin"
    recording().rows(campaign.shape).tofile(rows)
    with ThreadPoolExecutor(1) as pool:
        campaign.judge(rows, pool, lambda _: None)
        campaign.prove(pool, lambda _: None)
    first = list(campaign.lines())
    assert [entry["mutant"] for entry in first] == list(range(1, 41))
    assert {"killed", "equivalent"} <= {entry["outcome"] for entry in first}
    assert any(re.search(r"table_of_steps\[\d\] bit", entry["place"]) for entry in first), "tables have their part"
    assert all(entry["source"] in SOURCE for entry in first)

    monkeypatch.setattr(player, "build", lambda *_: pytest.fail("built again"))
    monkeypatch.setattr("sluice.faults.mutants.campaign._show", lambda *_: pytest.fail("shown again"))
    monkeypatch.setattr(proof, "equivalent", lambda *_: pytest.fail("proved again"))
    again = Campaign.prepare(design, 40, 1)
    with ThreadPoolExecutor(1) as pool:
        again.judge(rows, pool, lambda _: None)
        again.prove(pool, lambda _: None)
    assert list(again.lines()) == first


def test_a_recording_that_the_good_design_does_not_repeat_is_refused(tmp_path: Path, built: Any) -> None:
    folder, shape, program = built
    wrong = recording()
    wrong.outputs["r"][7] ^= 1
    wrong.rows(shape).tofile(tmp_path / "rows.bin")
    design: Any = Design(tmp_path)
    campaign = Campaign(design, folder, [], shape, program)
    with ThreadPoolExecutor(1) as pool, pytest.raises(UserError, match="does not repeat its own recording"):
        campaign.judge(tmp_path / "rows.bin", pool, lambda _: None)


def test_a_recording_is_the_same_in_a_file(tmp_path: Path) -> None:
    shape = Shape(
        Layout([harness.Port("rst", 1, True), harness.Port("a_valid", 1, True), harness.Port("a", 4, True)]),
        Layout([harness.Port("r_valid", 1, False), harness.Port("r", 6, False), harness.Port("wide", 80, False)]),
    )
    recording().save(tmp_path / "recording.npz")
    assert np.array_equal(Recording.load(tmp_path / "recording.npz").rows(shape), recording().rows(shape))


def test_what_counts_in_a_recorded_run(tmp_path: Path) -> None:
    """Nothing before and in reset, a payload with its valid, all else always."""
    shape = Shape(
        Layout([harness.Port("rst", 1, True), harness.Port("arrival_valid", 1, True)]),
        Layout(
            [
                harness.Port("verdict_valid", 1, False),
                harness.Port("verdict_action", 2, False),
                harness.Port("level", 40, False),
            ]
        ),
    )
    text = recorder.instrumented("module first;\nendmodule\nmodule top (input clk);\nendmodule\n", "top", shape)
    assert text.index("$fwrite") > text.index("module top")
    rst, arrival, valid = (0, 1, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0), (1, 0, 0, 1, 0, 0)
    lines = [
        f"{0:08x}{a:08x}{r:08x} {2:08x}{5:08x}{1:08x}{v:08x}\n" for r, a, v in zip(rst, arrival, valid, strict=True)
    ]
    file = tmp_path / recorder.FILE
    file.write_text("".join(lines) + "00")
    seen = recorder.read(file, shape)
    assert seen.outputs["verdict_action"].tolist() == [1] * 6
    assert seen.outputs["level"].tolist() == [2 << 32 | 5] * 6
    assert seen.masks["verdict_valid"].tolist() == [False, False, True, True, True, True]
    assert seen.masks["verdict_action"].tolist() == [False, False, False, True, False, False]
    assert seen.masks["level"].tolist() == [False, False, True, True, True, True]


def test_survivors_keep_their_reasons(tmp_path: Path) -> None:
    """Those of other runs stay, and one that is found out goes."""
    table = tmp_path / "survivors.csv"
    faults = [{"mutant": n, "fault": "inv", "place": f"wire[{n}]", "line": n, "source": "wire"} for n in range(3)]
    runs = [{"config": "red", "design": "core", "seed": seed} for seed in (1, 2)]
    for run in runs:
        survivors.merge(table, run, faults[:2])
    table.write_text(
        table.read_text().replace("red,core,1,1,inv,wire[1],1,wire,", "red,core,1,1,inv,wire[1],1,wire,seldom")
    )
    survivors.merge(table, runs[1], faults[1:])
    rows = results_table.read(table)
    assert [(row["seed"], row["mutant"], row["why"]) for row in rows] == [
        ("1", "0", ""),
        ("1", "1", "seldom"),
        ("2", "1", "seldom"),
        ("2", "2", ""),
    ]


def test_every_survivor_on_record_has_a_reason() -> None:
    unexplained = [row for row in results_table.read(survivors.table()) if not row["why"]]
    assert not unexplained


def test_a_table_tells_what_its_entries_have_in_common() -> None:
    """To the proof: the bits that are the same in each of them."""
    module = {"ports": {}, "netnames": {}, "cells": {"table": _table(("0110", "0010", "0011"))}}
    design = cones.Design.__new__(cones.Design)
    design.module = Module(module)
    assert [design.fixed("table", net) for net in (10, 11, 12, 13)] == [None, "1", None, "0"]
    module["cells"]["table"]["parameters"]["WR_PORTS"] = "1"
    assert design.fixed("table", 11) is None


def _table(entries: Sequence[str]) -> dict[str, Any]:
    """A memory's cell of entries of four bits, read at the nets 10 to 13."""
    parameters = {"WR_PORTS": "0", "SIZE": f"{len(entries):b}", "WIDTH": "100", "INIT": "".join(reversed(entries))}
    return {
        "type": "$mem_v2",
        "parameters": parameters,
        "port_directions": {"RD_DATA": "output"},
        "connections": {"RD_DATA": [10, 11, 12, 13]},
    }


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "notes.npz"
    file.write_text("nothing")
    with pytest.raises(UserError, match="no recording"):
        Recording.load(file)
    np.savez(file, given=np.zeros(3))
    with pytest.raises(UserError, match="it has 'given'"):
        Recording.load(file)
