# SPDX-License-Identifier: Apache-2.0
"""Looks at datapaths as metrics of Prometheus: base units, and `_total` on what counts."""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from sluice.driver.directions import Direction
from sluice.driver.watch.look import Look

_COUNTED = {
    "received_packets": "Packets that came to the queue.",
    "received_bytes": "Bytes that came to the queue.",
    "departed_packets": "Packets that left the queue for the link.",
    "departed_bytes": "Bytes that left the queue for the link.",
    "dropped_bytes": "Bytes that were dropped.",
}


class _Families:
    """Metrics by name; each value has labels of its own."""

    def __init__(self) -> None:
        self.all: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}

    def count(self, name: str, text: str, value: float, /, **labels: str) -> None:
        """A value that never falls."""
        self._add(CounterMetricFamily, name, text, value, labels)

    def gauge(self, name: str, text: str, value: float, /, **labels: str) -> None:
        """A value that rises and falls."""
        self._add(GaugeMetricFamily, name, text, value, labels)

    def _add(
        self,
        kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
        name: str,
        text: str,
        value: float,
        labels: dict[str, str],
    ) -> None:
        family = self.all.setdefault(name, kind(f"sluice_{name}", text, labels=list(labels)))
        family.add_metric(list(labels.values()), value)


def metrics(looks: Sequence[tuple[Direction, Look]]) -> list[Metric]:
    """All that is said of these directions."""
    families = _Families()
    families.gauge("up", "1 if the registers answer.", float(bool(looks)))
    for direction, look in looks:
        _add(families, direction, look)
    return list(families.all.values())


def _add(families: _Families, direction: Direction, look: Look) -> None:
    config, counters = direction.config, look.counters
    its = {"direction": direction.name, "datapath": config.name}
    families.gauge("info", "What it is.", 1, **its, algorithm=config.algorithm, digest=f"{config.digest:08x}")
    for name, text in _COUNTED.items():
        families.count(name, text, counters[name], **its)
    for reason, count in look.by_reason(direction, "drop").items():
        families.count("dropped_packets", "Packets that were dropped, by reason.", count, **its, reason=reason)
    for reason, count in look.by_reason(direction, "mark").items():
        families.count("marked_packets", "Packets that were marked, by reason.", count, **its, reason=reason)
    for name, count in counters.items():
        if name.startswith("parsed_"):
            kind = name.removeprefix("parsed_")
            families.count("parsed_frames", "Frames, by how far they could be read.", count, **its, kind=kind)
        elif name.endswith("_frames") and name != "held_frames":  # which is not counted: it falls again
            kind = name.removesuffix("_frames")
            families.count("frames", "Frames at the ends of the datapath.", count, **its, kind=kind)
    families.gauge("queue_packets", "Packets in the queue.", counters["queue_packets"], **its)
    families.gauge("queue_bytes", "Bytes in the queue.", counters["queue_bytes"], **its)
    if look.wait_s is not None:
        families.gauge("queue_wait_seconds", "How long the link takes for what is queued.", look.wait_s, **its)
    for name, value in look.status.items():
        unit = direction.registers.status[name].unit
        families.gauge("status", "A status value of the core.", value, **its, name=name, unit=unit)
    for name, value in look.parameters.items():
        unit = direction.registers.parameters[name].unit
        families.gauge("parameter", "A parameter in force.", value, **its, name=name, unit=unit)
