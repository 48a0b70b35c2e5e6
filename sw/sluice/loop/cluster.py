# SPDX-License-Identifier: Apache-2.0
"""Runs on Dask: on a cluster somewhere, or on one of threads in this process.

A cluster's workers need this project, built, under the same path as here; a shared file system gives that.
Each worker checks by the run's fingerprint that its model and its simulator are the same as here, so a stale
build stops the sweep instead of spoiling it.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager

from distributed import Client, LocalCluster
from distributed.comm import CommClosedError, get_address_host_port
from distributed.scheduler import KilledWorker

from sluice.loop import runs
from sluice.loop.runs import Result, Submit
from sluice.loop.simulation import Job, Progress, simulate
from sluice.support.errors import UserError

PATIENCE_S = 10
"""How long a scheduler, and then its first worker, may take to answer."""


@contextmanager
def connect(scheduler: str | None, workers: int | None) -> Iterator[Submit]:
    """Runs of the simulator on `executor`."""
    with executor(scheduler, workers) as pool:

        def submit(job: Job, report: Progress) -> Future[Result]:
            future: Future[Result] = pool.submit(_run_there, job, runs.fingerprint(job))
            return future

        yield submit


@contextmanager
def executor(scheduler: str | None, workers: int | None) -> Iterator[Executor]:
    """Work on the cluster of that scheduler; without one, the given number at a time in this process."""
    for logger in ("distributed", "distributed.client"):  # what matters of it becomes one line below
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    if scheduler:
        with _client(scheduler) as client:
            yield from _executing(client, scheduler)
        return
    threads = workers or os.cpu_count() or 1
    free = "127.0.0.1:0"  # any port: two may run side by side
    pages = {"dashboard_address": free, "worker_dashboard_address": free}
    with (
        LocalCluster(n_workers=1, threads_per_worker=threads, processes=False, **pages) as here,
        Client(here) as client,
    ):
        yield from _executing(client, "this machine")


def _client(scheduler: str) -> Client:
    # The address is looked at before there is a client: one that cannot begin is left to the garbage collector, which may close
    # it while the next one starts. Both take one lock of `distributed`, and then wait for each other for ever.
    try:
        get_address_host_port(scheduler)
        client = Client(scheduler, timeout=PATIENCE_S)
    except ValueError as error:
        raise UserError(f"'{scheduler}' is not a scheduler's address, as tcp://host:8786 is: {error}") from None
    except OSError:
        raise UserError(f"no Dask scheduler answers at {scheduler}") from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE_S)
    except TimeoutError:
        client.close()
        raise UserError(f"the scheduler at {scheduler} has no workers; start some with `dask worker`") from None
    return client


def _executing(client: Client, where: str) -> Iterator[Executor]:
    pool = client.get_executor(pure=False)
    try:
        yield pool
    except (KilledWorker, CommClosedError, CancelledError) as error:
        reason = str(error) or "the scheduler went away"
        raise UserError(f"the runs on {where} ended early, what is finished is kept: {reason}") from None
    finally:
        pool.shutdown(wait=False)


def _run_there(job: Job, fingerprint: str) -> Result:
    try:
        is_same = runs.fingerprint(job) == fingerprint
    except OSError as error:
        raise UserError(f"worker {socket.gethostname()}: cannot read {error.filename}") from None
    if not is_same:
        raise UserError(
            f"worker {socket.gethostname()} has another build of the {job.aqm.name} model or of the simulator"
        )
    return simulate(job)
