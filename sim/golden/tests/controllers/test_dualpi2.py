# SPDX-License-Identifier: Apache-2.0
"""DualPI2 beside others: its reference and its integers beside RFC 9332's pseudocode in rational numbers, and beside what Linux
does to the same packets with the same draws. Prints the rows that docs/algorithms/dualpi2.md has (`-n0 -s`), and fails where
that has others."""

from __future__ import annotations

import random
from collections import Counter, deque
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import linux_dualpi2
import pytest
import rfc9332

from sluice_golden import Arrival, Departed
from sluice_golden.controllers.pi_family.dualpi2 import C, DualPi2, L
from sluice_golden.controllers.pi_family.dualpi2_reference import DualPi2Reference
from sluice_golden.core import Packet

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[4] / "docs/algorithms/dualpi2.md"
ONE, NS = 1 << 40, 10**9
UPDATES, SEEDS = 1_500, 4
PACKETS = 25  # of both queues in an update
TUPDATE_NS = 16_000_000


@dataclass
class Judged:
    """An arrival with the integer model's verdict, and the model as it was then."""

    arrival: Arrival
    action: str
    model: DualPi2


@dataclass
class Load:
    """Packets of both queues, whose delays wander; what leaves a queue has waited as long as that says."""

    rng: random.Random
    model: DualPi2
    delays: list[float] = field(default_factory=lambda: [0.0, 0.0])
    now_ns: int = 0

    def __iter__(self) -> Iterator[Judged | None]:
        """None is an update that has settled."""
        for _ in range(UPDATES):
            for _ in range(PACKETS):
                self.now_ns += TUPDATE_NS // PACKETS
                queue = self.rng.choice((L, C))
                self._leave(queue)
                yield self._arrive(queue)
            self.model.tick("update", self.now_ns)
            self.model.settle("update")
            yield None

    def _leave(self, queue: int) -> None:
        """A packet leaves; senders give way as p' rises. Bursts take p' to 1, and pauses to 0."""
        most = 0.06 if queue == C else 0.003
        wanted = most * (1 - 2 * self.model.p / ONE)
        self.delays[queue] += 0.05 * (wanted - self.delays[queue]) + self.rng.gauss(0, most / 20)
        if self.rng.random() < 0.0015:
            self.delays[C] = self.rng.choice((0.0, 0.2, 0.3))
        self.delays[queue] = max(0.0, self.delays[queue])
        waited_ns = round(self.delays[queue] * NS)
        tag = (self.now_ns - waited_ns) % (1 << 40)
        behind = self.rng.choice((0, 5, 5, 5))
        self.model.departed(
            Departed(self.now_ns, 1, 1000, tag, queue_packets=behind, queue_bytes=1000 * behind, queue=queue)
        )

    def _arrive(self, queue: int) -> Judged:
        words = (self.rng.getrandbits(32), self.rng.getrandbits(32))
        ecn = self.rng.choice((1, 3) if queue == L else (0, 2))
        arrival = Arrival(self.now_ns, 1, 1000, ecn, 5, 5000, words, queue=queue)
        return Judged(arrival, self.model.arrive(arrival).action, self.model)


def load(seed: int, raw: dict[str, int]) -> Load:
    model = DualPi2()
    model.apply(model.parameters | raw)
    return Load(random.Random(seed), model)


def printed(what: str, number: str) -> None:
    """A row of the page's table."""
    row = f"| {what} | {number} |"
    print(row)
    assert row in PAGE.read_text(encoding="utf-8"), f"{PAGE.name} lacks: {row}"


def both(model: DualPi2) -> tuple[DualPi2Reference, rfc9332.DualPi2]:
    """With the model's gains, and a ramp of 800 us and 2^19 ns."""
    p = model.parameters
    gains = {name: Fraction(p[name], 1 << 16) for name in ("alpha", "beta")}
    ramp = {"min_th": Fraction(p["step_thresh"], NS), "ramp": Fraction(1 << p["ramp_bits"], NS)}
    rfc = rfc9332.DualPi2(rfc9332.Params(Fraction(p["target"], NS), **gains, **ramp))
    floats = {name: float(value) for name, value in (gains | ramp).items()}
    return DualPi2Reference(p["target"] / NS, **floats), rfc


