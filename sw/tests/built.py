# SPDX-License-Identifier: Apache-2.0
"""Files that tests of the whole project need built: `make test` has built most of them, a run of some tests only its own."""

from __future__ import annotations

import fcntl
import functools
import subprocess
from pathlib import Path

from sluice.support import paths


@functools.cache
def built(path: Path) -> Path:
    """The same path, after `make` has made it what its sources are now. One process builds at a time."""
    target = path.relative_to(paths.root())
    paths.build().mkdir(exist_ok=True)
    with (paths.build() / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(
            ["make", "-s", str(target)],
            cwd=paths.root(),
            env=paths.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, f"cannot build {target}:\n{done.stdout}{done.stderr}"
    return path
