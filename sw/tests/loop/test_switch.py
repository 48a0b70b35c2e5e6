# SPDX-License-Identifier: Apache-2.0
"""A scenario that says how a switch's port is set: what a tile gets of it, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice.experiments import Cell, kept_results
from sluice.hardware.registers import RegisterMap
from sluice.loop import aqm, scenario, simulation, switch_words
from sluice.support import paths
from sluice.support.errors import UserError

Sluice = Callable[..., tuple[int, str, str]]

SHIPPED = Path(scenario.__file__).parent / "scenarios"

needs_rtl = pytest.mark.skipif(not paths.register_map("wred-1k").exists(), reason="needs make rtl")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The shipped scenario and its switch's file in a folder of the user's."""
    for name in ("wred-classes.yaml", "wred-classes.json"):
        shutil.copy(SHIPPED / name, tmp_path)
    return tmp_path / "wred-classes.yaml"


@pytest.fixture(scope="module")
def registers() -> RegisterMap:
    return RegisterMap.load(paths.register_map("wred-1k"))


@needs_rtl
def test_a_tile_gets_the_words_that_the_importer_prints(registers: RegisterMap, own: Path, sluice: Sluice) -> None:
    """Each of them, in its order, and colours too."""
    switch = scenario.load(str(own)).switch
    assert switch
    ours = [pair.split("=") for pair in switch_words.of(switch, registers).split(",")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SLUICE_ROOT")
        status, printed, _ = sluice("profile", "import", switch.file, "--port", "Ethernet0", "--yellow", "12")
    assert status == 0
    theirs = [line.split()[:2] for line in printed.splitlines()]
    assert [[int(part, 16) for part in pair] for pair in ours] == [[int(part, 16) for part in pair] for pair in theirs]
    assert len(ours) > 70
    green = switch.model_copy(update={"yellow": []})
    assert switch_words.of(switch, registers) != switch_words.of(green, registers)


def test_what_has_no_profiles_is_as_without(project: Path, own: Path) -> None:
    without = own.with_name("without.yaml")
    text = own.read_text()
    begin, end = text.index("\nswitch:"), text.index("\nflows:")
    without.write_text(text[:begin] + text[end:])
    for name in ("red", "ns3-red"):
        one, other = (aqm.resolve(name, scenario.load(str(file)), {}, 1) for file in (own, without))
        assert one == other


def test_a_request_says_nothing_that_the_scenario_does_not(project: Path) -> None:
    """Results are kept by the text of their requests."""
    request = json.dumps(simulation.prepare(scenario.load("main"), "red", {}, 1).request())
    assert "dscp" not in request
    assert "Words" not in request


def test_a_flow_has_its_dscp(project: Path, own: Path) -> None:
    dscps = [flow["dscp"] for flow in scenario.expand(scenario.load(str(own)), 1)]
    assert dscps == 3 * (6 * [10] + 6 * [12])


def test_a_file_that_is_not_there_is_named_with_its_line(project: Path, own: Path) -> None:
    line = 1 + own.read_text().splitlines().index("  file: wred-classes.json")
    own.with_suffix(".json").unlink()
    with pytest.raises(UserError, match=f"^scenario wred-classes, line {line}: switch.file: there is no file /"):
        scenario.load(str(own))


@needs_rtl
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("{", "", "is not JSON"),
        ('"WRED_PROFILE"', '"WRED"', "has no table WRED_PROFILE"),
        ("Ethernet0", "Ethernet8", "there is no port 'Ethernet0'; there are: Ethernet4, Ethernet8"),
        ("green_drop_probability", "green_drop_probabilty", "has an unknown field 'green_drop_probabilty'"),
        ('"Ethernet0|3"', '"Ethernet0|1024"', "wred-1k has 1024 queues, and Ethernet0 has one of the number 1024"),
    ],
)
def test_a_wrong_file_is_one_line(registers: RegisterMap, own: Path, right: str, wrong: str, says: str) -> None:
    file = own.with_suffix(".json")
    file.write_text(file.read_text().replace(right, wrong, -1 if right.startswith("Eth") else 1))
    switch = scenario.load(str(own)).switch
    assert switch
    with pytest.raises(UserError) as refusal:
        switch_words.of(switch, registers)
    assert says in refusal.value.message
    assert "\n" not in refusal.value.message


def test_results_are_of_what_stands_in_the_file(project: Path, own: Path) -> None:
    """Wherever it is: a row is old when the switch is set in another way, and not when the file is moved."""

    def setting(file: Path) -> Any:
        cell = Cell(aqm="fifo", point="here", config="ns3-fifo", scenario=scenario.load(str(file)))
        return kept_results.setting(cell, 20)

    before = setting(own)
    elsewhere = own.parent / "elsewhere"
    elsewhere.mkdir()
    for name in ("wred-classes.yaml", "wred-classes.json"):
        shutil.copy(SHIPPED / name, elsewhere)
    assert setting(elsewhere / own.name) == before
    other = elsewhere / "wred-classes.json"
    other.write_text(other.read_text().replace('"30000"', '"40000"'))
    assert setting(elsewhere / own.name) != before
