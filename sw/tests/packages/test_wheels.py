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

from sluice.hardware import catalog
from sluice.support import paths
from sluice.support.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
UV = Path(sys.executable).with_name("uv")


def _run(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder as one who has never heard of the tree."""
    ours = ("SLUICE_", "PYTHON", "VIRTUAL_ENV", "MAKE", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _install(folder: Path, package: str) -> None:
    """A package's wheel in `venv` below an empty folder, with what it depends on as the lock file pins it."""
    (wheel,) = built(paths.build() / "wheels" / ".made").parent.glob(f"{package}-*.whl")
    assert _run(folder, UV, "venv", "--quiet", "--python", sys.executable, "venv").returncode == 0
    install = [UV, "pip", "install", "--quiet", "--python", "venv", "--constraint", ROOT / "requirements.lock", wheel]
    if _run(folder, *install, "--offline").returncode:  # what ./bootstrap has fetched is not kept here
        done = _run(folder, *install)
        assert done.returncode == 0, done.stderr


def test_the_command_works_without_a_tree(tmp_path: Path) -> None:
    """It lists what the generator makes, has the register maps, and says in one line of what needs the tree that it does."""
    _install(tmp_path, "sluice")
    listed = _run(tmp_path, "venv/bin/sluice", "list", "--json")
    assert listed.returncode == 0, listed.stderr
    assert json.loads(listed.stdout)["configs"] == catalog.load().config_names
    shown = _run(tmp_path, "venv/bin/sluice", "list")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Random Early Detection" in shown.stdout

    words = ["red-auto", "--rate", "10Mbps"]
    here = subprocess.run([UV.with_name("sluice"), *words], cwd=ROOT, capture_output=True, text=True, check=True)
    assert _run(tmp_path, "venv/bin/sluice", *words).stdout == here.stdout

    for arguments in ("run main --aqm red", "new foo", "release"):
        refused = _run(tmp_path, "venv/bin/sluice", *arguments.split())
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1), refused.stderr
        assert "this needs Sluice's source tree" in refused.stderr


def test_the_golden_models_run_from_python(tmp_path: Path) -> None:
    """The lines that README shows, where nothing is but the models and numpy."""
    _install(tmp_path, "sluice_golden")
    assert {entry.name.partition("-")[0] for entry in tmp_path.glob("venv/lib/*/site-packages/*.dist-info")} == {
        "sluice_golden",
        "numpy",
    }
    lines = (ROOT / "README.md").read_text().partition("```python\n")[2].partition("```")[0]
    done = _run(tmp_path, "venv/bin/python", "-c", lines)
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
