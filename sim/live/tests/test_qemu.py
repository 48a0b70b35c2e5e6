# SPDX-License-Identifier: Apache-2.0
"""A datapath as a PCI device: what QEMU hears of it, word for word, and a machine in QEMU whose driver sets it under traffic."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
from collections.abc import Iterator

import pytest
from pci_device import BAR_BYTES, DEVICE, VENDOR, PciDevice
from registers_host import Serve

from sluice.driver.device import Device
from sluice.hardware.registers import RegisterMap
from sluice.support import paths

ID, SLUC = 0, 0x534C5543
RETURNED, CONFIG_WRITE, CONFIG_READ, BAR_WRITE, BAR_READ = 1, 2, 3, 4, 5


class Machine:
    """QEMU's end of the link, byte by byte as it writes and reads its structures."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link

    def say(self, command: int, *fields: tuple[int, int]) -> None:
        """A message of numbers, each with its bytes."""
        said = b"".join(value.to_bytes(size, "little") for value, size in fields)
        self._link.sendall(command.to_bytes(4, "little") + bytes(4) + len(said).to_bytes(8, "little") + said)

    def ask(self, command: int, *fields: tuple[int, int]) -> int:
        """And its answer."""
        self.say(command, *fields)
        answer = self._link.recv(24, socket.MSG_WAITALL)
        assert answer[:16] == RETURNED.to_bytes(8, "little") + (8).to_bytes(8, "little")
        return int.from_bytes(answer[16:], "little")

    def config(self, address: int, size: int = 4) -> int:
        return self.ask(CONFIG_READ, (address, 4), (0, 4), (size, 4))

    def set_config(self, address: int, value: int, size: int = 4) -> None:
        self.ask(CONFIG_WRITE, (address, 4), (value, 4), (size, 4))

    def read(self, address: int, size: int = 4) -> int:
        return self.ask(BAR_READ, (address, 8), (0, 8), (size, 4), (1, 4))

    def write(self, address: int, value: int, size: int = 4) -> None:
        self.ask(BAR_WRITE, (address, 8), (value, 8), (size, 4), (1, 4))


@pytest.fixture
def machine(serve: Serve) -> Iterator[Machine]:
    """A machine with the registers of RED."""
    ours, theirs = socket.socketpair()
    with Device(f"unix:{serve('red-64').path}") as registers:
        serving = threading.Thread(target=PciDevice(theirs, registers).serve)
        serving.start()
        yield Machine(ours)
        ours.close()
        serving.join(timeout=5)
        assert not serving.is_alive(), "it ends with the machine"


def test_what_it_says_of_itself(machine: Machine) -> None:
    """Who it is, that its BAR is memory of 4 KiB, and nothing else can be written but what a bus has to."""
    assert machine.config(0) == DEVICE << 16 | VENDOR
    assert machine.config(0x0A, 2) == 0x0280
    machine.set_config(0x10, 0xFFFFFFFF)
    assert machine.config(0x10) == -BAR_BYTES & 0xFFFFFFFF
    machine.set_config(0x10, 0xFEBD1000)
    machine.set_config(0x04, 0xFFFF, 2)
    machine.set_config(0x00, 0)
    for bar in range(0x14, 0x28, 4):
        machine.set_config(bar, 0xFFFFFFFF)
        assert machine.config(bar) == 0
    assert (machine.config(0x10), machine.config(0x04, 2), machine.config(0)) == (
        0xFEBD1000,
        0x0406,
        DEVICE << 16 | VENDOR,
    )
    assert machine.config(0x100) == 0xFFFFFFFF


def test_registers_behind_the_bar(machine: Machine) -> None:
    """At the guest's own addresses; what the registers refuse reads all ones, and so does less than a word."""
    base = 0xFEBD1000
    its = RegisterMap.load(paths.made(paths.register_map("red-64")))
    assert machine.read(base + ID) == SLUC
    least = its.parameters["min"].address
    machine.write(base + least, 12345)
    assert machine.read(base + least) == 12345
    assert machine.read(base + 0x7FC) == 0xFFFFFFFF
    machine.write(base + 0x7FC, 1)
    assert (machine.read(base + ID, 1), machine.read(base + ID, 2)) == (0xFF, 0xFFFF)
    assert machine.read(base + least) == 12345


def test_what_is_not_answered(machine: Machine) -> None:
    """The guest's memory and its interrupts, whose descriptors are closed; what follows is answered."""
    own, other = socket.socketpair()
    head = (0).to_bytes(8, "little") + (192).to_bytes(8, "little")
    socket.send_fds(machine._link, [head + bytes(192)], [other.fileno()])
    other.close()
    assert machine.config(0, 2) == VENDOR
    assert own.recv(1) == b"", "nobody has it any more"


@pytest.mark.usefixtures("allowed")
def test_a_driver_in_a_guest() -> None:
    """The page's program finds SLUC behind the BAR, sets RED while TCP goes through it, and reads counters of that time."""
    done = subprocess.run(
        ["make", "-s", "demo-qemu"],
        cwd=paths.root(),
        env=paths.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if " here; " in done.stdout:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "min: 5 before, 20 after" in done.stdout
    before, read, after = map(int, re.findall(r"\d+", done.stdout.partition("received_packets: ")[2]))
    assert before < read < after
