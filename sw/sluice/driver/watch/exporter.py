# SPDX-License-Identifier: Apache-2.0
"""Answers Prometheus: every scrape is a look at the registers."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

from sluice.driver.device import DriverError
from sluice.driver.directions import Direction
from sluice.driver.watch.look import take
from sluice.driver.watch.metrics import metrics
from sluice.support.errors import UserError


class Looks(Collector):
    """Of directions that nobody else uses meanwhile; while one does not answer, `sluice_up` is 0 and alone."""

    def __init__(self, directions: Sequence[Direction]) -> None:
        self._directions = directions
        self._busy = threading.Lock()  # a handle is for one thread at a time, and each scrape has its own

    def collect(self) -> list[Metric]:
        """Metrics of one look."""
        with self._busy:
            try:
                return metrics([(direction, take(direction)) for direction in self._directions])
            except DriverError:
                return metrics([])


def serve(directions: Sequence[Direction], host: str, port: int) -> None:
    """Answer at http://HOST:PORT/metrics as long as this process lives."""
    registry = CollectorRegistry()
    registry.register(Looks(directions))
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise UserError(f"cannot serve metrics at {host}:{port}: {error.strerror}") from None
