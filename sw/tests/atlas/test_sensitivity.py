# SPDX-License-Identifier: Apache-2.0
"""`sluice sensitivity`: which parameters it moves and how far, its rows, its picture and its table."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from built import built

from sluice.commands import cli
from sluice.experiments import kept_results
from sluice.experiments.atlas import knob_picture, knob_rows, knobs, measures, picture, schemes
from sluice.experiments.atlas.ranking import Mean
from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import aqm
from sluice.loop.reports import kept_rows
from sluice.pages import result_tables
from sluice.support import paths, results_table
from sluice_golden import models

Command = Callable[..., tuple[int, str, str]]

MEDIUM = knobs.WORLDS[0]


@pytest.fixture
def sensitivity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command with cells of half a second, and tables of the test's own."""
    built(paths.ns3_module())
    monkeypatch.setattr(knobs, "WORLDS", tuple(replace(world, quick_s=0.5) for world in knobs.WORLDS[:1]))
    monkeypatch.setattr(knob_rows, "working", lambda: tmp_path / "runs.csv")
    monkeypatch.setattr(knob_rows, "kept", lambda: tmp_path / "kept.csv")

    def call(arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["sensitivity", *arguments.split()])
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call


@pytest.mark.parametrize("knob", knobs.KNOBS, ids=lambda knob: f"{knob.scheme}-{knob.name}".replace(" ", "-"))
def test_every_set_is_legal_and_moves_something(knob: knobs.Knob) -> None:
    """By the golden model's rules: a set that the tile refuses would end the command."""
    [scheme] = schemes.find([knob.scheme])
    registers = RegisterMap.load(paths.register_map(scheme.config))
    model = models()[scheme.config]
    ruled = aqm.set_in(catalog.load().config(scheme.config), registers, scheme.cell(MEDIUM).scenario, {})
    seen = []
    for factor in knobs.FACTORS:
        moved = knob.settings(scheme, MEDIUM, factor)
        if moved is None:
            continue
        raw = {name: registers.parameter(name).raw(value) for name, value in (ruled | moved).items()}
        own = {name: value for name, value in raw.items() if name in model.defaults()}
        assert model.is_legal(model.defaults() | own)
        seen.append(tuple(raw[name] for name in moved))
    assert len(set(seen)) == len(seen) >= 3


def test_each_scheme_has_two_but_those_with_one_parameter() -> None:
    """WRED is RED with a profile by queue, and no column of the atlas has rows of it."""
    of = [knob.scheme for knob in knobs.KNOBS]
    ours = [algorithm.default_config for algorithm in catalog.load().algorithms if algorithm.name != "wred"]
    assert {scheme: of.count(scheme) for scheme in ours} == {
        scheme: 1 if scheme in ("droptail", "step") else 2 for scheme in ours
    }


def test_at_one_it_is_the_atlas_own_run() -> None:
    [scheme] = schemes.find(["codel"])
    for knob in knobs.find(["codel"]):
        assert knobs.cell(knob, MEDIUM, 1) == scheme.cell(MEDIUM)
        assert knobs.cell(knob, MEDIUM, 3) != scheme.cell(MEDIUM)


def test_a_row_for_each_run(sensitivity: Command, tmp_path: Path) -> None:
    status, out, _ = sensitivity("--aqm codel --seeds 2 --keep")
    assert status == 0
    assert "20 runs in" in " ".join(out.split())
    with (tmp_path / "kept.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["knob"], row["factor"]) for row in rows} == {
        (knob, f"{factor:g}") for knob in ("target", "interval") for factor in knobs.FACTORS
    }
    at_one = {(row["seed"], row["delay_p99_ms"]) for row in rows if row["factor"] == "1"}
    assert len(at_one) == 2, "both knobs' at 1 are the same runs"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--aqm codell", "unknown scheme 'codell'; did you mean codel"),
        ("--aqm ns3-pie", "ns3-pie has no parameters here"),
        ("--seeds 0", "'--seeds'"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(sensitivity: Command, arguments: str, says: str) -> None:
    status, _, err = sensitivity(arguments)
    assert (status, len(err.splitlines())) == (2, 1)
    assert says in err


def row(factor: float, **values: float) -> dict[str, Any]:
    """A fresh row of CoDel's target in `medium` with these measures and no others."""
    [knob] = [knob for knob in knobs.find(["codel"]) if knob.name == "target"]
    cell = knobs.cell(knob, MEDIUM, factor)
    assert cell is not None
    digests = {"rtl": kept_rows.rtl(cell.config), "setting": kept_results.setting(cell, 20)}
    shown = {measure.name: values.get(measure.name, "") for measure in measures.MEASURES}
    named = {"scheme": "codel", "knob": "target", "factor": f"{factor:g}", "cell": MEDIUM.name, "config": "codel"}
    return named | {"duration_s": "20", "seed": 1} | digests | shown | {"wall_s": 1}


def test_the_picture_and_the_table_say_how_far_and_who_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knob_rows, "kept", lambda: tmp_path / "kept.csv")
    at = {0.1: (8, 10), 1.0: (27, 19), 10.0: (99, 19)}
    knob_rows.put(knob_rows.kept(), [row(f, delay_p99_ms=d, goodput_mbps=g) for f, (d, g) in at.items()])
    shown = result_tables.rewritten(Path("page.md"), "<!-- table sensitivity -->\n<!-- end of table -->\n")
    assert "| `codel` | `target` | 8 to 99 | | | 0.1 |" in shown
    drawn = knob_picture.heat(results_table.read(knob_rows.kept()))
    texts = [element.text for element in ElementTree.fromstring(drawn).iter() if element.text]
    assert {"8" + picture.IDLE, "27", "99", "codel: target"} <= set(texts)


@pytest.mark.parametrize(
    ("value", "half", "colour"),
    [(27, 1, 0), (54, 1, 0.5), (13.5, 1, -0.5), (108, 1, 1), (500, 1, 1), (2, 1, -1), (54, 40, 0), (54, None, 0.5)],
)
def test_worse_is_red_and_what_may_be_chance_is_neither(value: float, half: float | None, colour: float) -> None:
    """Against 27 with an interval of 1 either way: twice as much is half of the way to four times."""
    assert knob_picture.change(Mean(value, half, 3), Mean(27, 1, 3)) == pytest.approx(colour)


def test_a_row_of_another_setting_is_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(knob_rows, "kept", lambda: tmp_path / "kept.csv")
    knob_rows.put(knob_rows.kept(), [row(1.0, delay_p99_ms=27) | {"setting": "another"}])
    shown = result_tables.rewritten(Path("page.md"), "<!-- table sensitivity -->\n<!-- end of table -->\n")
    assert "| `codel` † |" in shown
