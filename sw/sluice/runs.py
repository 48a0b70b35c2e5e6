# SPDX-License-Identifier: Apache-2.0
"""Many runs: in parallel, behind one progress bar, each finished one kept on disk.

A run's file is named by a hash of everything that decides its outcome: the request, the Verilated model
and the simulator module. So an interrupted series goes on where it stopped, and a changed core runs anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sluice import __version__, paths
from sluice.output import console
from sluice.simulation import Job, simulate

PROCESSES = 2
"""Runs at one time."""


def run_all(jobs: Sequence[Job], title: str, use_cache: bool = True) -> list[dict[str, Any]]:
    """Results of all jobs, in their order."""
    total_s = sum(job.scenario.duration_s for job in jobs)
    with _bar() as bar:
        task = bar.add_task(title, total=total_s)

        def one(job: Job) -> dict[str, Any]:
            done_s = 0.0

            def advance(simulated_s: float) -> None:
                nonlocal done_s
                bar.advance(task, simulated_s - done_s)
                done_s = simulated_s

            file = cache_file(job)
            if use_cache and file.exists():
                result: dict[str, Any] = json.loads(file.read_text())
            else:
                result = simulate(job, advance)
                _keep(file, result)
            advance(job.scenario.duration_s)
            return result

        pool = ThreadPoolExecutor(PROCESSES)
        try:
            return list(pool.map(one, jobs))
        finally:
            pool.shutdown(cancel_futures=True)


def cache_file(job: Job) -> Path:
    """Where the result of a job is kept."""
    request = json.dumps([__version__, job.request(), job.scenario.name], sort_keys=True)
    binaries = [path for path in (job.aqm.model, paths.ns3_module()) if path]
    parts = [request, *(_digest(path, path.stat().st_mtime_ns) for path in binaries)]
    return paths.build() / "cache" / f"{hashlib.sha256('|'.join(parts).encode()).hexdigest()}.json"


@lru_cache
def _digest(path: Path, modified_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _keep(file: Path, result: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(result))
    partial.rename(file)


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
