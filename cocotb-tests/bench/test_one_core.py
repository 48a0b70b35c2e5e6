# SPDX-License-Identifier: Apache-2.0
"""Which tests `pytest --core` takes, of one core and of one of a family that shares its corners."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from lib.simulation import ROOT

FILES = ("cocotb-tests/cores", "cocotb-tests/tile/test_tile.py", "cocotb-tests/registers/test_register_maps.py")


def chosen(*options: str) -> subprocess.CompletedProcess[str]:
    """The tests of cores that pytest would run with these options."""
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "--collect-only", "-q", "-q"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "SLUICE_CORE"))}
    return subprocess.run(
        [*command, *FILES, "sim/golden/tests", *options],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("core", "own"),
    [
        ("red", {"cores/red/test_red.py", "tests/red/test_red.py"}),
        ("re-ared-m1", {"cores/red/test_adaptive_red.py", "tests/red/test_adaptive.py", "tests/red/test_red.py"}),
    ],
)
def test_what_bears_on_a_core(core: str, own: set[str]) -> None:
    """Conformance, rules, registers and tile by their parameter, its corners, and tests of its model and of what that is from."""
    counts = re.findall(r"^(\S+): (\d+)$", chosen("--core", core).stdout, re.MULTILINE)
    found = {re.sub(r"^(cocotb-tests|sim/golden)/", "", file): int(number) for file, number in counts}
    for_all = {"cores/test_conformance.py": 3, "cores/test_rules.py": 1, "tile/test_tile.py": 1}
    for_all["registers/test_register_maps.py"] = 2
    assert found.keys() == for_all.keys() | own
    assert {name: found[name] for name in for_all} == for_all


def test_what_is_no_core_is_refused() -> None:
    done = chosen("--core", "red-512")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --core red-512: no core has a golden model of this name" in done.stderr
