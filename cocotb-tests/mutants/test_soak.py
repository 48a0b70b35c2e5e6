# SPDX-License-Identifier: Apache-2.0
"""A short soak of the smallest tile finds nothing; with a bit inverted it finds that."""

from __future__ import annotations

import pytest

from sluice.faults import soak
from sluice.support.errors import UserError

CONFIG = "droptail"
ARRIVALS = 3_000_000
LATE = 500_000


def test_nothing_breaks() -> None:
    """Counters pass both powers of two, and there are resets among the traffic."""
    outcome = soak.run(CONFIG, ARRIVALS, seed=2)
    assert outcome.broken == ""
    counts = outcome.counts
    assert counts["arrivals"] >= ARRIVALS
    assert counts["resets"] >= 2
    assert min(counts["quiet"], counts["live"]) >= 20
    assert min(counts["wraps_32"], counts["wraps_48"]) >= 1


@pytest.mark.parametrize(
    ("register", "bit", "says"),
    [
        ("onVerdict_accountant_common_3", 47, "departed_packets shows"),
        ("onVerdict_accountant_common_1", 3, "bytes do not add up|received_bytes shows"),
        ("onVerdict_admission_ofPackets_taken", 9, "over the limit with room|FAULTS shows 1|more is queued"),
        ("onVerdict_admission_ofBytes_taken", 4, "queue_bytes shows|bytes do not add up|FAULTS shows 1"),
    ],
)
def test_an_inverted_bit_is_found(register: str, bit: int, says: str) -> None:
    """Soon, and where it is said; what is broken is said in words."""
    outcome = soak.run(CONFIG, ARRIVALS, seed=1, upset=soak.Upset(register, bit, LATE))
    assert LATE <= outcome.counts["arrivals"] < LATE + 1_000_000
    assert any(part in outcome.broken for part in says.split("|")), outcome.broken


def test_several_queues_are_refused() -> None:
    with pytest.raises(UserError, match="several queues"):
        soak.run("red-4q", 1000, seed=1)
