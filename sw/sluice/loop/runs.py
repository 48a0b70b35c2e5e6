# SPDX-License-Identifier: Apache-2.0
"""Many runs: in parallel, behind one progress bar, each finished one kept on disk.

A run's file is named by a hash of everything that decides its outcome: the request, the Verilated model
and the simulator module. So an interrupted series goes on where it stopped, a changed core runs anew, and
what two experiments have in common runs once. Where the runs happen is the caller's choice: here in threads
that each wait for a worker process, or on a cluster (`sluice.loop.cluster`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from sluice import __version__
from sluice.loop.simulation import Job, simulate
from sluice.loop.simulation import Progress as Report
from sluice.support import machine, paths
from sluice.support.output import progress

Result = dict[str, Any]

Submit = Callable[[Job, Report], Future[Result]]
"""Starts a run somewhere; the report of its progress may be ignored."""


@contextmanager
def on_this_machine() -> Iterator[Submit]:
    """Runs in processes of this machine; what has not begun when the block ends never does."""
    pool = ThreadPoolExecutor(machine.cores())
    try:
        yield lambda job, report: pool.submit(simulate, job, report)
    finally:
        pool.shutdown(cancel_futures=True)


def run_all(jobs: Sequence[Job], title: str, use_cache: bool = True, submit: Submit | None = None) -> list[Result]:
    """Results of all jobs, in their order; equal jobs run once."""
    files = [cache_file(job) for job in jobs]
    unique = dict(zip(files, jobs, strict=True))
    kept = {file: _read(file) for file in unique if use_cache and file.exists()}
    done_s: dict[Path, float] = {file: unique[file].scenario.duration_s for file in kept}
    with nullcontext(submit) if submit else on_this_machine() as start, progress() as bar:
        total_s = sum(job.scenario.duration_s for job in unique.values())
        task = bar.add_task(title, total=total_s)
        bar.advance(task, sum(done_s.values()))

        def advance(file: Path, simulated_s: float) -> None:
            bar.advance(task, simulated_s - done_s.get(file, 0))
            done_s[file] = simulated_s

        begun = {start(job, partial(advance, file)): file for file, job in unique.items() if file not in kept}
        for future in as_completed(begun):
            file = begun[future]
            kept[file] = future.result()
            _keep(file, kept[file])
            advance(file, unique[file].scenario.duration_s)
    return [kept[file] for file in files]


def cache_file(job: Job) -> Path:
    """Where the result of a job is kept."""
    return paths.build() / "cache" / f"{fingerprint(job)}.json"


def fingerprint(job: Job) -> str:
    """Hash of all that decides a run's outcome; equal on two machines that would simulate the same."""
    request = json.dumps([__version__, job.request(), job.scenario.name], sort_keys=True)
    binaries = [path for path in (job.aqm.model, paths.ns3_module()) if path]
    parts = [request, *map(digest, binaries)]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()


def digest(path: Path) -> str:
    """Hash of a file's content."""
    return _digest(path, path.stat().st_mtime_ns)


@lru_cache
def _digest(path: Path, modified_ns: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(file: Path) -> Result:
    result: Result = json.loads(file.read_text())
    return result


def _keep(file: Path, result: Result) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".part")
    partial.write_text(json.dumps(result))
    partial.rename(file)
