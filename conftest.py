# SPDX-License-Identifier: Apache-2.0
"""What all tests of the project share: how many run side by side."""

from __future__ import annotations

import gc

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


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`, which pyproject.toml asks for."""
    return machine.cores()
