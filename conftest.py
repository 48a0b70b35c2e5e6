# SPDX-License-Identifier: Apache-2.0
"""What all tests of the project share: how many run side by side."""

from __future__ import annotations

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


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`, which pyproject.toml asks for."""
    return machine.cores()
