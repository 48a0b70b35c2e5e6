# SPDX-License-Identifier: Apache-2.0
"""What became of an upset, in one word, from what the player saw of it."""

from __future__ import annotations

from dataclasses import dataclass

HARMS = {
    "lost": ("verdicts", "lost", "full", "overfull"),
    "order": ("order",),
    "bus": ("bus", "refused"),
    "leak": ("leak",),
    "rate": ("rate", "flow"),
}
"""Kinds of harm that last until a reset, the gravest first, and the player's words for it. `lost`: packets or verdicts are
lost or made up, or refused as over the limit with room for them; `order`: what leaves is not what was accepted; `bus`: registers
do not answer; `leak`: an empty queue is not counted as empty; `rate`: all or one flow are dropped or marked at another rate."""

OUTCOMES = ("masked", "latent", "transient", "course", "counters", "until COMMIT", *HARMS, "beyond reset")
"""`masked`: nothing was seen and all state is as without; `latent`: nothing was seen and some state differs; `transient`: seen,
and over; `course`: random words or averages go on differently, with all that is promised in order; `counters`: those of the host
are off until reset and nothing else is; `until COMMIT`: wrong until the parameters were written anew."""

HARMFUL = (*HARMS, "beyond reset")


@dataclass(frozen=True)
class Seen:
    """What the player says of an upset: what was wrong in each of its four phases (traffic, traffic, after COMMIT, after a
    reset), what of each differed from the clean run (`t` the outputs, `r` what registers read, `-` nothing), and how much state
    did in the end."""

    word: int
    kind: str
    wrong: tuple[frozenset[str], ...]
    differs: str
    latent: int

    @classmethod
    def of(cls, cells: list[str]) -> Seen:
        """From the cells of a row."""
        word, seen, _, kind, *rest = cells
        wrong = tuple(frozenset(cell.split("+")) - {""} for cell in rest[:4])
        differs = rest[4] if kind == "ran" else ("t---" if int(seen) else "----")
        return cls(int(word), kind, wrong, differs, int(rest[5] or 0) if kind == "ran" else 0)

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        if self.kind == "crash":
            return "beyond reset"
        if self.kind == "same":
            return "transient" if "t" in self.differs else "masked"
        _, later, committed, reset = self.wrong
        if reset or self.differs[3] != "-":
            return "beyond reset"
        for harm, words in HARMS.items():
            if committed & set(words):
                return harm
        if later - {"counters"}:
            return "until COMMIT"
        if committed:
            return "counters"
        if "t" in self.differs[1:3]:
            return "course"
        if self.differs == "----":
            return "latent" if self.latent else "masked"
        return "transient"
