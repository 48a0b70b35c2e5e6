# SPDX-License-Identifier: Apache-2.0
"""What the tests of this folder need: a server of registers, and leave to run `sluice live`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from registers_host import serve

__all__ = ["serve"]


@pytest.fixture(scope="session")
def allowed() -> None:
    """Skips where nobody may make namespaces or devices."""
    command = [Path(sys.executable).with_name("sluice"), "live", "red-512", "--quiet", "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode == 2 and any(word in done.stderr for word in ("namespace", "/dev/net/tun", "TAP")):
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
