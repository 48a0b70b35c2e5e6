# SPDX-License-Identifier: Apache-2.0
"""Profiles of switches as register words: what is carried, what is said of the rest, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from sluice.support import paths

HERE = Path(__file__).parent
SMALL, OLDER = HERE / "small.json", HERE / "older.json"
ONE = 1 << 31
SHARED = "its queues of strict priority the lowest 2 share a level"
Sluice = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.skipif(not paths.register_map("wred-1k").exists(), reason="needs make rtl")


def imported(sluice: Sluice, tmp_path: Path, file: Path, *options: str) -> tuple[list[tuple[str, int]], list[str]]:
    """Registers and words, in their order, and the notes."""
    result = tmp_path / "words.json"
    status, out, err = sluice("profile", "import", str(file), "--json", str(result), *options)
    assert status == 0, err
    found = json.loads(result.read_text())
    assert out.splitlines() == [
        f"0x{w['address']:03X} 0x{w['word']:08X}  {w['name']} of {w['of']}" for w in found["words"]
    ]
    assert err.splitlines() == [f"not carried: {note}" for note in found["notes"]]
    return [(word["name"], word["word"]) for word in found["words"]], found["notes"]


def profile(number: int, low: int, high: int, per_cent: int, *, ecn: int) -> list[tuple[str, int]]:
    """The words of a profile of which marks have the drops' thresholds."""
    probability = round(per_cent * ONE / 100)
    return [
        ("profile", number),
        ("enable", 1),
        ("min_threshold", low),
        ("max_threshold", high),
        ("drop_probability", probability),
        ("ecn", ecn),
        ("ecn_min_threshold", low),
        ("ecn_max_threshold", high),
        ("ecn_mark_probability", probability),
        ("weight", 0),
        ("COMMIT", 1),
    ]


def nothing(number: int) -> list[tuple[str, int]]:
    """The words of a profile of which a file says nothing."""
    return [(name, 0 if name == "enable" else word) for name, word in profile(number, 0, 0, 100, ecn=0)]


def queue(number: int, profile_number: int, quantum: int, alpha: int = 0) -> list[tuple[str, int]]:
    return [
        ("QUEUE_SELECT", number),
        ("SELECTED_PROFILE", profile_number),
        ("SELECTED_QUANTUM", quantum),
        ("SELECTED_ALPHA", alpha),
    ]


def test_a_port_of_a_switch(sluice: Sluice, tmp_path: Path) -> None:
    """Profiles in the order of their names from 1 on, of each its sets, then each queue with its shares of link and buffer."""
    words, notes = imported(sluice, tmp_path, SMALL, "--port", "Ethernet0")
    bulk, lossless = profile(1, 20_000, 60_000, 7, ecn=0) + nothing(2), profile(3, 250_000, 1_000_000, 5, ecn=1)
    first = queue(0, 0x221, 1514, 8), queue(1, 0, 0, 8), queue(2, 0, 0, 8)
    queues = *first, queue(3, 0x333, 3785, 12), queue(4, 0x333, 3785)
    assert words == bulk + lossless + [word for its in queues for word in its]
    assert notes == [
        "WRED_PROFILE|BULK: its numbers for yellow and red packets hold for none, as all packets are green",
        *(
            f"BUFFER_PROFILE|{profile}: {field} is not carried"
            for profile, rest in (("fixed", "static_th=100000"), ("lossless", ""), ("lossy", ""))
            for field in ("pool=egress", "size=0", rest)
            if field
        ),
        "PORT: the table is not read",
    ]


def test_another_port(sluice: Sluice, tmp_path: Path) -> None:
    """It uses no profile."""
    assert imported(sluice, tmp_path, SMALL, "--port", "Ethernet4")[0] == [
        *queue(0, 0, 1514, 8),
        *queue(1, 0, 0, 8),
        *queue(2, 0, 0, 8),
    ]


def test_a_file_that_says_no_queue(sluice: Sluice, tmp_path: Path) -> None:
    """All its profiles are set, and what it says of the buffer."""
    tables = json.loads(SMALL.read_text())
    del tables["QUEUE"]
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(tables))
    words, _ = imported(sluice, tmp_path, file, "--port", "Ethernet4")
    profiles = profile(1, 20_000, 60_000, 7, ecn=0) + nothing(2) + profile(3, 250_000, 1_000_000, 5, ecn=1)
    assert words == [*profiles, *queue(0, 0, 0, 8), *queue(1, 0, 0, 8), *queue(2, 0, 0, 8)]


