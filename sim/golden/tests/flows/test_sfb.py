# SPDX-License-Identifier: Apache-2.0
"""The integer models of SFB against the paper's and Linux' algorithms, and what its hash must do."""

from __future__ import annotations

import itertools
import random
from collections import Counter, deque

import pytest

from sluice_golden.blocks.arithmetic.salted_hash import salted_hash
from sluice_golden.blocks.token_bucket import PACKET
from sluice_golden.core import Arrival, Departed, Settled
from sluice_golden.flows.sfb import Sfb, SfbPaper
from sluice_golden.flows.sfb_bins import CERTAIN, BinSet
from sluice_golden.flows.sfb_reference import Bins, SfbReference

ONE = 1 << 16


def bins_of(bin_set: BinSet, number: int) -> Bins:
    return tuple(place % (1 << bin_set.bin_bits) for place in bin_set.places(number))


@pytest.mark.parametrize("scheme", [Sfb, SfbPaper])
@pytest.mark.parametrize("seed", range(3))
def test_model_follows_the_paper(scheme: type[Sfb], seed: int) -> None:
    """Over arrivals, departures and changes of the salt; what differs is 1, which the model has 2^-16 lower: a probability by
    that much, a verdict where the draw falls between the two."""
    rng, sfb = random.Random(seed), scheme()
    raw = {"increment": 2000, "decrement": 300, "rehash": 3, "penalty_rate": 1000, "ecn": 1}
    sfb.apply(sfb.parameters | raw)
    p = sfb.parameters
    reference = SfbReference(
        sfb.levels,
        sfb.bins,
        scheme is Sfb,
        p["increment"] / ONE,
        p["decrement"] / ONE,
        p["bin_size"],
        p.get("bin_max", 0),
        p["penalty_rate"],
        p["penalty_burst"],
    )
    flows = [rng.getrandbits(32) for _ in range(20)]
    flows += flows[:1] * 20
    queued: deque[int] = deque()
    seen: Counter[str] = Counter()
    unlike, now = 0, 0
    for step in range(60_000):
        now += 512 * rng.randrange(400)
        if step % 3000 == 2999:
            sfb.tick("warmup", now)
            sfb.settle("warmup")
        flow = rng.choice(flows)
        active = sfb.active
        own, other = (bins_of(s, s.number(flow)) for s in (sfb.sets[active], sfb.sets[1 - active]))
        draw = rng.getrandbits(32)
        warming = other if sfb.is_warming else None
        fate = reference.arrive(now / 1e9, active, own, (draw >> 16) / ONE, warming)
        verdict = sfb.arrive(Arrival(now, flow, 1000, 2, 0, 0, (draw,)))
        expected = {
            "pass": "",
            "mark or drop": "Unforced mark",
            "drop": "Unforced drop",
            "full": "Bucket drop",
            "penalty": "Penalty drop",
        }[fate]
        seen[expected] += 1
        unlike += verdict.reason != expected
        fates = {True: "refused", False: "accepted"}
        sfb.settled(Settled(now, flow, 1000, verdict.tag, fate=fates[verdict.action == "drop"]))  # type: ignore[arg-type]
        if verdict.action != "drop":
            queued.append(verdict.tag)
            _count(sfb, reference, verdict.tag, 1)
        if queued and (rng.random() < 0.5 or len(queued) > 300):
            tag = queued.popleft()
            sfb.departed(Departed(now, flow, 1000, tag))
            _count(sfb, reference, tag, -1)
        for bin_set, theirs in zip(sfb.sets, reference.sets, strict=True) if step % 50 == 0 else ():
            for level, index in itertools.product(range(sfb.levels), range(sfb.bins)):
                ours = bin_set.probabilities[level << bin_set.bin_bits | index]
                assert abs(ours / ONE - theirs[level][index].p_m) <= 2 / ONE, f"step {step}"
                assert bin_set.counts[level << bin_set.bin_bits | index] == theirs[level][index].qlen
        assert abs(sfb.bucket.lacks / PACKET - (p["penalty_burst"] - reference.tokens)) < 1e-6
    assert unlike <= 3
    assert all(seen[verdict.reason] > 100 for verdict in scheme.reasons if verdict.reason != "Unforced drop")


def _count(sfb: Sfb, reference: SfbReference, tag: int, by: int) -> None:
    bits = sfb.levels * sfb.sets[0].bin_bits
    for number, part in enumerate((tag % (1 << bits), tag >> bits)):
        if part:
            reference.count(number, bins_of(sfb.sets[number], part), by)


def test_the_hash_is_one_to_one_and_even() -> None:
    """Of neighbouring flows too: each slice of 4 bits takes each value as often, within what chance does."""
    rng = random.Random(1)
    for _ in range(3):
        salt = rng.getrandbits(64)
        hashes = [salted_hash(flow, salt) for flow in range(32_000)]
        assert len(set(hashes)) == len(hashes)
        for level in range(8):
            values = Counter(h >> 4 * level & 15 for h in hashes)
            assert sum((values[v] - 2000) ** 2 / 2000 for v in range(16)) < 45  # chi-square of 15 degrees: 1 in 10,000


@pytest.mark.parametrize("scheme", [Sfb, SfbPaper])
def test_what_two_flows_share_is_another_matter_with_each_salt(scheme: type[Sfb]) -> None:
    """Flows that share a bin in the first level share it with the next salt as any two flows do."""
    rng = random.Random(1)
    first = BinSet(scheme.levels, scheme.bins, rng.getrandbits(64))
    second = BinSet(scheme.levels, scheme.bins, rng.getrandbits(64))
    pairs = again = 0
    while pairs < 4000:
        flow, other = rng.getrandbits(32), rng.getrandbits(32)
        if bins_of(first, first.number(flow))[0] == bins_of(first, first.number(other))[0]:
            pairs += 1
            again += bins_of(second, second.number(flow))[0] == bins_of(second, second.number(other))[0]
    assert abs(again / pairs * scheme.bins - 1) < 0.2


def test_a_probability_that_is_certain_stays_within() -> None:
    bins = BinSet(1, 2, 0)
    bins.counts[0] = 5
    for _ in range(3):
        bins.move([0, 1], ONE - 2, 1, least=5)
    assert bins.probabilities == [CERTAIN, 0]
