# SPDX-License-Identifier: Apache-2.0
"""Draws right beside the border at which a verdict changes, of the arrival itself or of one that comes after it: found by trying
a core's golden model on copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sluice_golden.blocks.table import Table

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from sluice_golden import Arrival, CoreModel

_WORDS = 1 << 32


@dataclass(frozen=True, slots=True)
class Planned:
    """An arrival that is to come; `empty_ns`: its queue is found empty before it, and others where a core knows of several."""

    arrival: Arrival
    empty_ns: int | None
    empty_queues: Sequence[int]


def put_beside(rng: random.Random, model: CoreModel, plan: Sequence[Planned]) -> bool:
    """Changes one of the first arrival's words to one of two neighbours that make a difference to it or to those after it; false,
    and nothing, where no word does."""
    first = plan[0].arrival
    words, number = first.random, rng.randrange(len(first.random))
    low = rng.choice((0, rng.randrange(_WORDS)))
    high = rng.choice((_WORDS - 1, rng.randrange(low, _WORDS)))

    def put(word: int) -> None:
        first.random = (*words[:number], word, *words[number + 1 :])

    def ahead(word: int) -> _Lookahead:
        put(word)
        return _Lookahead(model, plan)

    with Table.uncounted():
        of_low, of_high = ahead(low), ahead(high)
        while of_low.seen[-1] == of_high.seen[-1]:
            if of_low.is_over or of_low.model == of_high.model:
                first.random = words
                return False
            of_low.next()
            of_high.next()
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if ahead(middle).follows(of_low.seen) else (low, middle)
    put(rng.choice((low, high)))
    return True


class _Lookahead:
    """A copy of the model that goes ahead of it over a plan."""

    def __init__(self, model: CoreModel, plan: Sequence[Planned]) -> None:
        self.model, self.plan = model.fork(), plan
        self.seen: list[object] = [(self.model.arrive(plan[0].arrival), self.model.status())]

    @property
    def is_over(self) -> bool:
        return len(self.seen) == len(self.plan)

    def follows(self, seen: list[object]) -> bool:
        """Whether the same is seen of this one."""
        while self.seen[-1] == seen[len(self.seen) - 1]:
            if len(self.seen) == len(seen):
                return True
            self.next()
        return False

    def next(self) -> None:
        """The next arrival: its verdict, and what the model shows then."""
        planned = self.plan[len(self.seen)]
        if planned.empty_ns is not None:
            self.model.found_queues_empty(planned.empty_ns, planned.empty_queues)
        self.seen.append((self.model.arrive(planned.arrival), self.model.status()))
