# SPDX-License-Identifier: Apache-2.0
"""The C driver before a Verilated tile of a thousand queues: the counters of one of them."""

from __future__ import annotations

import errno
import subprocess

import pytest
from built import built
from driver_shell import Shell
from registers_host import Serve

from sluice.support import paths

ARRIVALS = 700
QUEUES = 7
"""queues-shell.c gives packet i to queue 100 (i % 7)."""


@pytest.fixture(scope="module", autouse=True)
def programs() -> None:
    """The shell before a tile, and the tile."""
    built(paths.build() / "driver" / "queues-shell")
    built(paths.model("droptail-1k"))


def said(*queues: int, missing: int = 0) -> list[tuple[int, str, dict[str, int]]]:
    """For each queue the error, what is said of it, and the counters."""
    program = paths.build() / "driver" / "queues-shell"
    command = [str(program), str(paths.model("droptail-1k")), str(missing), *map(str, queues)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        error, _, rest = line.partition(" ")
        counters = dict(word.split("=") for word in rest.split() if "=" in word)
        found.append((int(error), rest, {name: int(value) for name, value in counters.items()}))
    return found


def test_each_queue_has_its_own_and_all_add_up() -> None:
    every = [100 * number for number in range(QUEUES)]
    found = said(*every, 3)
    assert [error for error, _, _ in found] == [0] * (QUEUES + 1)
    *used, unused = (counters for _, _, counters in found)
    assert [c["selected_accepted_packets"] for c in used] == [ARRIVALS // QUEUES] * QUEUES
    assert [c["selected_accepted_bytes"] for c in used] == [
        sum(64 + i for i in range(ARRIVALS) if i % QUEUES == number) for number in range(QUEUES)
    ]
    for counters in used:
        for what in ("packets", "bytes"):
            left = counters[f"selected_departed_{what}"] + counters[f"selected_{what}"]
            assert counters[f"selected_accepted_{what}"] == left
        assert counters["selected_packets"] <= counters["selected_most_packets"] <= ARRIVALS // QUEUES
    assert sum(c["selected_departed_packets"] for c in used) == used[0]["departed_packets"] == -(-ARRIVALS // 3)
    assert not any(value for name, value in unused.items() if name.startswith("selected_"))


def test_it_asks_again_until_they_are_there() -> None:
    assert said(300, missing=999) == said(300)
    [(error, message, _)] = said(300, missing=1000)
    assert (-error, message) == (errno.ETIMEDOUT, "no clock is free to read the counters of queue 300")


def test_a_queue_that_there_is_not(serve: Serve) -> None:
    [(error, message, _)] = said(1024)
    assert (-error, message) == (errno.ERANGE, "queue 1024 is outside 0..1023")
    host = serve("red-64")
    with Shell().open(host.path) as shell:
        assert shell.ask("snapshot", 0) == ("ENOENT", "red-64 has no counters of single queues")
