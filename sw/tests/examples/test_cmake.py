# SPDX-License-Identifier: Apache-2.0
"""A simulator of a user's finds the CMake package and runs RED's RTL, built in an empty folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from built import built

from sluice.hardware import catalog
from sluice.support import paths

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "simulator"
pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake here; on Debian: apt-get install cmake")


def _run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=paths.environment(), capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed package with the tile of RED alone."""
    prefix = tmp_path_factory.mktemp("prefix")
    built(paths.model("red"))
    done = _run(ROOT, "make", "-s", "cmake", "CONFIG=red", f"PREFIX={prefix}")
    assert done.returncode == 0, done.stderr
    return prefix


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The example, copied to where no tree is."""
    shutil.copytree(EXAMPLE, tmp_path / "mine")
    return tmp_path / "mine"


def test_a_simulator_runs_the_rtl(package: Path, mine: Path) -> None:
    """Of 1,500 packets a second the link carries 1,250, and RED drops the rest but for what is queued at the end."""
    for command in (["-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={package}"], ["--build", "build"]):
        done = _run(mine, "cmake", *command)
        assert done.returncode == 0, done.stdout + done.stderr
    done = _run(mine, "build/port")
    assert done.returncode == 0, done.stderr
    counted = re.fullmatch(r"arrived (\d+) dropped (\d+) sent (\d+)\n", done.stdout)
    assert counted
    arrived, dropped, sent = map(int, counted.groups())
    assert (arrived, sent) == (15000, 12500)
    assert 0 < arrived - dropped - sent < 60
    assert _run(mine, "build/port").stdout == done.stdout


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("REQUIRED COMPONENTS purple", "make cmake CONFIG=purple"),
        ("99.1 REQUIRED COMPONENTS red", "requested version"),
    ],
)
def test_what_is_not_there_is_said(package: Path, mine: Path, asked: str, says: str) -> None:
    lists = mine / "CMakeLists.txt"
    lists.write_text(re.sub(r"[\d.]+ REQUIRED COMPONENTS red", asked, lists.read_text()))
    done = _run(mine, "cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={package}")
    assert done.returncode != 0
    assert says in " ".join(done.stderr.split())


def test_the_package_has_the_version_of_the_hardware(package: Path) -> None:
    version = (package / "lib/cmake/sluice/sluiceConfigVersion.cmake").read_text()
    assert f'set(PACKAGE_VERSION "{catalog.load().version}")' in version