def test_a_tile_of_one_queue(sluice: Sluice, tmp_path: Path) -> None:
    """It has numbers of one colour, and the others' are noted."""
    words, notes = imported(sluice, tmp_path, SMALL, "--config", "wred", "--profile", "LOSSLESS")
    assert words == profile(0, 250_000, 1_000_000, 5, ecn=1)[1:]
    assert notes[:3] == [
        "WRED_PROFILE|BULK: yellow packets are judged as green ones, by other numbers than their own",
        "WRED_PROFILE|BULK: red packets are judged as green ones, by other numbers than their own",
        "BUFFER_PROFILE|fixed: pool=egress is not carried",
    ]


def test_what_cannot_be_carried_is_said(sluice: Sluice, tmp_path: Path) -> None:
    """Older names of rows, marks by thresholds of their own, schedulers that the hardware has not."""
    words, notes = imported(sluice, tmp_path, OLDER, "--port", "Ethernet8")
    assert words[:11] == [
        ("profile", 1),
        ("enable", 1),
        ("min_threshold", 0),
        ("max_threshold", 0),
        ("drop_probability", ONE),
        ("ecn", 1),
        ("ecn_min_threshold", 5000),
        ("ecn_max_threshold", (1 << 26) - 1),
        ("ecn_mark_probability", round(ONE / 100)),
        ("weight", 0),
        ("COMMIT", 1),
    ]
    assert words[11:16] == [
        ("profile", 2),
        ("enable", 1),
        ("min_threshold", 1000),
        ("max_threshold", 2000),
        ("drop_probability", ONE),
    ]
    assert words[22:] == nothing(3) + queue(5, 0x321, 1514) + queue(6, 0, 3 * 1514)
    assert [note.partition(":")[0] for note in notes] == [
        "WRED_PROFILE|ONLY",
        "QUEUE|Ethernet8",
        "WRED_PROFILE|ONLY",
        "SCHEDULER|second",
        "SCHEDULER|second",
    ]


@pytest.mark.parametrize(
    ("strict", "others", "shares", "levels", "says"),
    [
        ((5,), (6,), (), {5: 7, 6: 0}, []),
        ((2, 7), (0, 3), (), {2: 6, 7: 7, 0: 0, 3: 0}, []),
        (range(8), (), (), {queue: queue for queue in range(8)}, []),
        (range(8), (9,), (), {0: 1, 1: 1, 2: 2, 7: 7, 9: 0}, [SHARED]),
        (range(8), (), (9,), {0: 1, 1: 1, 2: 2, 7: 7, 9: 0}, [SHARED]),
    ],
)
def test_strict_priority(
    sluice: Sluice,
    tmp_path: Path,
    strict: Iterable[int],
    others: Iterable[int],
    shares: Iterable[int],
    levels: dict[int, int],
    says: list[str],
) -> None:
    """A tile with levels has it: a queue of a higher number goes first, and one with a weight, or with nothing but a share of the
    buffer, last."""
    tables = json.loads(OLDER.read_text())
    tables["BUFFER_PROFILE"] = {"lossy": {"dynamic_th": "0"}}
    tables["BUFFER_QUEUE"] = {f"Ethernet8|{queue}": {"profile": "lossy"} for queue in shares}
    named = {"STRICT": strict, "WRR": others}
    kinds = {tables["SCHEDULER"][name]["type"]: name for name in tables["SCHEDULER"]}
    tables["QUEUE"] = {
        f"Ethernet8|{queue}": {"scheduler": kinds[kind]} for kind, queues in named.items() for queue in queues
    }
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(tables))
    words, notes = imported(sluice, tmp_path, file, "--port", "Ethernet8", "--config", "wred-1k-levels")
    selected = [word for name, word in words if name == "QUEUE_SELECT"]
    found = dict(zip(selected, (word for name, word in words if name == "SELECTED_LEVEL"), strict=True))
    assert found | levels == found
    assert [note.partition(" of ")[2] for note in notes if note.startswith("QUEUE")] == says


def test_where_packets_are_judged_changes_no_word(sluice: Sluice, tmp_path: Path) -> None:
    """The tile at the head takes those of the one at the arrival."""
    of_each = [
        imported(sluice, tmp_path, OLDER, "--port", "Ethernet8", "--config", c) for c in ("wred-1k", "wred-1k-head")
    ]
    assert of_each[0] == of_each[1]
    assert {"SELECTED_PROFILE", "SELECTED_QUANTUM"} < {name for name, _ in of_each[1][0]}


def test_another_colour(sluice: Sluice, tmp_path: Path) -> None:
    words, notes = imported(sluice, tmp_path, OLDER, "--config", "wred", "--colour", "yellow")
    assert words[:5] == [
        ("enable", 1),
        ("min_threshold", 1000),
        ("max_threshold", 2000),
        ("drop_probability", ONE),
        ("ecn", 0),
    ]
    assert notes[:2] == [
        f"WRED_PROFILE|ONLY: {other} packets are judged as yellow ones, by other numbers than their own"
        for other in ("green", "red")
    ]


