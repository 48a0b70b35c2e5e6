# SPDX-License-Identifier: Apache-2.0
"""The command of a live run: a machine in QEMU whose driver sets the datapath through a PCI device, while TCP goes through it.

sluice live red -- python sim/live/qemu/demo.py KERNEL INITRAMFS
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from pci_device import PciDevice

from sluice.driver.device import Device
from sluice.driver.directions import Direction, directions
from sluice.driver.watch.look import Look, take

_QEMU = "qemu-system-x86_64"
_TRAFFIC = str(Path(__file__).parents[1] / "tests" / "live_traffic.py")
_MOST_S = 240


def machine(kernel: str, initramfs: str, link: int) -> list[str]:
    """A small one, whose third device is whoever is at the other end of the link."""
    return [
        _QEMU, "-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio", "-machine", "q35,memory-backend=ram",
        "-m", "128", "-object", "memory-backend-memfd,id=ram,size=128M,share=on", "-kernel", kernel, "-initrd", initramfs,
        "-append", "console=ttyS0 quiet panic=-1", "-device", f"x-pci-proxy-dev,id=sluice,addr=3,fd={link}",
    ]  # fmt: skip


def run(kernel: str, initramfs: str, registers: Device) -> tuple[str, int, float]:
    """What the guest said, how often it read or wrote a register, and how long all of it took."""
    ours, theirs = socket.socketpair()
    device = PciDevice(ours, registers)
    serving = threading.Thread(target=device.serve)
    begin_s = time.monotonic()
    with subprocess.Popen(
        machine(kernel, initramfs, theirs.fileno()),
        pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
    ) as qemu:  # fmt: skip
        theirs.close()
        serving.start()
        try:
            said, _ = qemu.communicate(timeout=_MOST_S)
        except subprocess.TimeoutExpired:
            qemu.kill()
            said, _ = qemu.communicate()
    serving.join()
    return said, device.accesses, time.monotonic() - begin_s


def tell(text: str) -> None:
    """A line."""
    print(text, flush=True)


def beside(direction: Direction, kernel: str, initramfs: str) -> tuple[Look, Look, str]:
    """Looks before and behind the guest's run, with TCP all the while; and what the guest said."""
    with subprocess.Popen([sys.executable, _TRAFFIC, "tcp", str(_MOST_S), "1"], stderr=subprocess.DEVNULL) as traffic:
        before = take(direction)
        with Device(f"unix:{os.environ['SLUICE_SOCKET']}") as registers:
            said, accesses, seconds = run(kernel, initramfs, registers)
        after = take(direction)
        traffic.kill()
    tell(f"{accesses} accesses of the guest to the BAR; {seconds:.1f} s from power on to power off")
    return before, after, said


def main(kernel: str, initramfs: str) -> int:
    """Returns 0 if what the guest has set is in force, and what it has read are the counters of that time."""
    with directions(f"unix:{os.environ['SLUICE_SOCKET']}") as (direction, *_):
        before, after, said = beside(direction, kernel, initramfs)
    read = {
        name: int(value)
        for name, _, value in (line.strip().partition(" ") for line in said.splitlines())
        if value.isdigit()
    }
    name = "received_packets"
    is_sound = before.counters[name] < read.get(name, -1) < after.counters[name]
    for looked in ("min", "max", "probability", "ecn"):
        tell(f"{looked}: {before.parameters[looked]:g} before, {after.parameters[looked]:g} after")
    tell(f"{name}: {before.counters[name]} before, {read.get(name)} read by the guest, {after.counters[name]} after")
    is_set = (after.parameters["min"], after.parameters["max"], after.parameters["ecn"]) == (20, 60, 1)
    if not (is_sound and is_set):
        tell(f"the guest said:\n{said}")
    return 0 if is_sound and is_set else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
