# SPDX-License-Identifier: Apache-2.0
"""Live runs of this user: how they are found, where a new one says that it is there, and the namespaces that one may enter."""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sluice.support.errors import UserError

SIDES = ("left", "right")
"""The namespaces of a run."""

_UNKNOWN = -1
"""A process."""


@dataclass(frozen=True)
class Run:
    """What a run says of itself."""

    pid: int
    datapath: str
    socket: Path
    left: str
    right: str
    since: int
    """Unix time."""

    def entering(self, side: str, command: Sequence[str]) -> list[str]:
        """The command line that runs another one in one of its namespaces."""
        words = ["nsenter", f"--net={getattr(self, side)}"]
        user = f"/proc/{self.pid}/ns/user"
        if Path(user).readlink() != Path("/proc/self/ns/user").readlink():  # it is not root's, and made one of its own
            words += [f"--user={user}", "--preserve-credentials"]
        return [*words, "--", *command]


def runs() -> list[Run]:
    """Those that are there, oldest first."""
    found = [_read(file) for file in folder().glob("*.json")]
    return sorted((run for run in found if run), key=lambda run: run.since)


def find(place: Path | None) -> Path:
    """The socket that was named; else that of the run whose command this is in, or of the one that there is."""
    if told := place or os.environ.get("SLUICE_SOCKET"):
        return Path(told)
    found = runs()
    if len(found) != 1:
        what = (
            f"there are several runs, at {', '.join(str(run.socket) for run in found)}"
            if found
            else "there is no live run"
        )
        raise UserError(f"{what}; name a socket by --socket")
    return found[0].socket


def one(place: Path | None) -> Run:
    """The run whose socket `find` finds."""
    wanted = find(place)
    for run in runs():
        if run.socket == wanted.absolute():
            return run
    raise UserError(f"no live run of yours has the socket {wanted}")


def folder() -> Path:
    """Where runs say that they are there, this user's alone; made if it was not there."""
    user = Path(f"/run/user/{os.getuid()}")
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or user)
    made = runtime / "sluice" if runtime.is_dir() else Path(tempfile.gettempdir()) / f"sluice-{os.getuid()}"
    try:
        made.mkdir(mode=0o700, exist_ok=True)
        status = made.lstat()
    except OSError as error:
        raise UserError(f"cannot make {made}: {error.strerror}") from None
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
        raise UserError(f"{made} is not a folder of yours alone; name another one by XDG_RUNTIME_DIR")
    return made


def clean() -> None:
    """Remove what runs have left behind that were killed."""
    for file in folder().glob("*.json"):
        if not _read(file):
            file.unlink(missing_ok=True)
    for file in folder().glob("*.sock"):
        if _server(file) is None:
            file.unlink(missing_ok=True)


def _read(file: Path) -> Run | None:
    """The run of a file, if it goes on: its socket is served by its process."""
    try:
        said = json.loads(file.read_text())
        run = Run(**(said | {"socket": Path(said["socket"])}))
    except (OSError, ValueError, TypeError, KeyError):  # it has just ended, or is somebody else's file
        return None
    return run if _server(run.socket) in (run.pid, _UNKNOWN) else None


def _server(place: Path) -> int | None:
    """The process that listens at a socket; _UNKNOWN if it does not say."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as probe:
        probe.settimeout(1)  # one that stands still is there
        try:
            probe.connect(str(place))
            credentials = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        except (ConnectionRefusedError, FileNotFoundError):
            return None
        except OSError:
            return _UNKNOWN
    return int(struct.unpack("3i", credentials)[0])
