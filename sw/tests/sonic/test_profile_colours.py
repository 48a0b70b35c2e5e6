# SPDX-License-Identifier: Apache-2.0
"""Colours of packets: the words are replayed into a tile of dictionaries, whose way with each packet is held against the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sluice.driver.sonic import words
from sluice.driver.sonic.profile import Colours
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice.support.errors import UserError

COLOURS_JSON = Path(__file__).parent / "colours.json"
ONE = 1 << 31
YELLOW, RED = (12, 20, 28, 36), (14, 22, 30, 38)
Sluice = Callable[..., tuple[int, str, str]]
Ramp = tuple[int, int, int]
Judged = tuple[Ramp | None, Ramp | None]
"""What drops, and what marks: from, to, share at the end."""

pytestmark = pytest.mark.skipif(not paths.register_map("wred-1k").exists(), reason="needs make rtl")


class Tile:
    """Registers by their addresses; a COMMIT sets a profile of those staged, and the table of colours."""

    def __init__(self) -> None:
        registers = json.loads(paths.register_map("wred-1k").read_text())["registers"]
        self.names: dict[int, str] = {register["address"]: register["name"] for register in registers}
        self.most = {register["name"]: (1 << register["width"]) - 1 for register in registers}
        self.staged: dict[str, int] = {register["name"]: register["reset"] for register in registers}
        self.profiles = {number: dict(self.staged) for number in range(16)}
        self.table = [0] * 4
        self.chosen: dict[int, int] = {}

    def write(self, address: int, word: int) -> None:
        name = self.names[address]
        assert 0 <= word <= self.most[name]
        self.staged[name] = word
        if name == "COMMIT":
            self.profiles[self.staged["profile"]] = dict(self.staged)
            self.table = [self.staged[f"dscp_colours{number}"] for number in range(4)]
        if name == "SELECTED_PROFILE":
            self.chosen[self.staged["QUEUE_SELECT"]] = word

    def judged(self, queue: int, dscp: int) -> Judged:
        colour = self.table[dscp >> 4] >> 2 * (dscp & 15) & 3
        its = self.profiles[self.chosen.get(queue, 0) >> 4 * min(colour, 2) & 15]
        drop = its["min_threshold"], its["max_threshold"], its["drop_probability"]
        mark = its["ecn_min_threshold"], its["ecn_max_threshold"], its["ecn_mark_probability"]
        assert not its["weight"]
        return drop if its["enable"] else None, mark if its["ecn"] else None


def wanted(row: dict[str, str], colour: str) -> Judged:
    """What a row says of packets of a colour."""

    def ramp(prefix: str, share: str, otherwise: Ramp) -> Ramp:
        low, high, end = otherwise
        percent = row.get(share)
        return (
            int(row.get(f"{prefix}min_threshold", low)),
            int(row.get(f"{prefix}max_threshold", high)),
            end if percent is None else round(int(percent) * ONE / 100),
        )

    drop = ramp(f"{colour}_", f"{colour}_drop_probability", (0, 0, ONE))
    mark = ramp(f"ecn_{colour}_", f"ecn_{colour}_mark_probability", drop)
    marks = row.get("ecn", "ecn_none")
    return (
        drop if row.get(f"wred_{colour}_enable") == "true" else None,
        mark if colour in marks.split("_") or marks == "ecn_all" else None,
    )


def of_queues(tables: dict[str, Any], port: str) -> dict[int, dict[str, str]]:
    """The row of each queue of a port that has one."""
    found: dict[int, dict[str, str]] = {}
    for key, row in tables["QUEUE"].items():
        of, _, numbers = key.partition("|")
        first, _, last = numbers.partition("-")
        if of == port and row:
            found |= dict.fromkeys(
                range(int(first), int(last or first) + 1), tables["WRED_PROFILE"][row["wred_profile"]]
            )
    return found


def listed(dscps: tuple[int, ...]) -> str:
    return ",".join(map(str, dscps))


def imported(sluice: Sluice, tmp_path: Path, *options: str) -> dict[str, Any]:
    result = tmp_path / "words.json"
    status, _, err = sluice("profile", "import", str(COLOURS_JSON), "--json", str(result), *options)
    assert status == 0, err
    found: dict[str, Any] = json.loads(result.read_text())
    return found


def replay(tile: Tile, found: dict[str, Any]) -> None:
    for word in found["words"]:
        assert tile.names[word["address"]] == word["name"]
        tile.write(word["address"], word["word"])


def check(tile: Tile, port: str, yellow: tuple[int, ...], red: tuple[int, ...]) -> None:
    """Each DSCP in each queue of the port, and in some that have no profile, against the file."""
    rows = of_queues(json.loads(COLOURS_JSON.read_text()), port)
    for queue in {*rows, 4, 6, 1022}:
        for dscp in range(64):
            colour = "yellow" if dscp in yellow else "red" if dscp in red else "green"
            of_none = (0, 0, ONE), None  # as after a reset
            assert tile.judged(queue, dscp) == (wanted(rows[queue], colour) if queue in rows else of_none), (
                queue,
                dscp,
            )


@pytest.mark.parametrize("port", ["Ethernet0", "Ethernet4", "Ethernet8"])
@pytest.mark.parametrize(
    ("yellow", "red"), [(YELLOW, RED), (YELLOW, ()), ((), RED), ((0, 15, 16, 47), (1, 31, 32, 48, 63)), ((), ())]
)
def test_each_packet_gets_the_ramp_of_its_colour(
    sluice: Sluice, tmp_path: Path, port: str, yellow: tuple[int, ...], red: tuple[int, ...]
) -> None:
    options = [*(["--yellow", listed(yellow)] if yellow else []), *(["--red", listed(red)] if red else [])]
    found = imported(sluice, tmp_path, "--port", port, *options)
    tile = Tile()
    replay(tile, found)
    check(tile, port, yellow, red)
    assert (found["yellow"], found["red"]) == ([*yellow], [*red])


def test_a_tile_that_was_set_before(sluice: Sluice, tmp_path: Path) -> None:
    """The second set of colours holds, and without one the first goes on; queues without a profile have none."""
    tile = Tile()
    replay(tile, imported(sluice, tmp_path, "--port", "Ethernet4", "--yellow", "1,2", "--red", "3"))
    replay(tile, imported(sluice, tmp_path, "--port", "Ethernet0", "--yellow", listed(YELLOW), "--red", listed(RED)))
    check(tile, "Ethernet0", YELLOW, RED)
    replay(tile, imported(sluice, tmp_path, "--port", "Ethernet0"))
    check(tile, "Ethernet0", YELLOW, RED)


def test_equal_sets_share_a_number(sluice: Sluice, tmp_path: Path) -> None:
    """Of one row or of several, in the order of the names and then of the colours, and each says whose it is."""
    found = imported(sluice, tmp_path, "--port", "Ethernet0", "--yellow", listed(YELLOW))["words"]
    assert [(word["word"], word["of"]) for word in found if word["name"] == "profile"] == [
        (1, "EXACT"),
        (2, "GRADED, green"),
        (3, "GRADED, yellow"),
        (4, "GRADED, red; HALVED, yellow and red"),
        (5, "HALVED, green; PLAIN, green"),
        (6, "PLAIN, yellow and red"),
    ]
    assert {word["of"]: word["word"] for word in found if word["name"] == "SELECTED_PROFILE"} == {
        "queue 0": 0x432,
        "queue 1": 0x445,
        "queue 2": 0x445,
        "queue 3": 0x111,
        "queue 5": 0x665,
        "queue 1023": 0x432,
    }


def test_the_colours_are_a_set_of_their_own(sluice: Sluice, tmp_path: Path) -> None:
    """The drop precedences of RFC 2597; without a colour there is no such word."""
    options = "--port", "Ethernet4", "--yellow", listed(YELLOW), "--red", listed(RED)
    found = [(word["name"], word["word"]) for word in imported(sluice, tmp_path, *options)["words"]]
    assert found[:5] == [
        ("dscp_colours0", 1 << 24 | 2 << 28),
        ("dscp_colours1", 1 << 8 | 2 << 12 | 1 << 24 | 2 << 28),
        ("dscp_colours2", 1 << 8 | 2 << 12),
        ("dscp_colours3", 0),
        ("COMMIT", 1),
    ]
    without = imported(sluice, tmp_path, "--port", "Ethernet4")["words"]
    assert found[5:] == [(word["name"], word["word"]) for word in without]


@pytest.mark.parametrize(
    ("options", "of_graded", "of_halved"),
    [
        ([], "yellow and red packets hold for none, as all packets are green", "yellow and red"),
        (["--yellow", "1"], "red packets hold for none, as no DSCP is red", "red"),
        (["--red", "1"], "yellow packets hold for none, as no DSCP is yellow", "yellow"),
    ],
)
def test_numbers_that_hold_for_no_packet_are_said(
    sluice: Sluice, tmp_path: Path, options: list[str], of_graded: str, of_halved: str
) -> None:
    """Of the port's profiles, where they differ from those for green packets."""
    notes = imported(sluice, tmp_path, "--port", "Ethernet0", *options)["notes"]
    assert [note.partition(":")[0] for note in notes] == [f"WRED_PROFILE|{of}" for of in ("GRADED", "HALVED", "PLAIN")]
    assert notes[0] == f"WRED_PROFILE|GRADED: its numbers for {of_graded}"
    assert f"its numbers for {of_halved} packets hold for none" in notes[1]
    assert not imported(sluice, tmp_path, "--port", "Ethernet4", *options)["notes"]