def set_at(tables: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split("/")
    for key in way:
        tables = tables[key]
    tables[last] = value


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (
            "WRED_PROFILE/BULK/gren_min_threshold",
            "1",
            "unknown field 'gren_min_threshold'; did you mean green_min_threshold?",
        ),
        ("WRED_PROFILE/BULK/wred_green_enable", "True", "wred_green_enable='True' is neither true nor false"),
        ("WRED_PROFILE/BULK/green_min_threshold", "60001", "green_min_threshold is above green_max_threshold"),
        ("WRED_PROFILE/BULK/green_min_threshold", "-1", "is not a number from 0 to 18446744073709551615"),
        ("WRED_PROFILE/BULK/green_drop_probability", "101", "is not a number from 0 to 100"),
        ("WRED_PROFILE/BULK/ecn", "ecn_gren", "ecn='ecn_gren' is none of ecn_none, "),
        ("WRED_PROFILE/BULK/ecn_green_max_threshold", "70000", "and `ecn` does not mark these"),
        ("QUEUE/Ethernet0|0/wred_profile", "BULKY", "wred_profile='BULKY' names no row of WRED_PROFILE"),
        ("QUEUE/Ethernet0|0/scheduler", "[SCHEDULER|none]", "names no row of SCHEDULER"),
        ("QUEUE/Ethernet0|0/wred_profil", "BULK", "did you mean wred_profile?"),
        ("QUEUE/Ethernet0|first", {}, "the number of a queue"),
        ("QUEUE/Ethernet0|4-3", {}, "the range is empty"),
        ("QUEUE/Ethernet0|4", {}, "queue 4 of Ethernet0 is set twice"),
        ("QUEUE/Ethernet0|1024", {}, "wred-1k has 1024 queues"),
        ("SCHEDULER/heavy/weight", "0", "is not a number from 1 to 100"),
        ("SCHEDULER/heavy/type", "FIFO", "is none of DWRR, WRR, STRICT"),
        ("BUFFER_PROFILE/lossy/dynamic_th", "8", "dynamic_th='8' is none of -8, -7, "),
        ("BUFFER_PROFILE/lossy/dynamic", "1", "unknown field 'dynamic'"),
        ("BUFFER_QUEUE/Ethernet0|3/profile", "loss", "profile='loss' names no row of BUFFER_PROFILE"),
        ("BUFFER_QUEUE/Ethernet4|2", {}, "queue 2 of Ethernet4 is set twice"),
        ("WRED_PROFILE", [], "is not a config_db.json"),
        ("WRED_PROFILE/BULK", "x", "WRED_PROFILE|BULK is no row of fields"),
    ],
)
def test_mistakes_are_one_line(sluice: Sluice, tmp_path: Path, path: str, value: Any, says: str) -> None:
    tables = copy.deepcopy(json.loads(SMALL.read_text()))
    set_at(tables, path, value)
    file = tmp_path / "config_db.json"
    file.write_text(json.dumps(tables))
    status, out, err = sluice("profile", "import", str(file), "--port", "Ethernet0")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert says in err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "say which port: Ethernet0, Ethernet4"),
        (["--port", "Ethernet1"], "there is no port 'Ethernet1'; there are: Ethernet0, Ethernet4"),
        (["--config", "wred"], "say which profile: BULK, LOSSLESS"),
        (["--config", "red"], "red has no WRED profiles"),
        (["--port", "Ethernet0", "--colour", "green"], "--colour is for a tile of one queue"),
        (["--config", "wred", "--yellow", "0"], "--yellow and --red are for a tile of many queues"),
        (["--config", "wred", "--red", "0"], "--yellow and --red are for a tile of many queues"),
        (
            ["--port", "Ethernet0", "--yellow", "12,64"],
            "--yellow takes DSCPs with commas between them, and '64' is not a",
        ),
        (
            ["--port", "Ethernet0", "--red", "12,,14"],
            "--red takes DSCPs with commas between them, and '' is not a number",
        ),
        (["--port", "Ethernet0", "--red", ""], "and '' is not a number from 0 to 63"),
        (["--port", "Ethernet0", "--red", "-1"], "and '-1' is not a number from 0 to 63"),
        (["--port", "Ethernet0", "--yellow", "AF12"], "and 'AF12' is not a number from 0 to 63"),
        (["--port", "Ethernet0", "--yellow", "12,20", "--red", "20,14"], "DSCP 20 cannot be yellow and red"),
    ],
)
def test_what_is_meant_must_be_said(sluice: Sluice, options: list[str], says: str) -> None:
    status, out, err = sluice("profile", "import", str(SMALL), *options)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert says in err
