# SPDX-License-Identifier: Apache-2.0
"""DropTail: every packet passes; the limit is the tile's."""

from __future__ import annotations

from sluice_golden.core import PASS, Arrival, CoreModel, Verdict


class DropTail(CoreModel):
    """The core that always passes."""

    name = "droptail"

    @staticmethod
    def defaults() -> dict[str, int]:
        return {}

    def arrive(self, arrival: Arrival) -> Verdict:
        del arrival
        return PASS


class DropTailCookie(DropTail):
    """In a tile with a cookie, which no core sees."""

    name = "droptail-cookie"


class DropTail4Queues(DropTail):
    """In a tile of four queues, of which it does not know."""

    name = "droptail-4q"


class DropTailDrr(DropTail):
    """In a tile of three queues that take turns."""

    name = "droptail-drr"


class DropTail8Queues(DropTail):
    """In a tile of as many queues as there may be, which take turns."""

    name = "droptail-8q"


class DropTail1kQueues(DropTail):
    """In a tile of a thousand queues, as lists."""

    name = "droptail-1k"


class Fq1k(DropTail):
    """The same, and a packet's queue is its flow's."""

    name = "fq-1k"
