# SPDX-License-Identifier: Apache-2.0
"""Rows of the atlas: what makes one old, how seeds become a number, and the command that makes them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from built import built

from sluice.commands import cli
from sluice.experiments import kept_results
from sluice.experiments.atlas import cells, ranking, schemes, table
from sluice.loop import aqm
from sluice.loop.scenario import Scenario
from sluice.support import paths

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def atlas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """`sluice atlas` with cells of half a second, and tables of the test's own."""
    built(paths.ns3_module())
    monkeypatch.setattr(cells, "WORLDS", tuple(replace(world, quick_s=0.5) for world in cells.WORLDS))
    monkeypatch.setattr(table, "working", lambda: tmp_path / "runs.csv")
    monkeypatch.setattr(table, "kept", lambda: tmp_path / "kept.csv")

    def call(arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["atlas", *arguments.split()])
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


SOME = "--quick --cells udp-over,mild --aqm ns3-fifo,fair-queue --workers 1"


def test_a_row_for_each_run_and_the_next_command_adds_its_own(atlas: Command, tmp_path: Path) -> None:
    status, out, _ = atlas(f"{SOME} --seeds 2 --json {tmp_path / 'rows.json'}")
    assert status == 0
    assert "8 runs in" in " ".join(out.split())
    found = rows(tmp_path / "runs.csv")
    assert [(row["cell"], row["scheme"], row["seed"]) for row in found[:3]] == [
        ("mild", "fair-queue", "1"),
        ("mild", "fair-queue", "2"),
        ("mild", "ns3-fifo", "1"),
    ]
    assert len(json.loads((tmp_path / "rows.json").read_text())["rows"]) == 8
    assert not (tmp_path / "kept.csv").exists()
    atlas(f"{SOME} --seeds 3 --keep")
    assert len(rows(tmp_path / "runs.csv")) == 12
    assert len(rows(tmp_path / "kept.csv")) == 12


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--cells mildd", "unknown cell 'mildd'; did you mean mild?"),
        ("--aqm care-papr", "unknown scheme 'care-papr'; did you mean care-paper"),
        ("--cells mild,", "--cells takes names with commas between them, not 'mild,'"),
        ("--seeds 0", "'--seeds'"),
        ("--scheduler nonsense --cells mild", "'nonsense' is not a scheduler's address"),
        ("--scheduler tcp://h:1 --workers 2", "--workers is for this machine"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(atlas: Command, arguments: str, says: str) -> None:
    status, _, err = atlas(arguments)
    assert (status, len(err.splitlines())) == (2, 1)
    assert says in err


def test_it_says_what_there_is(atlas: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = atlas("--list")
    assert status == 0
    for word in (
        "hostile-ids",
        "--aqm ns3-fq-codel --set target=1e+10",
        "recovery_s",
        "What it has as a target is 15 ms",
    ):
        assert word in " ".join(out.split())


def test_a_row_is_old_for_what_its_scheme_heeds_and_for_nothing_else() -> None:
    [scheme] = schemes.find(["ns3-pie"])
    world = cells.find("mild")
    found = {"rtl": "", "setting": kept_results.setting(scheme.cell(world), 20), "duration_s": "20"}

    def now(**more: Any) -> bool:
        scenario = replace(world.scenario, **more)
        return kept_results.is_old(found, scheme.cell(_At(world, scenario)))

    said = world.scenario.settings
    assert not now()
    assert not now(settings=said | {"codel": {"target": 1}})
    assert now(settings=said | {"pie": {"target": 1}})
    assert now(limit=99)


class _At(cells.World):
    """A cell of another scenario."""

    def __init__(self, world: cells.World, scenario: Scenario) -> None:
        super().__init__(**vars(world))
        object.__setattr__(self, "_scenario", scenario)

    @property
    def scenario(self) -> Scenario:
        return vars(self)["_scenario"]  # type: ignore[no-any-return]


def test_the_best_comes_first_and_who_never_does_it_last() -> None:
    step = cells.find("load-steps")
    found = [
        {"scheme": scheme, "recovery_s": value}
        for scheme, values in {"red": ("4", "6"), "droptail": ("3", "inf"), "pie": ("1", "2"), "step": ("", "")}.items()
        for value in values
    ]
    assert [(scheme, str(value)) for scheme, value in ranking.ranked(step, found)] == [
        ("pie", "1.5 ±6.4"),
        ("red", "5 ±13"),
        ("droptail", "never"),
    ]
    more = replace(step, is_more_better=True)
    assert [scheme for scheme, _ in ranking.ranked(more, found)][1:] == ["red", "pie"]


def test_a_column_is_run_as_it_says() -> None:
    """The settings in its cell are those of the command that it names."""
    [scheme] = schemes.find([schemes.FAIR_QUEUE])
    world = cells.find("mild")
    by_cell = aqm.resolve(scheme.config, scheme.cell(world).scenario, {}, 1)
    assert by_cell == aqm.resolve(scheme.config, world.scenario, scheme.own, 1)
