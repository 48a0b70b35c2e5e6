# SPDX-License-Identifier: Apache-2.0
"""What the literature says of schemes, held against the kept rows.

A claim gives a line for each scheme that it speaks of: the numbers, and whether it holds of that scheme. Only schemes that have
the rows are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sluice.experiments.atlas import cells, ranking, schemes
from sluice.experiments.atlas.table import Row

Shown = Mapping[str, Sequence[Row]]
"""Rows by cell, as `table.shown` has them."""


@dataclass(frozen=True)
class Finding:
    """What is found of one scheme or cell."""

    of: str
    numbers: str
    holds: bool


@dataclass(frozen=True)
class Claim:
    """What is said, and of whom it holds."""

    says: str
    findings: Callable[[Shown], Iterator[Finding]]


STEADY = 1.5
"""A queue has not grown while it is at most so many times as long."""

HELD_SHARES = 2
"""Who carries at most so many fair shares is held."""

HELD_TARGETS = 1.5
"""A target is held by a mean delay of at most so many of it."""

SPARSE_MS = 2.0
"""What a sparse flow may wait behind a fair queue."""

FIXED, ADAPTIVE = ("red", "ns3-red"), ("ared", "re-ared", "re-ared-m1", "re-ared-m2", "cared", "ns3-ared")
"""RED with a probability for one load, and those that move it."""

WITHOUT_FLOWS = ("care", "care-paper", "choke", "purge", "purge-paper", "sred", "black")
"""What is said to hold a sender that does not listen, though it keeps nothing for each flow."""

QUEUE_ONLY = ("droptail", *FIXED, *ADAPTIVE, "blue", "rem", "pi", "avq", "codel", "cobalt", "pie", "pi2", "dualpi2")
"""What knows of no flow, and is said to leave such a sender what it sends."""

TIMED = ("codel", "ns3-codel", "cobalt", "ns3-cobalt", "pie", "ns3-pie", "pi2", "dualpi2")
"""What has a time as its target."""

FAIR = ("ns3-fq-codel", "fair-queue")


def _value(shown: Shown, cell: str, scheme: str, measure: str) -> float | None:
    mean = ranking.mean_of((row for row in shown.get(cell, []) if row["scheme"] == scheme), measure)
    return None if mean is None else mean.value


def _targets(shown: Shown) -> Iterator[Finding]:
    for scheme in schemes.find(list(TIMED)):
        near, far = (_value(shown, cell, scheme.name, "delay_mean_ms") for cell in ("near", "mild"))
        if near and far:
            target_ms = 1e-6 * cells.find("mild").scenario.settings[scheme.algorithm]["target"]
            says = f"{near:.1f} ms at 5 ms, {far:.1f} ms at 100 ms, of {target_ms:g}"
            yield Finding(scheme.name, says, max(near, far) <= HELD_TARGETS * target_ms)


def _queue_and_load(shown: Shown) -> Iterator[Finding]:
    for scheme in (*FIXED, *ADAPTIVE):
        few, many = (_value(shown, cell, scheme, "delay_mean_ms") for cell in ("mild", "heavy"))
        if few and many:
            has_grown = many > STEADY * few
            yield Finding(scheme, f"{few:.1f} ms with 12 flows, {many:.1f} ms with 38", has_grown == (scheme in FIXED))


def _who_holds(shown: Shown) -> Iterator[Finding]:
    for scheme in (*WITHOUT_FLOWS, *QUEUE_ONLY):
        shares = _value(shown, "udp-mix", scheme, "deaf_shares")
        if shares is not None:
            yield Finding(scheme, f"{shares:.2f} fair shares", (shares <= HELD_SHARES) == (scheme in WITHOUT_FLOWS))


def _sparse(shown: Shown) -> Iterator[Finding]:
    for scheme in FAIR:
        delay_ms = _value(shown, "mix", scheme, "call_p99_ms")
        if delay_ms is not None:
            yield Finding(scheme, f"99 % of the call's packets within {delay_ms:.2f} ms", delay_ms < SPARSE_MS)


def _marks(shown: Shown) -> Iterator[Finding]:
    for scheme in ranking.by_scheme(shown.get("ecn-part", [])):
        ecn, plain, marked = (
            _value(shown, "ecn-part", scheme, measure)
            for measure in ("ecn_loss_percent", "plain_loss_percent", "mark_percent")
        )
        if ecn is not None and plain is not None and marked:
            yield Finding(scheme, f"{ecn:.3f} % with ECN, {plain:.3f} % without", 2 * ecn < plain)


CLAIMS = (
    Claim("CoDel, PIE and their like hold their targets at round trips from 5 to 100 ms", _targets),
    Claim("RED's queue grows with the number of flows, adaptive RED's does not", _queue_and_load),
    Claim(
        "without state for each flow only CARE, CHOKe, Purge and their like hold a sender that does not listen",
        _who_holds,
    ),
    Claim("behind a fair queue a sparse flow waits less than 2 ms", _sparse),
    Claim("flows with ECN lose less than half of what those beside them do, where marks are set", _marks),
)
