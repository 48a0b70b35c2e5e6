# SPDX-License-Identifier: Apache-2.0
"""How far CoDel's mean queue behind a capture hangs on when exactly the packets come: the RFC's pseudo-code, with exact roots and
with the kernel's step, over the capture as it is and with each packet later by 0.3 ms on average, which is how late the kernel's
come. `python codel_spread.py CAPTURE [MBIT_PER_S]` prints packets."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from codel_pseudocode import exact, fates, newton

from sluice.experiments.linux import traffic
from sluice.experiments.linux.comparison import Measured

if TYPE_CHECKING:
    from sluice.experiments.linux.traffic import Packet

LATE_NS = 300_000
DRAWS = 12


def moved(packets: list[Packet], seed: int) -> list[Packet]:
    """Each packet later by a time of its own."""
    rng = random.Random(seed)
    later = (packet._replace(time_ns=packet.time_ns + int(rng.expovariate(1 / LATE_NS))) for packet in packets)
    return sorted(later, key=lambda packet: packet.time_ns)


def main(file: str, mbps: str = "9") -> None:
    packets = traffic.of_capture(Path(file))
    ns_per_byte = 8000 / float(mbps)
    for name, root in (("exact roots", exact), ("the kernel's step", newton)):
        as_it_is = Measured.of(fates(packets, ns_per_byte, root)).queue
        queues = [Measured.of(fates(moved(packets, seed), ns_per_byte, root)).queue for seed in range(DRAWS)]
        print(
            f"{name}: {as_it_is:.1f}; of {DRAWS} later ones {fmean(queues):.1f} +- {stdev(queues):.1f}, "
            f"{min(queues):.1f} to {max(queues):.1f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
