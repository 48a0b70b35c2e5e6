# SPDX-License-Identifier: Apache-2.0
"""What all tests of the project share: how many run side by side, and Python that is compiled once for all of them."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

from sluice.support import machine

# Properties: the same examples each time, on a machine that may be slow.
settings.register_profile(
    "project",
    max_examples=150,
    deadline=20_000,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("project")

# What a test makes mostly lives until it ends, hundreds of thousands of packets: looking for cycles among them finds none, and
# takes a tenth of the time.
gc.set_threshold(100_000, 50, 100)

# A simulation compiles for two seconds what it imports, and tests start hundreds, where the environment forbids to keep that. It
# does so lest files lie about; under build/ they do not.
sys.dont_write_bytecode, sys.pycache_prefix = False, str(Path(__file__).parent / "build" / "bytecode")
os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`, which pyproject.toml asks for."""
    return machine.cores()
