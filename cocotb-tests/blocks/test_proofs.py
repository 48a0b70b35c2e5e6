# SPDX-License-Identifier: Apache-2.0
"""Proves what the proof designs of the generator assert, with SymbiYosys and Boolector."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lib.simulation import ROOT, RTL

from sluice.pages import evidence
from sluice.pages.evidence import PROOFS

TASKS = [
    ("buffer", "bmc", 27),
    ("output", "prove", 4),
    ("free_running", "bmc", 18),
    ("free_running", "cover", 18),
    ("renewable", "bmc", 16),
    ("renewable", "cover", 24),
    ("counters", "prove", 3),
    ("registers", "prove", 12),
    ("asked_ring", "bmc", 18),
    ("asked_ring", "cover", 18),
    ("queue_rings_strict", "bmc", 16),
    ("queue_rings_drr", "bmc", 16),
    ("queue_rings_drr", "cover", 24),
    ("list_totals", "prove", 17),
    ("list_totals", "cover", 20),
    ("free_slots", "prove", 5),
    ("free_slots", "cover", 14),
    ("turn_ring", "prove", 5),
    ("turn_ring", "cover", 12),
    ("queue_lists", "bmc", 26),
    ("queue_lists", "cover", 32),
    ("healed_occupancy", "bmc", 26),
    ("healed_occupancy", "cover", 32),
    ("account_head", "prove", 12),
    ("account_out", "prove", 15),
    ("account_queues", "prove", 12),
    ("indexed_occupancy", "prove", 13),
    ("min_word", "prove", 2),
    ("sweep", "prove", 5),
    ("sweep", "cover", 30),
    ("buffer", "cover", 27),
]
"""By induction to a depth, or bounded to a number of clocks, with a cover: what must be able to happen in these."""

SCRIPT = """
[options]
mode {mode}
depth {depth}
[engines]
smtbmc --nopresat --nomem --unroll boolector
[script]
read -formal {source.name}
prep -top {source.stem}
[files]
{source}
"""


@pytest.fixture(scope="module")
def tools() -> dict[str, str]:
    """An environment in which the WebAssembly tools bear the names that SymbiYosys calls."""
    folder = ROOT / "build" / "proofs" / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    binaries = Path(sys.executable).parent
    for name in ("yosys", "yosys-smtbmc", "yosys-witness", "sby", "boolector"):
        with contextlib.suppress(FileExistsError):  # of another worker, or of an earlier run
            (folder / name).symlink_to(binaries / f"yowasp-{name}")
    # The first call ever says that it may take a while, where an answer is expected.
    subprocess.run([folder / "boolector", "--version"], check=True, capture_output=True)
    return {**os.environ, "PATH": os.pathsep.join((str(folder), str(binaries), os.environ["PATH"]))}


@pytest.mark.parametrize(("name", "mode", "depth"), TASKS)
def test_proof(tools: dict[str, str], name: str, mode: str, depth: int) -> None:
    """The solver finds no way to break an assertion, and one to reach every cover. That is left as evidence."""
    PROOFS.forget(name, mode)
    script = ROOT / "build" / "proofs" / f"{name}-{mode}.sby"
    script.write_text(SCRIPT.format(mode=mode, depth=depth, source=RTL / "proofs" / f"sluice_proof_{name}.sv"))
    done = subprocess.run(
        ["sby", "-f", script.name], cwd=script.parent, env=tools, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]
    PROOFS.leave(proof=name, mode=mode, depth=depth)


def test_what_is_claimed_is_proved() -> None:
    """Every claim of the generator is a task here that is not only a cover, and every row that is kept is a task's."""
    assert {name for name, mode, _ in TASKS if mode != "cover"} == set(evidence.claims())
    assert {(row["proof"], row["mode"]) for row in PROOFS.rows()} <= {(name, mode) for name, mode, _ in TASKS}
