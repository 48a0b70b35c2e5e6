# SPDX-License-Identifier: Apache-2.0
"""`sluice tc` and the binding below it, over the socket of Verilated registers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from built import built
from registers_host import Host, Serve

from sluice.driver.device import Device, DriverError
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.support import paths

RED = "limit 400000 min 30000 max 90000 avpkt 1000 burst 55 probability 0.1 bandwidth 10mbit ecn"


@pytest.fixture
def host(serve: Serve) -> Host:
    """RED one way, CoDel the other."""
    built(paths.build() / "driver" / "libsluice.so")
    return serve("red-512", "codel-512")


def tc(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command, for the run with that socket."""
    command = [Path(sys.executable).with_name("sluice"), "tc", *" ".join(words).split()]
    environment = os.environ | {"SLUICE_SOCKET": str(path)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def shown(path: Path, *words: str) -> Any:
    """What it prints as JSON."""
    done = tc(path, "-j", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_set_and_shown(host: Host) -> None:
    """What a command line sets is in force as one set, and shown as tc would show it; the other direction stays."""
    before = shown(host.path, "qdisc show dev backward")
    assert tc(host.path, "qdisc replace dev forward root red", RED).returncode == 0
    red, codel = shown(host.path, "-s -d qdisc show")
    assert (red["kind"], red["dev"], red["handle"], red["root"], red["refcnt"]) == ("red", "forward", "8001:", True, 2)
    assert red["options"] == {
        "limit": 400000, "min": 30000, "max": 90000, "ecn": True, "harddrop": False, "adaptive": False, "nodrop": False,
        "ewma": 5, "probability": 0.1, "Scell_log": 15,
    }  # fmt: skip
    assert (red["packets"], red["qlen"], red["pdrop"]) == (0, 0, 0)
    assert (codel["kind"], codel["dev"], codel["handle"]) == ("codel", "backward", "8002:")
    assert tc(host.path, "qdisc change dev backward root codel target 2ms ce_threshold 1ms ecn").returncode == 0
    (after,) = shown(host.path, "qdisc show dev backward")
    assert after["options"] == before[0]["options"] | {"target": 1999, "ce_threshold": 999, "ecn": True}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("qdisc replace dev forward root codel", "forward is red; codel is another run: sluice live codel"),
        ("qdisc replace dev forward root red limit 9k avpkt 100 min 9k max 9k burst 200", "min_below_max"),
        ("qdisc replace dev forward root red limit 4gb avpkt 1000", 'Illegal "limit"'),
        ("qdisc replace dev forward root red limit 3gb max 60k avpkt 1000", "limit_bytes="),
        ("qdisc replace dev forward root red", "RED: Required parameter (limit, avpkt) is missing"),
        ("qdisc replace dev forward red", "say replace dev NAME root KIND ..."),
        ("qdisc replace dev", "Command line is not complete"),
        ("qdisc show dev eth0", 'Cannot find device "eth0"; there is forward and backward'),
        ("qdisc show forward", 'What is "forward"?'),
        ("qdisc del dev forward root", 'Command "del" is unknown here'),
        ("filter show", "no classes and filters"),
    ],
)
def test_mistakes(host: Host, words: str, says: str) -> None:
    """One line each, and nothing is changed."""
    before = tc(host.path, "-d qdisc show").stdout
    done = tc(host.path, words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
    assert tc(host.path, "-d qdisc show").stdout == before


def test_the_binding(host: Host) -> None:
    """Words and names through the C driver; its errors by their names; its lock keeps another from writing."""
    registers = RegisterMap.load(paths.made(paths.register_map("red-512")))
    with Device(f"unix:{host.path}") as device, Device(f"unix:{host.path}#0") as other:
        tile = TileDriver(device, registers)
        tile.configure({"min": 20, "max": 60.5})
        assert (tile.read_parameter("min"), tile.read_parameter("max")) == (20, 60.5)
        assert set(tile.snapshot()) == set(registers.counters)
        with device.locked(), pytest.raises(DriverError) as refused:
            other.write(registers.addresses["COMMIT"], 1)
        assert refused.value.code == "EBUSY"
        other.write(registers.addresses["COMMIT"], 1)
        with pytest.raises(DriverError, match="refuse the read at address 0x7fc") as refused:
            device.read(0x7FC)
        assert refused.value.code == "EIO"
    with pytest.raises(DriverError) as refused:
        Device(f"unix:{host.path}#2")
    assert refused.value.code == "EPROTO"


def test_without_a_run(tmp_path: Path) -> None:
    """It says what to do."""
    environment = {key: value for key, value in os.environ.items() if key != "SLUICE_SOCKET"}
    command = [Path(sys.executable).with_name("sluice"), "tc", "qdisc", "show"]
    environment["XDG_RUNTIME_DIR"] = str(tmp_path)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "sluice: there is no live run; name a socket by --socket\n")
    done = tc(tmp_path / "nothing", "qdisc show")
    assert (done.returncode, done.stderr) == (2, f"sluice: unix:{tmp_path}/nothing#0: No such file or directory\n")
