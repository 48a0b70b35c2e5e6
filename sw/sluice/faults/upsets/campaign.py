# SPDX-License-Identifier: Apache-2.0
"""A number of upsets of one tile, drawn and judged.

They are drawn in strata, so that the few bits that steer are seen as well as the many that only carry: the tile around the
core, the core, the register block, the memories and the tables that nothing writes. In each half of the upsets are drawn by
name, every register as likely as any other, and half by bit; half of those in memories are in words that were written lately.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sluice.faults.upsets.outcome import HARMFUL, OUTCOMES, Seen
from sluice.faults.upsets.player import Item, Player, Upset
from sluice.faults.upsets.program import Tile
from sluice.hardware import catalog, rtl_digest
from sluice.hardware.registers import RegisterMap
from sluice.support import paths

SHARES = {"tile": 0.38, "core": 0.28, "registers": 0.08, "memory": 0.20, "table": 0.06}


def stratum(item: Item) -> str:
    """Which of `SHARES` it belongs to."""
    if item.tap.is_table:
        return "table"
    if item.tap.words > 1:
        return "memory"
    inner = item.scope.split(".")[2:]
    return next((name for name in ("core", "registers") if name in inner), "tile")


def _base(item: Item) -> str:
    """A name without the number that tells stages of a pipeline apart."""
    return re.sub(r"_?\d+$", "", item.name)


def draw(player: Player, count: int, seed: int) -> list[Upset]:
    """That many upsets, in the first tenth to the seventh of the main traffic."""
    rng = random.Random(seed)
    strata: dict[str, list[Item]] = defaultdict(list)
    for item in player.items:
        strata[stratum(item)].append(item)
    span = player.end - player.begin
    upsets = []
    total = sum(SHARES[name] for name in strata)
    for name, items in strata.items():
        bases: dict[str, list[Item]] = defaultdict(list)
        for item in items:
            bases[_base(item)].append(item)
        names = sorted(bases)
        rng.shuffle(names)
        sizes = [item.tap.bits * item.tap.words for item in items]
        for i in range(round(count * SHARES[name] / total)):
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
    """Upsets of a tile."""

    config: str
    verilog: str
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
            "design": "tile",
            "seed": seed,
            "rtl": rtl_digest.digest(self.verilog),
            "count": len(self.judged),
            **{outcome.replace(" ", "_"): number for outcome, number in self.counts().items()},
            "full_when_empty": sum("full" in j.seen.wrong[2] for j in state if j.seen.kind == "ran"),
            "neighbour": sum("order" in j.seen.wrong[2] for j in state if j.seen.kind == "ran"),
            "harmful_percent": round(100 * harmful / max(1, len(state)), 2),
        }

    def lines(self) -> Iterator[dict[str, Any]]:
        """One entry for each register or memory that was upset, the worst first, with its source."""
        source = self.verilog.splitlines()
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
                "stratum": stratum(some[0].upset.item),
                "bits": tap.bits,
                "words": tap.words,
                "line": tap.line,
                "source": source[tap.line - 1].strip(),
                "upsets": len(some),
                "outcomes": {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]},
            }


def player(config: str, verilog: str, name: str) -> Player:
    """The player of a tile of that Verilog, with what is built of it under a name."""
    tile = replace(Tile.of(config), verilog=verilog)
    known = RegisterMap.load(paths.made(paths.register_map(config)))
    chosen = {"limit": 200 if "queue1_limit" in known.parameters else 60} | (
        {"ecn": 1} if "ecn" in known.parameters else {}
    )
    return Player(tile, paths.build() / "upsets" / name, chosen)


def lasts(entry: dict[str, Any]) -> bool:
    """Whether an upset of that register did harm that ends by itself neither."""
    return not entry["outcomes"].keys().isdisjoint((*HARMFUL, "until COMMIT"))


def run(config: str, count: int, seed: int) -> Campaign:
    """Upsets of the tile of a configuration in the catalogue."""
    found = catalog.load().config(config)
    verilog = paths.made(paths.tile_verilog(found.name)).read_text()
    return of(player(found.name, verilog, found.name), found.name, verilog, count, seed)


def of(chosen: Player, config: str, verilog: str, count: int, seed: int) -> Campaign:
    """Draws and plays them."""
    return judge(chosen, config, verilog, draw(chosen, count, seed))


def judge(chosen: Player, config: str, verilog: str, upsets: Sequence[Upset]) -> Campaign:
    """Plays these."""
    rows = chosen.play(upsets)
    return Campaign(config, verilog, [Judged(upset, Seen.of(rows[i])) for i, upset in enumerate(upsets)])
