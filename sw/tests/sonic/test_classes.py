# SPDX-License-Identifier: Apache-2.0
"""The queue of each DSCP as a switch's file has it, as words for a datapath, which finds a frame's queue by that."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sluice.driver.sonic.words import Word
from sluice.hardware.registers import RegisterMap
from sluice.packets import replay
from sluice.support import paths

CONFIG = "wred-1k-64"
Sluice = Callable[..., tuple[int, str, str]]
Tables = Mapping[str, Mapping[str, Mapping[str, str]]]

pytestmark = pytest.mark.skipif(not paths.register_map(CONFIG).exists(), reason="needs make rtl")

PROFILES: Tables = {
    "WRED_PROFILE": {"P": {"wred_green_enable": "true", "green_min_threshold": "3000", "green_max_threshold": "9000"}}
}
MAPS: Tables = {
    "DSCP_TO_TC_MAP": {"AZURE": {"0": "1", "3": "3", "46": "5", "63": "15"}, "FLAT": {}},
    "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "7", "3": "2", "15": "1023"}},
}
BOTH = {"dscp_to_tc_map": "AZURE", "tc_to_queue_map": "AZURE"}


def imported(sluice: Sluice, tmp_path: Path, tables: Tables, *options: str) -> tuple[list[Word], list[str]]:
    """The words for a port, and the notes."""
    file, result = tmp_path / "config_db.json", tmp_path / "words.json"
    file.write_text(json.dumps(PROFILES | tables))
    status, _, err = sluice("profile", "import", str(file), "--port", "Ethernet0", "--json", str(result), *options)
    assert status == 0, err
    found: dict[str, Any] = json.loads(result.read_text())
    return [Word(**word) for word in found["words"]], found["notes"]


def queues(words: list[Word]) -> dict[int, int]:
    """The table of a datapath behind these words."""
    address = RegisterMap.load(paths.register_map(CONFIG)).addresses["DSCP_QUEUE"]
    found = [word for word in words if word.name == "DSCP_QUEUE"]
    assert all(word.address == address and word.word >> 22 == 0 for word in found)
    return {word.word >> 16: word.word & 0xFFFF for word in found}


def expected(**others: int) -> dict[int, int]:
    """Queue 0 for all DSCPs but these."""
    return dict.fromkeys(range(64), 0) | {int(name[1:]): queue for name, queue in others.items()}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ({"Ethernet0": BOTH}, expected(_0=7, _3=2, _46=5, _63=1023)),
        ({"Ethernet0": {"dscp_to_tc_map": "AZURE"}}, expected(_0=1, _3=3, _46=5, _63=15)),
        ({"Ethernet0": {"dscp_to_tc_map": "FLAT", "tc_to_queue_map": "AZURE"}}, expected()),
        ({"Ethernet0": {"tc_to_queue_map": "[TC_TO_QUEUE_MAP|AZURE]"}}, expected()),
        ({"Ethernet0,Ethernet4": BOTH}, expected(_0=7, _3=2, _46=5, _63=1023)),
        (
            {"global": {"dscp_to_tc_map": "AZURE"}, "Ethernet0": {"tc_to_queue_map": "AZURE"}},
            expected(_0=7, _3=2, _46=5, _63=1023),
        ),
        ({"global": {"dscp_to_tc_map": "AZURE"}, "Ethernet0": {}}, expected(_0=1, _3=3, _46=5, _63=15)),
        ({"Ethernet0": {}, "Ethernet4": BOTH}, {}),
    ],
)
def test_dscps(sluice: Sluice, tmp_path: Path, rows: Any, found: dict[int, int]) -> None:
    words, _ = imported(sluice, tmp_path, {**MAPS, "PORT_QOS_MAP": rows}, "--config", CONFIG)
    assert queues(words) == found
    assert [word.name for word in words[: len(words) - len(found)]].count("DSCP_QUEUE") == 0, "they come last"


def test_a_port_with_queues_and_no_row_takes_the_switch_s_map(sluice: Sluice, tmp_path: Path) -> None:
    tables = {**MAPS, "PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE"}}, "QUEUE": {"Ethernet0|1": {}}}
    assert queues(imported(sluice, tmp_path, tables, "--config", CONFIG)[0]) == expected(_0=1, _3=3, _46=5, _63=15)


def test_what_a_port_says_of_flow_control_is_told(sluice: Sluice, tmp_path: Path) -> None:
    rows = {"Ethernet0": {**BOTH, "pfc_enable": "3,4"}}
    _, notes = imported(sluice, tmp_path, {**MAPS, "PORT_QOS_MAP": rows}, "--config", CONFIG)
    assert notes[-1] == "PORT_QOS_MAP|Ethernet0: pfc_enable=3,4 is not carried"


def test_a_tile_is_told_each_packet_s_queue_by_others(sluice: Sluice, tmp_path: Path) -> None:
    words, notes = imported(sluice, tmp_path, {**MAPS, "PORT_QOS_MAP": {"Ethernet0": BOTH}})
    assert "DSCP_QUEUE" not in {word.name for word in words}
    assert notes[-1] == "PORT_QOS_MAP|Ethernet0: wred-1k has no table of queues by DSCP, as datapaths have"


def test_a_tile_of_one_queue_tells_that_it_has_no_others(sluice: Sluice, tmp_path: Path) -> None:
    tables = {**MAPS, "PORT_QOS_MAP": {"Ethernet0": BOTH, "Ethernet4": {}}}
    _, notes = imported(sluice, tmp_path, tables, "--config", "wred")
    assert notes[-1] == "PORT_QOS_MAP|Ethernet0: wred has no table of queues by DSCP, as datapaths have"


def test_the_words_are_as_the_register_says(sluice: Sluice, tmp_path: Path) -> None:
    """And a replay reads the table of them."""
    file = tmp_path / "words.tsv"
    tables = {**MAPS, "PORT_QOS_MAP": {"Ethernet0": BOTH}}
    words, _ = imported(sluice, tmp_path, tables, "--config", CONFIG, "--writes", str(file))
    declared = json.loads(paths.register_map(CONFIG).read_text())["registers"]
    (meaning,) = (register["doc"] for register in declared if register["name"] == "DSCP_QUEUE")
    assert re.search(r"in bits 21:16,", meaning)
    writes = replay.recorded_writes(file)
    assert list(zip(writes.address, writes.value, strict=True)) == [(word.address, word.word) for word in words]
    assert not writes.time_ns.any()


@pytest.mark.parametrize(
    ("tables", "says"),
    [
        (
            {"DSCP_TO_TC_MAP": {"A": {"64": "0"}}},
            "DSCP_TO_TC_MAP|A: has a field '64', which is not a number from 0 to 63",
        ),
        ({"DSCP_TO_TC_MAP": {"A": {"AF11": "0"}}}, "has a field 'AF11', which is not a number"),
        ({"DSCP_TO_TC_MAP": {"A": {"1": "16"}}}, "1='16' is not a number from 0 to 15"),
        ({"TC_TO_QUEUE_MAP": {"A": {"1": "1024"}}}, "1='1024' is not a number from 0 to 1023"),
        ({"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE"}}}, "names no row of DSCP_TO_TC_MAP"),
        (
            {"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc": "A"}}},
            "unknown field 'dscp_to_tc'; did you mean dscp_to_tc_map",
        ),
        ({"PORT_QOS_MAP": {"Ethernet0": {}, "Ethernet0,Ethernet4": {}}}, "Ethernet0 has another row"),
    ],
)
def test_mistakes_are_one_line(sluice: Sluice, tmp_path: Path, tables: Tables, says: str) -> None:
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(PROFILES | tables))
    status, out, err = sluice("profile", "import", str(file), "--port", "Ethernet0", "--config", CONFIG)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert says in err
