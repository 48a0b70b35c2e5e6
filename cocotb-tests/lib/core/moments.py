# SPDX-License-Identifier: Apache-2.0
"""How often each moment of which a core asks to hear has happened on its bench: what a core never hears of is not tested.

What a core asks for stands in its `needs`, its parameters and its ticks. A moment is named as the contract names it; where what
is told differs in kind (fates, samples, round-trip times), each kind is a moment of its own.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sluice_golden.core import MOST_RTT_US
from sluice_golden.tile.model import MOST_RINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lib.core.bench import CoreBench

LEAST = 50
"""Of any moment, in a whole conformance."""
LEAST_BY = {"head": 10_000, "victim": 10_000, "departed": 10_000, "reset": 5}
"""Of those that must happen more often, by the first word of their names."""


def happened(bench: CoreBench) -> dict[str, int]:
    """The moments that a bench's core asks for, each with how often it has happened."""
    counts = dict(_always(bench))
    counts |= _queue(bench)
    counts |= _arrivals(bench)
    if bench.needs["head"]:
        counts["head"] = len(bench.heads)
    worked = Counter(kind for _, kind, _ in bench.log.intervals)
    counts |= {f"tick {kind}": worked[kind] for kind in bench.model.ticks}
    if bench.needs["gives_quanta"]:
        counts["quanta"] = len(bench.log.quanta)
    return counts


def missing(bench: CoreBench) -> str:
    """The moments that have happened less often than a whole conformance must have them, by name; empty if none is."""
    few = [
        f"'{name}' happened {count} times, {least} are wanted"
        for name, count in happened(bench).items()
        if count < (least := LEAST_BY.get(name.split()[0], LEAST))
    ]
    return f"{bench.config} asks for what hardly happened: {'; '.join(few)}" if few else ""


def _always(bench: CoreBench) -> Iterator[tuple[str, int]]:
    """What every core hears of."""
    yield "arrival", len(bench.judged)
    yield "reset", len(bench.log.resets)
    if bench.widths:
        yield "parameters applied", len(bench.log.applied)


def _queue(bench: CoreBench) -> Iterator[tuple[str, int]]:
    """What becomes of the queue and of the packets in it."""
    needs, log, queues = bench.needs, bench.log, range(bench.model.queues)
    if needs["idle"]:
        for queue in queues:
            yield _of("idle", queue, bench), sum(found >> queue & 1 for found in log.empty_queues)
    if needs["rest"]:
        yield "rest", len(log.rests)
    if needs["settled"]:
        fates = Counter(settled.fate for _, settled in log.moments["settled"])
        can_refuse = any(reason.action == "drop" for reason in bench.model.reasons)
        for fate in ("accepted", *["refused"] * can_refuse, "over the limit"):
            yield f"settled, {fate}", fates[fate]
        if needs["takes_victims"]:
            yield "pushed out", len(log.moments["pushed_out"])
    if needs["departed"]:
        sent = [departed.is_sent for _, departed in log.moments["departed"]]
        of_queues = Counter(departed.queue for _, departed in log.moments["departed"] if departed.is_sent)
        for queue in queues:
            yield _of("departed", queue, bench), of_queues[queue]
        if needs["head"]:
            yield "departed, not sent", len(sent) - sum(sent)
    if needs["tag_bits"]:
        told = [moment for moments in log.moments.values() for _, moment in moments]
        yield "tag told", sum(moment.tag != 0 for moment in (*told, *(judged.arrival for judged in bench.heads)))


def _arrivals(bench: CoreBench) -> Iterator[tuple[str, int]]:
    """What comes with an arrival."""
    needs = bench.needs
    arrivals = [judged.arrival for judged in bench.judged]
    if needs["queues"] > 1:
        of_queues = Counter(arrival.queue for arrival in arrivals)
        if needs["queues"] > MOST_RINGS:
            yield "queues with an arrival", len(of_queues)
        else:
            yield from ((_of("arrival", queue, bench), of_queues[queue]) for queue in range(needs["queues"]))
    of_profiles = Counter(arrival.profile for arrival in arrivals)
    for profile in range(needs["profiles"]):
        yield f"arrival of profile {profile}", of_profiles[profile]
    if needs["rtt"]:
        yield "rtt, unknown", sum(arrival.rtt_us == 0 for arrival in arrivals)
        yield "rtt, the longest", sum(arrival.rtt_us == MOST_RTT_US for arrival in arrivals)
        yield "rtt, between", sum(0 < arrival.rtt_us < MOST_RTT_US for arrival in arrivals)
    if needs["limit"]:
        yield "limit", len({arrival.limit for arrival in arrivals})
    for number in range(needs["samples"]):
        found = [(arrival.samples[number], arrival.flow) for arrival in arrivals]
        yield f"sample {number}, none", sum(sample is None for sample, _ in found)
        yield f"sample {number}, of the arrival's flow", sum(sample == flow for sample, flow in found)
        yield f"sample {number}, of another flow", sum(sample not in (None, flow) for sample, flow in found)
    if needs["takes_victims"]:
        yield "victim", sum(judged.verdict.victim is not None for judged in bench.judged)


def _of(name: str, queue: int, bench: CoreBench) -> str:
    return f"{name} of queue {queue}" if bench.model.queues > 1 else name
