# SPDX-License-Identifier: Apache-2.0
"""Series of runs: in order, kept on disk, and run anew when something changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from sluice.loop import runs, scenario, simulation
from sluice.support.errors import UserError


@pytest.fixture
def jobs(project: Path) -> list[simulation.Job]:
    """Three seeds of the same run."""
    return [simulation.prepare(scenario.load("main").lasting(4), "red", {}, seed) for seed in (1, 2, 3)]


def test_results_keep_the_order_of_the_jobs(jobs: list[simulation.Job]) -> None:
    assert [result["seed"] for result in runs.run_all(jobs, "three")] == [1, 2, 3]


def test_a_finished_run_is_not_repeated(jobs: list[simulation.Job], project: Path) -> None:
    first = runs.run_all(jobs, "three")
    (project / "sim/ns3/worker.py").write_text("raise SystemExit(1)")
    assert runs.run_all(jobs, "three") == first


def test_a_changed_model_runs_anew(jobs: list[simulation.Job], project: Path) -> None:
    before = runs.cache_file(jobs[0])
    (project / "build/model/red/libsluice_tile.so").write_text("another model")
    assert runs.cache_file(jobs[0]) != before


def test_a_worker_that_dies_is_a_clear_mistake(jobs: list[simulation.Job], project: Path) -> None:
    (project / "sim/ns3/worker.py").write_text("raise SystemExit(1)")
    with pytest.raises(UserError, match="red: the simulation died"):
        runs.run_all(jobs, "three")


def test_a_long_answer_does_not_stall_the_worker(jobs: list[simulation.Job], project: Path) -> None:
    worker = project / "sim/ns3/worker.py"
    worker.write_text(worker.read_text().replace("json.dump(", "print(' ' * 1_000_000)\njson.dump("))
    assert len(runs.run_all(jobs, "three")) == 3


def test_the_worker_gets_the_whole_run(jobs: list[simulation.Job]) -> None:
    request = jobs[1].request()
    assert (request["seed"], request["duration_s"]) == (2, 4)
    assert request["hops"][0]["rate_mbps"] == 10
    assert "SluiceQueueDisc" in request["hops"][0]["aqm"]
    assert len(request["flows"]) == 26
    assert all(isinstance(value, str) for value in request["defaults"].values())
