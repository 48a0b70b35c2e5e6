# SPDX-License-Identifier: Apache-2.0
"""What a run of Linux' own TCP through a datapath is told: parameters as register words, and the process that has them."""

from __future__ import annotations

import json
import os
import socket
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sluice import paths
from sluice.errors import UserError
from sluice.packets import replay
from sluice.packets.datapath import Datapath
from sluice.packets.datapaths import DatapathConfig
from sluice.registers import RegisterMap, TileDriver

FRAME_BYTES = 1514
"""A full one, without preamble, check sequence and gap."""


def parameters(chosen: DatapathConfig, rate_bps: float, settings: Mapping[str, float]) -> dict[str, float]:
    """All that is set, the link's rate and what follows from it among them; a user error if the datapath refuses it."""
    registers = RegisterMap.load(chosen.register_map)
    wire_bytes = FRAME_BYTES + replay.ETHERNET_OVERHEAD
    facts = {"packet_bytes": FRAME_BYTES, "rate_bps": rate_bps, "rate_pps": rate_bps / 8 / wire_bytes}
    wanted = {**replay.link(registers, rate_bps), **registers.following(facts), **settings}
    datapath = Datapath(chosen.library)
    try:
        TileDriver(datapath, registers).configure(wanted)
    finally:
        datapath.close()
    return wanted


def words(chosen: DatapathConfig, values: Mapping[str, float]) -> list[str]:
    """The words of `build/live/sluice-live` for a datapath with these parameters."""
    registers = RegisterMap.load(chosen.register_map)
    told = ["--datapath", chosen.name, "--library", str(chosen.library), "--digest", str(chosen.digest)]
    for name, value in values.items():
        field = registers.parameter(name)
        told += ["--word", f"{field.address}={field.raw(value)}", "--parameter", f"{name}={json.dumps(value)}"]
    for reason in json.loads(chosen.register_map.read_text())["reasons"]:
        told += [f"--{reason['action']}", f"{reason['code']}={reason['name']}"]
    return told


def sockets() -> Path:
    """The folder of the sockets at which runs serve their registers, this user's alone; made if it was not there."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) / "sluice" if runtime else Path(tempfile.gettempdir()) / f"sluice-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror}") from None
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UserError(f"{folder} is not a folder of yours alone; name another place by --socket")
    return folder


def new_socket() -> Path:
    """The place for the socket of the run that this process becomes. Those of runs that have been killed are removed."""
    folder = sockets()
    for left_behind in folder.glob("*.sock"):
        if not _is_served(left_behind):
            left_behind.unlink(missing_ok=True)
    return folder / f"{os.getpid()}.sock"


def served_sockets() -> list[Path]:
    """Those of this user's runs."""
    return [path for path in sorted(sockets().glob("*.sock")) if _is_served(path)]


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.settimeout(1)  # one that stands still is there
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            pass
    return True


def program() -> str:
    """The process, built if it was not there."""
    return str(paths.made(paths.build() / "live" / "sluice-live"))
