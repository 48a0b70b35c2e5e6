# SPDX-License-Identifier: Apache-2.0
"""A number of upsets of one tile or datapath, drawn and judged.

They are drawn in strata, so that the few bits that steer are seen as well as the many that only carry: a datapath around its
tile, the tile around the core, the core, the register block, the memories and the tables that nothing writes. In each half of the
upsets are drawn by name, every register as likely as any other, and half by bit; half of those in memories are in words that
were written lately.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sluice.faults.upsets.outcome import HARMFUL, OUTCOMES, Seen
from sluice.faults.upsets.player import Item, Player, Upset
from sluice.faults.upsets.program import Subject
from sluice.hardware import catalog, datapaths, rtl_digest
from sluice.hardware.registers import RegisterMap
from sluice.support import paths
from sluice.support.errors import UserError

DATA_BITS = 64
SHARES = {
    "tile": {"tile": 0.38, "core": 0.28, "registers": 0.08, "memory": 0.20, "table": 0.06},
    "datapath": {"datapath": 0.50, "tile": 0.10, "core": 0.10, "registers": 0.05, "memory": 0.20, "table": 0.05},
}
"""By the kind of what is upset."""


def stratum(item: Item, kind: str) -> str:
    """Which of the `SHARES` of a kind of design it belongs to."""
    if item.tap.is_table:
        return "table"
    if item.tap.words > 1:
        return "memory"
    inner = item.scope.split(".")[2:]
    return next((name for name in ("core", "registers", "tile") if name in inner), kind)


def _base(item: Item) -> str:
    """A name without the number that tells stages of a pipeline apart."""
    return re.sub(r"_?\d+$", "", item.name)


def draw(player: Player, count: int, seed: int) -> list[Upset]:
    """That many upsets, in the first tenth to the seventh of the main traffic."""
    rng = random.Random(seed)
    strata: dict[str, list[Item]] = defaultdict(list)
    for item in player.items:
        strata[stratum(item, player.kind)].append(item)
    span, shares = player.end - player.begin, SHARES[player.kind]
    upsets = []
    total = sum(shares[name] for name in strata)
    for name, items in strata.items():
        bases: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            bases[_base(item)].append(item)
        names = sorted(bases)
        rng.shuffle(names)
        sizes = [item.tap.bits * item.tap.words for item in items]
        for i in range(round(count * shares[name] / total)):
            chosen = rng.choice(bases[names[i // 2 % len(names)]]) if i % 2 == 0 else rng.choices(items, sizes)[0]
            clock = player.begin + rng.randrange(span // 10, span * 7 // 10)
            word, bit = rng.randrange(1 << 16), rng.randrange(chosen.tap.bits)
            upsets.append(Upset(chosen, word, bit, clock, name == "memory" and i % 4 < 2))
    return upsets


@dataclass(frozen=True)
class Judged:
    """An upset and what became of it."""

    upset: Upset
    seen: Seen

    @property
    def outcome(self) -> str:
        """One of `OUTCOMES`."""
        return self.seen.outcome


@dataclass
class Campaign:
    """Upsets of a design."""

    config: str
    subject: Subject
    judged: list[Judged]

    def counts(self) -> dict[str, int]:
        """Upsets of each outcome."""
        found = Counter(judged.outcome for judged in self.judged)
        return {outcome: found[outcome] for outcome in OUTCOMES}

    def row(self, seed: int) -> dict[str, Any]:
        """For the table of results. Tables are ROMs, which nothing can mend, so no harm counts in them."""
        state = [judged for judged in self.judged if not judged.upset.item.tap.is_table]
        harmful = sum(judged.outcome in HARMFUL for judged in state)
        return {
            "config": self.config,
            "design": self.subject.kind,
            "seed": seed,
            "rtl": rtl_digest.digest(self.subject.verilog),
            "count": len(self.judged),
            **{outcome.replace(" ", "_"): number for outcome, number in self.counts().items()},
            "full_when_empty": sum("full" in j.seen.wrong[2] for j in state if j.seen.kind == "ran"),
            "neighbour": sum("order" in j.seen.wrong[2] for j in state if j.seen.kind == "ran"),
            "harmful_percent": round(100 * harmful / max(1, len(state)), 2),
        }

    def lines(self) -> Iterator[dict[str, Any]]:
        """One entry for each register or memory that was upset, the worst first, with its source."""
        source = self.subject.verilog.splitlines()
        found: dict[str, list[Judged]] = defaultdict(list)
        for judged in self.judged:
            found[_base(judged.upset.item)].append(judged)

        def harm(entry: tuple[str, list[Judged]]) -> tuple[int, int, str]:
            name, some = entry
            outcomes = [judged.outcome for judged in some]
            return (-sum(o in HARMFUL for o in outcomes), -outcomes.count("until COMMIT"), name)

        for name, some in sorted(found.items(), key=harm):
            tap = some[0].upset.item.tap
            counts = Counter(judged.outcome for judged in some)
            yield {
                "register": name,
                "stratum": stratum(some[0].upset.item, self.subject.kind),
                "bits": tap.bits,
                "words": tap.words,
                "line": tap.line,
                "source": source[tap.line - 1].strip(),
                "upsets": len(some),
                "outcomes": {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
            }


def player(config: str, subject: Subject, name: str) -> Player:
    """The player of a design of a configuration, with what is built of it under a name."""
    known = RegisterMap.load(paths.made(paths.register_map(config)))
    chosen = {"limit": 200 if "queue1_limit" in known.parameters else 60} | (
        {"ecn": 1} if "ecn" in known.parameters else {}
    )
    return Player(subject, paths.build() / "upsets" / name, chosen)


def lasts(entry: dict[str, Any]) -> bool:
    """Whether an upset of that register did harm that ends by itself neither."""
    return not entry["outcomes"].keys().isdisjoint((*HARMFUL, "until COMMIT"))


def run(config: str, kind: str, count: int, seed: int) -> Campaign:
    """Upsets of the tile of a configuration in the catalogue, or of a datapath in it."""
    subject = _datapath(config) if kind == "datapath" else Subject.tile(catalog.load().config(config).name)
    chosen = player(config, subject, config)
    return judge(chosen, config, subject, draw(chosen, count, seed))


def judge(chosen: Player, config: str, subject: Subject, upsets: Sequence[Upset]) -> Campaign:
    """Plays these."""
    rows = chosen.play(upsets)
    return Campaign(config, subject, [Judged(upset, Seen.of(rows[i])) for i, upset in enumerate(upsets)])


def _datapath(name: str) -> Subject:
    """One that the traffic of `sim/model/upsets/datapath` is for: frames come by 8 bytes, and those that were let in leave in the
    order of their verdicts."""
    names = [found.name for found in datapaths.load() if found.data_bits == DATA_BITS]
    if name not in names:
        raise UserError(catalog.unknown(f"datapath of {DATA_BITS} bits", name, names))
    subject = Subject.datapath(name)
    if "m_left_valid" in subject.verilog:
        raise UserError(f"{name} drops at the head or has several queues; upsets are of datapaths with one that do not")
    return subject
