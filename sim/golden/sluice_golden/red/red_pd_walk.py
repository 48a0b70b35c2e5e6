# SPDX-License-Identifier: Apache-2.0
"""Where RED-PD's model leads in tests: some lists, one after the other, of flows most of which lose something in each.

Random traffic has a list for every thousand arrivals, most of whose flows are seen once, so hardly a flow is punished twice. Here
a list has a few arrivals of each flow, and a tick ends it when most flows are as old as they must be, or just not. Who loses and
who does not is led by the queue, draws of the filter are beside where they hit, and loads change from list to list, so that the
test for unresponsive flows is in the balance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sluice_golden.core import Arrival, Ticked
from sluice_golden.red.red import queues_towards
from sluice_golden.red.red_pd_lists import AGE_SHIFT

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from sluice_golden.red.red_pd_lists import Known, ListController

_MOST_FLOWS = 60
_SIZES = (1, 64, 500, 1000, 1500, 9600, 65535)
_MOST_BYTES, _MOST_PACKETS = (1 << 26) - 1, (1 << 18) - 1
_AGES = (12, -4)  # at which a flow may be punished and released, beyond the hold time
_ONE = 1 << 18  # of the filter's probability and draw
_FAR = 33_000  # packets that lead a count and bytes far


class Led(Protocol):
    """What the walk reads of the model."""

    parameters: dict[str, int]
    average: int
    exponents: list[int]
    controller: ListController
    known: dict[int, Known]
    counts: dict[int, int]
    is_led_far: bool


def lists(model: Led, rng: random.Random, now_ns: int) -> Iterator[Arrival | Ticked]:
    """Six lists of flows that are known, that would have the places of those, or that are new; in some of these all at rest, or a
    slow average right beside `min`. The walk begins with the end of the list before."""
    flows = _flows(model, rng)
    is_calm, pace = rng.random() < 0.2, rng.choice((1, 20))
    is_beside = model.exponents[0] > 0 and model.average >> 4 <= model.parameters["min"] and rng.random() < 0.7
    yield Ticked(now_ns, "list")
    for _ in range(6):
        if not model.is_led_far and (few := _far(model)):
            model.is_led_far = True
            for arrival in _run(model, rng, now_ns, few):
                now_ns = arrival.now_ns
                yield arrival
        fat = rng.random() < 0.03
        more = 1500 if fat else rng.choice((0, 60, 200))
        order = _order(rng, flows[:2] if fat else flows, is_calm=is_calm, more=more)
        for flow, may_lose in order:
            now_ns += rng.randrange(pace)
            is_lost = may_lose and not is_beside
            level = _beside_min(model, rng) if is_beside else _level(model, rng, is_lost=is_lost)
            size = 65535 if fat else _SIZES[flow % len(_SIZES)] if rng.random() < 0.8 else rng.randint(1, 65535)
            words = (rng.getrandbits(32), _draw(model, rng, flow, is_lost=is_lost))
            queued = min(64 * level, _MOST_BYTES)
            yield Arrival(now_ns, flow, size, rng.choice((0, 0, 1)), level, queued, random=words)
        now_ns = _end_ns(model, rng, now_ns)
        yield Ticked(now_ns, "list")


def _far(model: Led) -> tuple[int, int] | None:
    """A flow that may lose all its packets, known and not monitored, and then in enough lists to be worked on, and one that may
    lose none, monitored and spared while the queue is short; if there are both, and the queue decides."""
    flows = model.controller.flows.values()
    calm = next(
        (one.flow for one in flows if not one.probability and sum(lost > 0 for lost in one.lost[:-1]) >= 2), None
    )
    held = next((flow for flow, known in model.known.items() if known.probability and not known.is_unresponsive), None)
    return None if calm is None or held is None or model.exponents[0] else (calm, held)


def _run(model: Led, rng: random.Random, now_ns: int, flows: tuple[int, int]) -> Iterator[Arrival]:
    """As many packets of both, and as large, that all bits of a count rise, and those of their bytes up to
    the 31st."""
    for _ in range(2 * _FAR):
        now_ns += rng.randrange(2)
        is_lost = rng.random() < 0.5
        level = _level(model, rng, is_lost=True) if is_lost else 0
        words = (rng.getrandbits(32), rng.getrandbits(32))
        yield Arrival(now_ns, flows[not is_lost], 65535, 0, level, min(64 * level, _MOST_BYTES), random=words)


def _flows(model: Led, rng: random.Random) -> list[int]:
    """Mostly those that are worked on at the end of a list, or not the most punished of them, and some more."""
    share, most = rng.choice((0.5, 0.9, 1.0, 1.0)), rng.choice((1 << 21, 1 << 23, 1 << 24, 1 << 24))
    known = model.controller.flows.values()
    flows = [one.flow for one in known if (one.appearances or one.probability) and one.probability < most]
    flows = [flow for flow in flows if rng.random() < share][:_MOST_FLOWS]
    flows += [flow ^ rng.getrandbits(16) << 16 for flow in flows if rng.random() < 0.1]
    return flows + [rng.getrandbits(32) for _ in range(rng.choice((1, 3, 10, 60 - len(flows))))]


def _order(rng: random.Random, flows: list[int], *, is_calm: bool, more: int) -> list[tuple[int, bool]]:
    """Arrivals of a list, each with whether it is to be lost: one of nearly each flow that is, and more of some."""
    if is_calm:
        return [(flow, False) for flow in rng.sample(flows, len(flows))]
    share, loss = rng.choice((0.9, 1.0)), rng.choice((0.02, 0.1, 0.4, 0.9))
    order = [(flow, True) for flow in flows if rng.random() < share]
    order += [(rng.getrandbits(32), False)] * rng.choice((0, 0, 10, 60))
    order += [(flows[-1], True)] * rng.choice((0, 0, 0, 10))
    # Loads that differ, of flows that keep theirs and of others that do not; or bursts of a few, which meet in the filter's loop.
    few = rng.sample(flows, min(len(flows), rng.randint(1, 3))) if rng.random() < 0.4 else []
    loads = [2 ** rng.uniform(0, 1 + flow % 3) for flow in few or flows]
    some = [(flow, rng.random() < loss) for flow in rng.choices(few or flows, loads, k=more)]
    if not few:
        order += some
    rng.shuffle(order)
    return order + some if few else order


def _level(model: Led, rng: random.Random, *, is_lost: bool) -> int:
    """A queue that has RED drop the packet, or that lets it pass, or just so; where the average is slow, one that keeps it
    between."""
    lower, upper = model.parameters["min"] >> 14, model.parameters["max"] >> 14
    if not model.exponents[0]:
        some = (
            (2 * upper + 2, 2 * upper + 2, rng.randint(lower, 2 * upper))
            if is_lost
            else (0, 0, lower - 1, lower, lower + 1)
        )
        return min(max(0, rng.choice(some)), _MOST_PACKETS)
    return queues_towards((lower + upper) // 2 + upper * is_lost, model.average, model.exponents[0])[0]


def _beside_min(model: Led, rng: random.Random) -> int:
    """A queue that brings a slow average from below right beside `min`, on one side of it or the other."""
    once = model.average + ((model.parameters["min"] << 4) - model.average << model.exponents[0]) >> 18
    return min(max(0, once + rng.randrange(2)), _MOST_PACKETS)


def _draw(model: Led, rng: random.Random, flow: int, *, is_lost: bool) -> int:
    """Of the filter, beside the one from which on a packet of the flow is spared, mostly beyond if RED is to drop it; or any."""
    known = model.known.get(flow)
    if known is None or not known.probability or rng.random() < 0.2:
        return rng.getrandbits(32)
    rise = model.counts.get(known.place, 0) * known.probability
    if rise < _ONE:
        border = known.probability * _ONE // (_ONE - rise) + rng.choice((0, 1, 1, 2) if is_lost else (-1, 0, 1))
    else:  # none is spared: one with which the product that says so has a single high bit
        border = -(-(_ONE << rng.randint(rise.bit_length() - 2, rise.bit_length() - 1)) // rise)
    return min(max(0, border), _ONE - 1) << 14 | rng.getrandbits(14)


def _end_ns(model: Led, rng: random.Random, now_ns: int) -> int:
    """When a flow may just be punished or released, or just not; when all may; any time; or at once."""
    controller, kind = model.controller, rng.random()
    begun = (controller.begun_ns or 0) >> AGE_SHIFT
    after, lists_held = rng.choice(((_AGES[0], 4), (_AGES[0], 4), (_AGES[1], 3), (_AGES[1], 5)))
    needed = controller.hold(lists_held) + after
    if kind < 0.5 and controller.flows:
        older = needed - rng.choice(list(controller.flows.values())).age + rng.randint(-1, 0)
    elif kind < 0.9:
        older = needed + rng.getrandbits(rng.randint(0, 14))
    elif kind < 0.95:
        older = rng.getrandbits(rng.choice((4, 10, 16, 20, 36)))
    else:
        return now_ns
    return max(now_ns, begun + older << AGE_SHIFT | rng.getrandbits(AGE_SHIFT))
