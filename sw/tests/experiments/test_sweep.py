# SPDX-License-Identifier: Apache-2.0
"""Sweeps over Dask: the table, going on where one stopped, and mistakes in one line."""

from __future__ import annotations

import csv
import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from sluice.experiments import sweep
from sluice.loop import cluster, runs, scenario, simulation
from sluice.support.errors import UserError

Sluice = Callable[..., tuple[int, str, str]]

SMALL = "sweep care-table6 --aqm red --quick --seeds 2 --param limit=100,200"


def table(project: Path) -> list[dict[str, str]]:
    with (project / "build/sweep/care-table6.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_sweep_writes_a_row_for_each_run(sluice: Sluice, project: Path) -> None:
    status, out, _ = sluice(*SMALL.split())
    rows = table(project)
    assert status == 0
    assert "12 runs, 12 of them new" in out.replace("\n", " ")
    assert [row["limit"] for row in rows] == ["100"] * 6 + ["200"] * 6
    assert [row["point"] for row in rows[:6:2]] == ["1 %", "10 %", "30 %"]
    assert [row["seed"] for row in rows] == ["1", "2"] * 6
    assert {row["udp_mbps"] for row in rows} == {"0.4"}
    assert rows[0]["drops"] == "50"


def test_a_sweep_goes_on_where_it_stopped(sluice: Sluice, project: Path) -> None:
    sluice(*SMALL.replace("100,200", "100").split())
    _, out, _ = sluice(*SMALL.split())
    assert "12 runs, 6 of them new" in out.replace("\n", " ")
    (project / "sim/ns3/worker.py").write_text("raise SystemExit(1)")
    status, out, _ = sluice(*SMALL.split())
    assert status == 0
    assert "12 runs, 0 of them new" in out.replace("\n", " ")


def test_a_cluster_by_its_address(sluice: Sluice, project: Path) -> None:
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp", dashboard_address=None
    ) as head:
        status, _, _ = sluice(*SMALL.split(), "--scheduler", head.scheduler_address)
    assert status == 0
    assert len(table(project)) == 12


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("sweep", "Missing argument 'EXPERIMENT...'"),
        ("sweep care-tabel6", "did you mean care-table6"),
        (
            "sweep care-table6 --aqm blue",
            "care-table6 has no column 'blue'; it has: care, care-800, red, sred, red-pd, sfb, droptail",
        ),
        (
            "reproduce green-fig2 --point 150",
            "green-fig2 has no point '150'; it has: 100 flows, 200 flows, 300 flows, 400",
        ),
        (
            "reproduce purge-fig3-4 --point 20",
            "no point '20'; it has: 200 flows, equal; 400 flows, equal; 600 flows, eq",
        ),
        ("sweep care-table6 --param limit", "--param takes key=value,value,..., not 'limit'"),
        ("sweep care-table6 --param limit=1,,2", "--param takes key=value,value,..."),
        ("sweep care-table6 --quick --aqm red --param minimum=3", "red has no parameter 'minimum'"),
        ("sweep care-table6 --quick --aqm red --seeds 1 --param min=99", "the model refused the parameters"),
        ("sweep care-table6 --scheduler nonsense", "'nonsense' is not a scheduler's address"),
        ("sweep care-table6 --scheduler tcp://h:1 --workers 2", "--workers is for this machine"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(sluice: Sluice, arguments: str, says: str) -> None:
    status, _, err = sluice(*arguments.split())
    assert (status, len(err.splitlines())) == (2, 1)
    assert says in err


def test_a_silent_scheduler_is_a_clear_mistake(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.1)
    status, _, err = sluice(*["sweep", "care-table6", "--scheduler", "tcp://127.0.0.1:9"])
    assert (status, err) == (2, "sluice: no Dask scheduler answers at tcp://127.0.0.1:9\n")


@pytest.mark.parametrize("address", ["nonsense", "nonsense://there", "tcp://127.0.0.1:9"])
def test_no_client_is_left_that_cannot_start(sluice: Sluice, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """For the garbage collector to close, while another one starts."""
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.1)
    gc.collect()
    before = {id(it) for it in gc.get_objects() if isinstance(it, Client)}
    gc.disable()
    try:
        sluice("sweep", "care-table6", "--scheduler", address)
        made = [it for it in gc.get_objects() if isinstance(it, Client) and id(it) not in before]
        assert all(it.status == "closed" for it in made)
    finally:
        gc.enable()


def test_a_cluster_without_workers_is_a_clear_mistake(sluice: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.5)
    with LocalCluster(n_workers=0, processes=False, protocol="tcp", dashboard_address=None) as head:
        status, _, err = sluice("sweep", "care-table6", "--scheduler", head.scheduler_address)
    assert (status, len(err.splitlines())) == (2, 1)
    assert "has no workers" in err


def test_a_worker_with_another_build_refuses(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = simulation.prepare(scenario.load("main").lasting(4), "red", {}, 1)
    marks = iter("0123")
    with cluster.connect(None, 1) as submit:
        monkeypatch.setattr(runs, "fingerprint", lambda _job: next(marks))
        with pytest.raises(UserError, match="has another build of the red model"):
            runs.run_all([job], "one", submit=submit)


def test_values_span_a_grid() -> None:
    values = sweep.parse_values(("min=5,10", "ecn=true"))
    assert sweep.combinations(values) == [{"min": 5, "ecn": 1}, {"min": 10, "ecn": 1}]
    assert sweep.combinations({}) == [{}]
