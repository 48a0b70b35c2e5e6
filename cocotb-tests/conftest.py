# SPDX-License-Identifier: Apache-2.0
"""Lets tests and the simulator's processes import `lib` and the cocotb modules beside it; options of the tests of hardware."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sluice_golden import models

HERE = str(Path(__file__).parent)
sys.path.insert(0, HERE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (HERE, os.environ.get("PYTHONPATH", ""))))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("sluice")
    group.addoption("--core", metavar="CONFIG", help="only tests that bear on the core of this configuration")
    group.addoption("--arrivals", metavar="N", type=int, help="so many at each core, and at tiles of a thousand queues")
    group.addoption(
        "--waves",
        action="store_true",
        help="leave waveforms under build/waves, around the first mismatch or the end of a run",
    )
    group.addoption("--waves-at", metavar="CYCLE", type=int, help="the same around this cycle")


def pytest_configure(config: pytest.Config) -> None:
    """Told to the simulator's processes too."""
    if core := config.getoption("core"):
        if core not in models():
            raise pytest.UsageError(f"--core {core}: no core has a golden model of this name")
        os.environ["SLUICE_CORE"] = core
    if config.getoption("waves") or config.getoption("waves_at") is not None:
        from lib import waves  # noqa: PLC0415 (found only now)

        if waves.lacking():
            raise pytest.UsageError(waves.lacking())
        os.environ["SLUICE_WAVES"] = "" if (at := config.getoption("waves_at")) is None else str(at)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    core = config.getoption("core")
    if core:
        from lib.core.one_core import bears_on  # noqa: PLC0415 (found only now)

        others = [item for item in items if not bears_on(core, item)]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in set(others)]
