# SPDX-License-Identifier: Apache-2.0
"""Legal sets of parameters for any core, over the whole range of each and with each bit going up and down."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from sluice_golden import CoreModel

    Draw = Callable[[random.Random, int, int], int]

_TRIES = 12  # at a legal value

Values = dict[str, int]
Toggle = tuple[str, int, bool]  # parameter, bit, whether it rises


def near(rng: random.Random, width: int, default: int) -> int:
    """A raw register value like the default."""
    return min((1 << width) - 1, rng.randrange(default // 8, default * 8 + 2))


def anywhere(rng: random.Random, width: int, default: int) -> int:
    """A raw register value of any size, a power of two, or an extreme."""
    del default
    most = (1 << width) - 1
    kind = rng.random()
    if kind < 0.7:
        return rng.getrandbits(rng.randint(1, width))
    if kind < 0.9:
        return 1 << rng.randrange(width)
    return rng.choice((0, 1, most, most >> 1))


def legal_set(
    rng: random.Random, model: type[CoreModel], widths: Values, base: Values, draw: Draw, share: float = 0.7
) -> Values:
    """Some values of `base`, which is legal, redrawn, each of them until the model accepts the set with it: of a parameter of
    which few values are legal these come as often as others' do."""
    drawn, defaults = dict(base), model.defaults()
    for name, width in rng.sample(sorted(widths.items()), len(widths)):
        if width > 1 and rng.random() >= share:
            continue
        for _ in range(_TRIES):
            value = rng.getrandbits(1) if width == 1 else draw(rng, width, defaults[name])
            if model.is_legal(drawn | {name: value}):
                drawn[name] = value
                break
    return drawn


class ParameterSets:
    """Sets one after the other; knows which bits have not yet gone up or down from one to the next."""

    def __init__(self, rng: random.Random, model: type[CoreModel], widths: Values) -> None:
        self.rng, self.model, self.widths = rng, model, widths
        self.missing: set[Toggle] = {
            (name, bit, rises) for name, width in widths.items() for bit in range(width) for rises in (False, True)
        }

    def next(self, before: Values, beside: Values) -> Values:
        """A set to follow another: of each two one that is like the defaults, so that the core is at work, and one that toggles
        as many bits as it can that have not been toggled. Or the same one, but for values that are `beside` what the core
        compares them with now."""
        closer = before | {name: value for name, value in beside.items() if name in self.widths}
        if closer != before and self.rng.random() < 0.2 and self.model.is_legal(closer):
            return self._noted(before, closer)
        if self.rng.random() < 0.5:
            chosen = legal_set(self.rng, self.model, self.widths, self.model.defaults(), near)
            livelier = chosen | self.model.lively(self.rng)
            chosen = livelier if self.rng.random() < 0.7 and self.model.is_legal(livelier) else chosen
        else:
            wild = (legal_set(self.rng, self.model, self.widths, before, anywhere, share=0.5) for _ in range(8))
            chosen = max(wild, key=lambda values: len(self._toggled(before, values) & self.missing))
        return self._noted(before, chosen)

    def last(self, before: Values) -> list[Values]:
        """The sets that still have to follow, so that nothing is missing but bits for which no legal set was found."""
        sets = []
        for name, bit, rises in sorted(self.missing):
            if (name, bit, rises) not in self.missing:
                continue
            pair = [self._with_bit(name, bit, high) for high in (not rises, rises)]
            if None not in pair:
                for values in pair:
                    before = self._noted(before, values)
                    sets.append(before)
        return sets

    def _noted(self, before: Values, values: Values) -> Values:
        self.missing -= self._toggled(before, values)
        return values

    def _toggled(self, before: Values, values: Values) -> set[Toggle]:
        return {
            (name, bit, bool(values[name] >> bit & 1))
            for name, width in self.widths.items()
            for bit in range(width)
            if (before[name] ^ values[name]) >> bit & 1
        }

    def _with_bit(self, name: str, bit: int, is_high: bool) -> Values | None:
        """A legal set in which a bit is as wanted; None if none is found."""
        for _ in range(300):
            values = legal_set(self.rng, self.model, self.widths, self.model.defaults(), anywhere)
            raw = self.rng.choice((values[name] | 1 << bit, 1 << bit)) if is_high else values[name] & ~(1 << bit)
            if self.model.is_legal(values | {name: raw}):
                return values | {name: raw}
        return None
