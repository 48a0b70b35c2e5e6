# SPDX-License-Identifier: Apache-2.0
"""DualPI2, exact integer model (RFC 9332, appendix A; Linux' ``sch_dualpi2`` with its `drop_early`: judged at the arrival).

Two queues, L for ECT(1) and CE, C for all else, and one p', which ticks move as PI2's, by the longer one of their delays: the
time that the last packet of a queue waited that left, 0 where it left nothing behind. C's packets go with p'^2. L's are marked
with k p', or with what L's own delay says, a ramp that begins at `step_thresh`, if that is more. Where k p' is above 1, L's are
dropped with p'^2 too, and C's marked no more. Formats: p' Q1.40, of which a draw of Q0.32 sees Q1.31; k Q3.1; a ramp Q32.32;
the time of an arrival, the packet's tag, 40 bits of ns. The reference:
:mod:`sluice_golden.controllers.pi_family.dualpi2_reference`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sluice_golden.controllers.delay import MOST_NS
from sluice_golden.controllers.pi_family.pi2 import Pi2
from sluice_golden.core import PASS, Arrival, Departed, Settled, Ticked, Verdict

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from sluice_golden.core import Head, Packet, Reset

L, C = 0, 1
CLASSIC_DROP, CLASSIC_MARK = Verdict("drop", "Classic drop"), Verdict("mark", "Classic mark")
OVERLOAD_DROP = Verdict("drop", "Overload drop")
COUPLED_MARK, STEP_MARK = Verdict("mark", "Coupled mark"), Verdict("mark", "Step mark")
_ONE = 1 << 32  # of a bound, as draws see it
_TIME = 1 << 40
_NO_PACKETS = (1 << 18) - 1
_ECT1 = 1


class DualPi2(Pi2):
    """Judges arrivals of two queues."""

    name = "dualpi2"
    queues = 2
    chooses_queue = True
    picks_late = True
    reasons: ClassVar[tuple[Verdict, ...]] = (CLASSIC_DROP, CLASSIC_MARK, OVERLOAD_DROP, COUPLED_MARK, STEP_MARK)

    def __init__(self) -> None:
        super().__init__()
        self.waited_ns = (0, 0)
        """By the last packet of each queue that left."""

    @staticmethod
    def defaults() -> dict[str, int]:
        shared = Pi2.defaults()
        del shared["rate"], shared["ecn"]
        return shared | {
            "coupling": 4,
            "max_base": 1 << 31,
            "step_thresh": 1_000_000,
            "ramp_bits": 0,
            "step_packets": _NO_PACKETS,
            "min_qlen_step": 1,
        }

    @staticmethod
    def is_legal(parameters: Mapping[str, int]) -> bool:
        return Pi2.is_legal(parameters) and parameters["coupling"] >= 1

    def queue_of(self, packet: Packet) -> int:
        return L if packet.ecn & _ECT1 else C

    def found_queues_empty(self, now_ns: int, queues: Sequence[int]) -> None:
        """Nothing changes: who leaves nothing behind has said so."""

    def settled(self, settled: Settled) -> None:
        """Nothing changes."""

    def departed(self, departed: Departed) -> None:
        waited_ns = min((departed.now_ns - departed.tag) % _TIME, MOST_NS) if departed.queue_packets else 0
        of_l, of_c = self.waited_ns
        self.waited_ns = (waited_ns, of_c) if departed.queue == L else (of_l, waited_ns)

    def delay_now_ns(self) -> int:
        return max(self.waited_ns)

    def arrive(self, arrival: Arrival) -> Verdict:
        self.queue = arrival.queue
        verdict = self._judge_l(arrival) if arrival.ecn & _ECT1 else self._judge_c(arrival)
        return Verdict(verdict.action, verdict.reason, tag=arrival.now_ns % _TIME)

    @property
    def coupled(self) -> int:
        """k p', as draws see it; overload is where it is above 1."""
        return self.probability * self.parameters["coupling"]

    def _goes_squared(self, arrival: Arrival) -> bool:
        return max(arrival.random) < 2 * self.probability

    def _judge_l(self, arrival: Arrival) -> Verdict:
        p = self.parameters
        draw = arrival.random[0]
        if self.coupled > _ONE and self._goes_squared(arrival):
            return OVERLOAD_DROP
        if draw < self.coupled:
            return COUPLED_MARK
        is_native = draw < self.native and arrival.queue_packets >= p["min_qlen_step"]
        return STEP_MARK if is_native or arrival.queue_packets > p["step_packets"] else PASS

    def _judge_c(self, arrival: Arrival) -> Verdict:
        if not self._goes_squared(arrival) or arrival.queue_bytes < self.parameters["min_bytes"]:
            return PASS
        if self.coupled > _ONE:
            return OVERLOAD_DROP
        return CLASSIC_MARK if arrival.ect else CLASSIC_DROP

    @property
    def native(self) -> int:
        """What L's own delay says: 0 up to `step_thresh`, and a whole one 2^`ramp_bits` ns above it."""
        p = self.parameters
        return max(0, self.waited_ns[L] - p["step_thresh"]) * _ONE >> p["ramp_bits"]

    def status(self) -> dict[str, int]:
        return super().status() | {"delay_l": self.waited_ns[L], "delay_c": self.waited_ns[C]}

    def view(self) -> dict[str, int]:
        return super().view() | {"native": self.native}

    # --- traffic ---

    @classmethod
    def lively(cls, rng: random.Random) -> dict[str, int]:
        """Any coupling, bounds of p' at 1 / k and anywhere, ramps as long as the delays that are made, and queues of any
        length at which packets are marked."""
        drawn = super().lively(rng)
        del drawn["ecn"]
        coupling = rng.choice((2, 4, 8, rng.randint(1, 15)))
        return drawn | {
            "coupling": coupling,
            "max_base": rng.choice((1 << 31, min(1 << 31, _ONE // coupling), rng.getrandbits(31))),
            "step_thresh": drawn["target"] >> rng.randint(0, 4) if rng.random() < 0.8 else rng.getrandbits(32),
            "ramp_bits": rng.choice(
                (0, min(31, max(0, drawn["target"].bit_length() + rng.randint(-3, 3))), rng.randrange(32))
            ),
            "step_packets": rng.choice((_NO_PACKETS, _NO_PACKETS, rng.getrandbits(rng.randint(0, 18)))),
            "min_qlen_step": rng.getrandbits(rng.choice((rng.randint(0, 6), rng.randint(0, 18)))),
        }

    def step_bits(self, rng: random.Random) -> int:
        """Mostly such that some packets make a delay of the size of `target`."""
        bits = self.parameters["target"].bit_length() - rng.randint(0, 6)
        return max(0, bits) if rng.random() < 0.8 else super().step_bits(rng)

    def walk(self, rng: random.Random, now_ns: int) -> Iterator[Arrival | Head | Departed | Ticked | Reset]:
        """One packet of either queue after the other, which leaves after a time that moves p' or is beside a threshold."""
        p = self.parameters
        for _ in range(60):
            queue = rng.choice((L, C))
            wanted = (self.leading_ns(rng), self.beside_ns(rng), self._in_ramp_ns(rng))[rng.randrange(3)]
            packets = max(0, rng.choice((p["step_packets"], p["min_qlen_step"], 1000)) + rng.randint(-1, 1))
            queued = min(packets, _NO_PACKETS)
            words = (self._word_beside(rng), rng.choice((0, self._word_beside(rng), rng.getrandbits(32))))
            ecn = rng.choice((1, 3) if queue == L else (0, 2))
            yield Arrival(now_ns, rng.getrandbits(32), 1000, ecn, queued, 64 * queued, words, queue=queue)
            now_ns += max(0, wanted)
            yield Departed(now_ns, 0, 0, queue_packets=rng.choice((0, 5, 5, 1 << rng.randrange(18))))
            if rng.random() < 0.3:
                yield Ticked(now_ns, "update")

    def _in_ramp_ns(self, rng: random.Random) -> int:
        p = self.parameters
        return p["step_thresh"] + rng.choice((rng.randint(-1, 2), rng.getrandbits(p["ramp_bits"] + 1)))

    def _word_beside(self, rng: random.Random) -> int:
        """A draw that is beside a bound."""
        bound = rng.choice((self.coupled, self.native, 2 * self.probability))
        return min(max(0, bound + rng.randint(-1, 0)), _ONE - 1)
