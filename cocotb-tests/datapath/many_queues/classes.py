# SPDX-License-Identifier: Apache-2.0
"""Queues and colours by DSCP: what a datapath is set to whose tile is told both, and what its golden model is told."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_DSCPS = 64
_LAST = 1023
"""Number of the last queue, which a higher one means."""
_HALF = 1 << 30
"""Of a probability's word."""


@dataclass(frozen=True)
class Classes:
    """Of some DSCPs a queue that the host writes, the others having that of their number; colours of all; and of queues the
    numbers of their profiles, each of which is a set of parameters."""

    queues: Mapping[int, int]
    colours: Sequence[int]
    profiles: Mapping[int, int]
    sets: Sequence[Mapping[str, int]]

    def queue_of(self, dscp: int) -> int:
        """A frame's queue."""
        return min(self.queues.get(dscp, dscp), _LAST)

    @property
    def settings(self) -> dict[str, int]:
        """Parameters, committed as one."""
        return {f"dscp_colours{word}": value for word, value in enumerate(self.colours)}

    @property
    def words(self) -> list[tuple[str, int]]:
        """What the host writes behind them: further sets, and words of queues."""
        written = [word for changed in self.sets for word in (*changed.items(), ("COMMIT", 1))]
        for queue, numbers in self.profiles.items():
            written += [("QUEUE_SELECT", queue), ("SELECTED_PROFILE", numbers)]
        return written + [("DSCP_QUEUE", dscp << 16 | queue) for dscp, queue in self.queues.items()]


@cache
def few_classes(seed: int) -> Classes:
    """Six DSCPs in five queues, with profiles whose ramps are where a few thousand bytes are queued."""
    rng = random.Random(seed)
    dscps = rng.sample(range(1, _DSCPS), 6)
    queues = dict(zip(dscps[:4], (rng.randrange(_LAST, 1 << 16), 7, 512, 7), strict=True))
    sets = []
    for number in range(3):
        low, ecn_low = rng.randrange(500, 3000), rng.randrange(500, 2000)
        drop = {"min_threshold": low, "max_threshold": low + rng.randrange(1000, 9000), "drop_probability": _HALF}
        mark = {"ecn_min_threshold": ecn_low, "ecn_max_threshold": ecn_low + rng.randrange(1000, 9000)}
        sets.append({"profile": number, "enable": 1, "ecn": int(number != 1), "weight": number, **drop, **mark})
    made = Classes(queues, [rng.getrandbits(32) for _ in range(4)], {}, sets)
    held = dict.fromkeys(map(made.queue_of, dscps))
    profiles = {queue: sum(rng.randrange(3) << 4 * colour for colour in range(3)) for queue in held}
    return replace(made, profiles=profiles)


def dscps_of(classes: Classes) -> list[int]:
    """Those that its frames have: of a queue that is written, and of one that is not."""
    return sorted({*classes.queues, *(queue for queue in classes.profiles if queue < _DSCPS)})