def test_the_reference_is_the_rfcs() -> None:
    """p', p_C, p_CL and p_L, at each update and packet: within 1e-9."""
    farthest = dict.fromkeys(("base", "p_c", "p_cl", "p_l", "integers"), 0.0)
    seen: list[float] = []

    def see(name: str, here: float, there: Fraction) -> None:
        farthest[name] = max(farthest[name], abs(float(Fraction(here) - there)))

    for seed in range(SEEDS):
        playing = load(seed, {"step_thresh": 800_000, "ramp_bits": 19})
        reference, rfc = both(playing.model)
        for judged in playing:
            delay_l, delay_c = (waited / NS for waited in playing.model.waited_ns)
            rfc.lq.time, rfc.cq.time = (Fraction(waited, NS) for waited in playing.model.waited_ns)
            rfc.lq.len = 5
            if judged is None:
                reference.update_by(delay_l, delay_c)
                rfc.update_by_both()
                seen.append(reference.base)
                see("base", reference.base, rfc.base)
                see("integers", playing.model.p / ONE, rfc.base)
                see("p_c", reference.p_c, rfc.p_c)
                see("p_cl", reference.p_cl, rfc.p_cl)
            else:
                see("p_l", reference.p_l(delay_l), max(rfc.p_l_native(), rfc.p_cl))
                assert reference.is_overload == (rfc.p_cl >= 1)
    assert min(seen) == 0.0
    assert max(seen) == 1.0
    printed(
        "p', p_C, p_CL, p_L in floating point, from RFC 9332",
        f"{max(farthest[n] for n in farthest if n != 'integers'):.1e}",
    )
    printed("p' in integers, from RFC 9332 with the same gains", f"{farthest['integers']:.1e}")
    assert farthest.pop("integers") < 1e-6
    assert max(farthest.values()) < 1e-9


def test_draws_come_to_what_the_rfc_counts() -> None:
    """RFC 9332 takes a packet whenever a sum passes a whole one, the model by draws: as many are marked and dropped of each
    queue, within four standard deviations."""
    farthest = 0.0
    for seed in range(SEEDS):
        playing = load(seed, {"step_thresh": 800_000, "ramp_bits": 19, "min_bytes": 0})
        rfc = both(playing.model)[1]
        here: Counter[tuple[int, str]] = Counter()
        there: Counter[tuple[int, str]] = Counter()
        for judged in playing:
            rfc.lq.time, rfc.cq.time = (Fraction(waited, NS) for waited in playing.model.waited_ns)
            rfc.lq.len = 5
            if judged is None:
                rfc.update_by_both()
                continue
            queue, ecn = judged.arrival.queue, judged.arrival.ecn
            here[queue, judged.action] += 1
            there[queue, rfc.dequeue_l() if queue == L else rfc.dequeue_c(ecn)] += 1
        for key in ((L, "mark"), (L, "drop"), (C, "mark"), (C, "drop")):
            assert there[key] > 200, (key, there)
            farthest = max(farthest, abs(here[key] - there[key]) / there[key] ** 0.5)
    printed("marks and drops, from those of RFC 9332's sums, in roots of their number", f"{farthest:.1f}")
    assert farthest < 4


LINUX_SETS: tuple[dict[str, int], ...] = (
    {},
    {"coupling": 4, "step_ns": 500_000, "target_ns": 5_000_000},
    {"alpha": 82, "beta": 600, "step_ns": 2_000_000, "drop_overload": False},
)
"""Words of `tc qdisc ... dualpi2` beside its defaults; gains in 1/256 Hz."""


