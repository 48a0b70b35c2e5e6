# SPDX-License-Identifier: Apache-2.0
"""What all tests of the project share: how many run side by side."""

from __future__ import annotations

from sluice import machine


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`, which pyproject.toml asks for."""
    return machine.cores()
