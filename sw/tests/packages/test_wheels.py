# SPDX-License-Identifier: Apache-2.0
"""The wheels, installed into an empty environment outside the tree: the command lists, the models judge, the rest is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from built import built

from sluice import catalog, paths
from sluice.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
UV = Path(sys.executable).with_name("uv")


def _run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder as one who has never heard of the tree."""
    ours = ("SLUICE_", "PYTHON", "VIRTUAL_ENV", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder; in `venv/bin` beneath are the wheels' commands, and what they depend on as the lock file pins it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    wheels = sorted(built(paths.build() / "wheels" / ".made").parent.glob("*.whl"))
    assert [wheel.name.partition("-")[0] for wheel in wheels] == ["sluice", "sluice_golden"]
    assert _run(folder, UV, "venv", "--quiet", "--python", sys.executable, "venv").returncode == 0
    install = [UV, "pip", "install", "--quiet", "--python", "venv", "--constraint", ROOT / "requirements.lock", *wheels]
    if _run(folder, *install, "--offline").returncode:  # what ./bootstrap has fetched is not kept here
        done = _run(folder, *install)
        assert done.returncode == 0, done.stderr
    return folder


def test_the_command_lists_what_the_generator_makes(installed: Path) -> None:
    done = _run(installed, "venv/bin/sluice", "list", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["configs"] == catalog.load().config_names
    shown = _run(installed, "venv/bin/sluice", "list")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Random Early Detection" in shown.stdout


def test_register_maps_are_carried(installed: Path) -> None:
    """RED's automatic setting as words of its registers."""
    here = subprocess.run(
        [Path(sys.executable).with_name("sluice"), "red-auto", "--rate", "10Mbps"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    there = _run(installed, "venv/bin/sluice", "red-auto", "--rate", "10Mbps")
    assert (there.returncode, there.stdout) == (0, here.stdout), there.stderr


@pytest.mark.parametrize("arguments", ["run main --aqm red", "new foo", "release"])
def test_what_needs_the_tree_says_so_in_one_line(installed: Path, arguments: str) -> None:
    done = _run(installed, "venv/bin/sluice", *arguments.split())
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert "this needs Sluice's source tree" in done.stderr


def test_the_golden_models_run_from_python(installed: Path) -> None:
    """The lines that README shows."""
    lines = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    done = _run(installed, "venv/bin/python", "-c", lines)
    assert done.returncode == 0, done.stderr
    assert "'Unforced drop': " in done.stdout


def test_a_wheel_that_knows_of_no_hardware_is_not_made(tmp_path: Path) -> None:
    for name in ("setup.py", "pyproject.toml"):
        (tmp_path / "sw").mkdir(exist_ok=True)
        (tmp_path / "sw" / name).write_bytes((ROOT / "sw" / name).read_bytes())
    (tmp_path / "sw" / "sluice").mkdir()
    done = _run(tmp_path, UV, "build", "--wheel", "--no-build-isolation", "--python", sys.executable, "sw")
    assert done.returncode != 0
    assert "is not built: a wheel is made by `make wheels`" in done.stdout + done.stderr


def test_a_place_without_a_tree_is_no_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLUICE_ROOT", raising=False)
    monkeypatch.setattr(paths, "_IN_TREE", False)
    with pytest.raises(UserError, match="source tree"):
        paths.root()
