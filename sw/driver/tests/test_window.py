# SPDX-License-Identifier: Apache-2.0
"""The C driver over a window of memory: a file in the place of a BAR, whose words are those that the socket would carry."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from driver_shell import Shell
from registers_host import COMMIT, Serve

from sluice.hardware.registers import RegisterMap
from sluice.support import paths

IDENTITY = range(0, 0x28, 4)
"""ID to DIGEST."""

OFFSET = 0x1000


@pytest.fixture(scope="module")
def registers() -> RegisterMap:
    return RegisterMap.load(paths.made(paths.register_map("red-64")))


@pytest.fixture
def bar(tmp_path: Path, serve: Serve) -> Path:
    """A file with what the registers themselves say that they are, at an offset."""
    with Shell() as shell:
        shell.get("open", f"unix:{serve('red-64').path}")
        words = [int(shell.get("read", address)) for address in IDENTITY]
    words[COMMIT // 4] = 0
    file = tmp_path / "resource2"
    file.write_bytes(bytes(OFFSET) + struct.pack(f"<{len(words)}I", *words).ljust(0x1000, b"\0"))
    return file


def where(bar: Path) -> str:
    return f"pci:{bar.parent}/2+{OFFSET:#x}"


def word(bar: Path, address: int) -> int:
    return int.from_bytes(bar.read_bytes()[OFFSET + address :][:4], "little")


def test_words_are_written_where_the_map_has_them(bar: Path, registers: RegisterMap) -> None:
    """Staged as the other driver stages them. Memory commits nothing, and that is noticed."""
    with Shell() as shell:
        assert shell.get("open", where(bar)).split()[0] == "red"
        shell.get("bind", "red-64")
        error, says = shell.ask("configure", "min=20 max=60.5 probability=0.1")
        assert (error, says) == ("ETIMEDOUT", "red-64 does not finish a commit")
        for name, value in (("min", 20), ("max", 60.5), ("probability", 0.1)):
            field = registers.parameters[name]
            assert word(bar, field.address) == field.raw(value)
        assert word(bar, COMMIT) == 1
        shell.get("write", registers.parameters["limit"].address + registers.in_force_offset, 77)
        assert shell.get("get", "limit") == "77"


def test_a_device_has_one_owner(bar: Path) -> None:
    """A second one is turned away as long as the first is there."""
    with Shell() as one, Shell() as other:
        one.get("open", where(bar))
        assert other.ask("open", where(bar)) == ("EBUSY", "another has it")
    with Shell() as other:
        other.get("open", where(bar))


def test_what_is_no_hardware(bar: Path) -> None:
    """All ones, as of a device that has been pulled out, before and while it is open; another ID; addresses beyond the window."""
    whole = bar.read_bytes()
    with Shell() as shell:
        shell.get("open", where(bar))
        shell.get("bind", "red-64")
        assert shell.ask("read", 0x1000) == ("EIO", "0x1000 is no address of a word")
        assert shell.ask("write", 2, 0) == ("EIO", "0x2 is no address of a word")
        with bar.open("r+b") as file:
            file.write(b"\xff" * len(whole))
        assert shell.ask("get", "min") == ("ENODEV", "the device has gone")
    with Shell() as shell:
        assert shell.ask("open", where(bar))[0] == "ENODEV"
        assert shell.ask("open", f"pci:{bar.parent}/2")[0] == "ENODEV"
        assert shell.ask("open", f"pci:{bar.parent}/3")[0] == "ENOENT"
        assert shell.ask("open", f"uio:{bar.parent}/uio9")[0] == "ENOENT"
        bar.write_bytes(bytes(OFFSET + 0x1000))
        assert shell.ask("open", where(bar))[0] == "ENODEV"
