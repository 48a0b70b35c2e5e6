# SPDX-License-Identifier: Apache-2.0
"""Registers over a terminal, against a board that is a thread."""

from __future__ import annotations

import os
import select
import shutil
import threading
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sluice.driver.serial_host import SerialHost, terminal
from sluice.hardware.registers import RegisterMap
from sluice.support.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
BOARD = "lattice-versa-ecp5"


@pytest.fixture
def registers(project: Path) -> RegisterMap:
    """The board's map, which the project has too."""
    folder = project / "build" / "rtl" / BOARD
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "build" / "rtl" / BOARD / "registers.json", folder)
    return RegisterMap.load(folder / "registers.json")


@pytest.fixture
def board(registers: RegisterMap) -> Iterator[tuple[Path, dict[int, int]]]:
    """A terminal and the words behind it, 0 but for DIGEST."""
    addresses = registers.addresses
    words = dict.fromkeys(range(0, 0x1000, 4), 0) | {addresses["DIGEST"]: registers.digest}
    del words[0x7FC]
    mine, theirs = os.openpty()
    tty.setraw(theirs)

    is_over = threading.Event()

    def answer() -> None:
        while not is_over.is_set():
            if not select.select([mine], [], [], 0.05)[0]:
                continue
            high, low = os.read(mine, 1)[0], os.read(mine, 1)[0]
            address = (high & 0xF) << 8 | low
            status = b"\0" if address in words else b"\2"
            if high & 0x80:
                words[address] = int.from_bytes(b"".join(os.read(mine, 1) for _ in range(4)), "little")
                words[addresses["COMMIT"]] = words[addresses["REFUSED"]] = 0
                os.write(mine, status)
            else:
                os.write(mine, status + words.get(address, 0).to_bytes(4, "little"))

    thread = threading.Thread(target=answer)
    thread.start()
    yield Path(os.ttyname(theirs)), words
    is_over.set()
    thread.join()
    os.close(theirs)
    os.close(mine)


def test_words_come_and_go_and_refusals_are_told(board: tuple[Path, dict[int, int]]) -> None:
    device, words = board
    host = SerialHost(terminal(str(device)))
    host.write(0x124, 0x89ABCDEF)
    assert words[0x124] == host.read(0x124) == 0x89ABCDEF
    with pytest.raises(UserError, match="0x7fc"):
        host.read(0x7FC)


def test_the_command_sets_and_shows(
    sluice: Callable[..., tuple[int, str, str]], registers: RegisterMap, board: tuple[Path, dict[int, int]]
) -> None:
    device, words = board
    words[registers.counters["received_packets"]] = 1234
    status, out, error = sluice("board", BOARD, str(device), "--set", "ns_per_byte=80")
    assert status == 0, error
    assert words[registers.parameter("ns_per_byte").address] == 80 << 18
    assert "1,234" in out
    words[registers.addresses["DIGEST"]] ^= 1
    status, _, error = sluice("board", BOARD, str(device))
    assert (status, "other registers" in error) == (2, True)


@pytest.mark.usefixtures("registers")
def test_no_line_and_a_silent_one_are_mistakes(sluice: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    status, _, error = sluice("board", BOARD, str(tmp_path / "none"))
    assert (status, "cannot open" in error) == (2, True)
    mine, theirs = os.openpty()
    device = os.ttyname(theirs)
    host = SerialHost(terminal(device))
    with pytest.raises(UserError, match="does not answer"):
        host.read(0)
    os.close(mine)
    with pytest.raises(UserError, match=device):
        host.read(0)
    os.close(theirs)