def test_nothing_to_say_where_all_colours_are_there(sluice: Sluice, tmp_path: Path) -> None:
    assert not imported(sluice, tmp_path, "--port", "Ethernet0", "--yellow", "1", "--red", "2")["notes"]


@pytest.mark.parametrize("sets", [15, 16])
def test_no_more_sets_than_the_tile_has(sluice: Sluice, tmp_path: Path, sets: int) -> None:
    """Fifteen beside that of queues without a profile, however few the profiles are."""
    shares = [str(min(number, sets - 1)) for number in range(18)]
    profiles = {
        f"P{row}": {f"{colour}_drop_probability": shares.pop() for colour in ("green", "yellow", "red")}
        for row in range(6)
    }
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps({"WRED_PROFILE": profiles}))
    status, out, err = sluice("profile", "import", str(file))
    if sets > 15:
        assert (status, out) == (2, "")
        assert err == "sluice: wred-1k has 15 profiles beside that of queues without one, and 16 are wanted\n"
    else:
        assert (status, out.count("COMMIT")) == (0, 15)


def test_others_may_ask_for_a_ports_words() -> None:
    """Twice the same, of a switch that stays as it was; and colours that cannot be are refused as on the command line."""
    switch, registers = words.load(COLOURS_JSON), RegisterMap.load(paths.register_map("wred-1k"))
    colours = Colours(frozenset(YELLOW), frozenset(RED))
    first = words.of_port(switch, registers, "Ethernet0", colours)
    assert first == words.of_port(switch, registers, "Ethernet0", colours)
    assert switch == words.load(COLOURS_JSON)
    with pytest.raises(UserError, match="there is no DSCP 64, only 0 to 63"):
        Colours(red=frozenset({64}))
    with pytest.raises(UserError, match="DSCP 12 cannot be yellow and red"):
        Colours(frozenset({12}), frozenset({12}))