def as_ours(
    alpha: int = 41, beta: int = 819, coupling: int = 2, drop_overload: int = True, **times: int
) -> dict[str, int]:
    """The same, in the registers' formats."""
    return {
        "alpha": alpha << 8,
        "beta": beta << 8,
        "coupling": 2 * coupling,
        "max_base": (1 << 31) // (1 if drop_overload else coupling),
        "min_bytes": 0,
        "step_thresh": times.get("step_ns", 1_000_000),
        "target": times.get("target_ns", 15_000_000),
    }


def test_fates_are_those_of_linux() -> None:
    """Of the same packets and draws at the same delays, 99.9 %; p' within what its gains are off: with the defaults and with
    other words."""
    p_off, others, packets = 0.0, 0, 0
    for words_of_tc in LINUX_SETS:
        fates: Counter[tuple[int, str]] = Counter()
        for seed in range(SEEDS):
            playing, linux = load(seed, as_ours(**words_of_tc)), linux_dualpi2.DualPi2(**words_of_tc)
            for judged in playing:
                delays = playing.model.waited_ns
                if judged is None:
                    linux.update(max(delays))
                    p_off = max(p_off, abs(playing.model.p / ONE - linux.prob / linux_dualpi2.MAX_PROB))
                    continue
                a = judged.arrival
                words = (a.random[0], a.random[1])
                there = linux.fate(words, is_l=a.queue == L, is_ect=a.ect, delay_l_ns=delays[L], applies_step=True)
                fates[a.queue, there] += 1
                others += there != judged.action
                packets += 1
        least = 50 if words_of_tc else 400  # other words make some fates rare
        assert min(fates[key] for key in ((L, "mark"), (L, "pass"), (C, "mark"), (C, "drop"))) > least
        assert (fates[L, "drop"] > 400) == words_of_tc.get("drop_overload", True)
    printed("p' in integers with Linux' gains, from Linux", f"{p_off:.1e}")
    printed("packets of another fate than in Linux, by the same draws", f"{others / packets:.4%}")
    assert p_off < 6e-4
    assert others / packets < 0.001


def test_a_ramp_of_no_width_is_a_step() -> None:
    """RFC 9332, figure 5: it marks from the threshold on. Here and in Linux a packet passes that waited as long as that."""
    step = Fraction(1, 1000)
    rfc = rfc9332.DualPi2(rfc9332.Params(min_th=step, ramp=Fraction(0)))
    assert [rfc.laqm(step + Fraction(offset, NS)) for offset in (-1, 0, 1)] == [0, 1, 1]
    linux = linux_dualpi2.DualPi2()
    words, step_ns = (linux_dualpi2.MAX_PROB, linux_dualpi2.MAX_PROB), 1_000_000
    fates = [
        linux.fate(words, is_l=True, is_ect=True, delay_l_ns=step_ns + offset, applies_step=True)
        for offset in (-1, 0, 1)
    ]
    assert fates == ["pass", "pass", "mark"]


def test_the_queue_is_the_packets_own() -> None:
    """ECT(1) and CE go to L, and all else to C."""
    assert [DualPi2().queue_of(Packet(1, 1000, ecn)) for ecn in range(4)] == [C, L, C, L]


@pytest.mark.parametrize("coupling", [2, 4, 7])
def test_l_is_never_dropped_below_one_over_k(coupling: int) -> None:
    """What Linux does without `drop_overload`: p' stays at 1 / k, where L is marked always."""
    rng, model = random.Random(1), DualPi2()
    model.apply(model.parameters | {"coupling": coupling, "max_base": (2 << 31) // coupling})
    model.p = model.parameters["max_base"] << 9
    words = deque((rng.getrandbits(32), rng.getrandbits(32)) for _ in range(5_000))
    actions = {model.arrive(Arrival(0, 1, 1000, 1, 5, 5000, word, queue=L)).action for word in words}
    assert actions == {"mark"}
