# SPDX-License-Identifier: Apache-2.0
"""How well must a scheme be tuned? Its two most important parameters over a decade either way of what the atlas' rule gives.

A *knob* is a parameter, or several that go together, as RED's two thresholds. Each stands at each of `FACTORS` of its value, with
everything else as the rule has it, in three cells of the atlas: the delay of many flows, the share of one that does not listen,
and the slowest page.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sluice.experiments import Cell
from sluice.experiments.atlas import cells, schemes
from sluice.experiments.atlas.cells import World
from sluice.experiments.atlas.schemes import Scheme
from sluice.hardware import catalog
from sluice.hardware.registers import RegisterMap
from sluice.loop import aqm
from sluice.support import paths
from sluice.support.errors import UserError

WORLDS = tuple(cells.find(name) for name in ("medium", "udp-mix", "web-burst"))

FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)


@dataclass(frozen=True)
class Knob:
    """Parameters of one scheme that are moved by one factor."""

    scheme: str
    name: str
    parameters: tuple[str, ...]
    most: float = math.inf
    """The largest legal value of the first of them, where the register could hold a larger one."""

    def settings(self, scheme: Scheme, world: World, factor: float) -> dict[str, float] | None:
        """What is set for a factor in a cell; nothing where that is no legal value."""
        registers = RegisterMap.load(paths.made(paths.register_map(scheme.config)))
        ruled = aqm.set_in(catalog.load().config(scheme.config), registers, scheme.cell(world).scenario, {})
        values = registers.defaults | ruled
        moved = {name: _digits(values[name] * factor) for name in self.parameters}
        try:
            raw = [registers.parameter(name).raw(value) for name, value in moved.items()]
        except UserError:
            return None
        return moved if all(raw) and moved[self.parameters[0]] <= self.most else None


def _all() -> Iterator[Knob]:
    yield Knob("droptail", "limit", ("limit",), most=1023)
    for scheme in ("red", "choke", "fred", "red-pd"):
        yield Knob(scheme, "min and max", ("min", "max"))
        yield Knob(scheme, "probability", ("probability",), most=1)
    for scheme in ("ared", "re-ared", "re-ared-m1", "re-ared-m2", "cared"):
        yield Knob(scheme, "min and max", ("min", "max"))
        yield Knob(scheme, "interval", ("interval",))
    yield Knob("ured", "min and max", ("min", "max"))
    yield Knob("ured", "buffer", ("buffer",))
    yield Knob("care", "list and window", ("list_length", "window"), most=200)
    yield Knob("care", "capture probability", ("capture_probability",), most=1)
    yield Knob("black", "threshold", ("threshold",))
    yield Knob("black", "period", ("period",))
    yield Knob("blue", "increment and decrement", ("increment", "decrement"))
    yield Knob("blue", "freeze time", ("freeze_time",))
    yield Knob("sfb", "size of a bin", ("bin_size", "bin_max"))
    yield Knob("sfb", "increment and decrement", ("increment", "decrement"))
    for scheme in ("codel", "cobalt"):
        yield Knob(scheme, "target", ("target",))
        yield Knob(scheme, "interval", ("interval",))
    yield Knob("sred", "buffer", ("buffer",))
    yield Knob("sred", "probability", ("max_probability",), most=1)
    yield Knob("rem", "target", ("target",))
    yield Knob("rem", "gain", ("gain",))
    yield Knob("pi", "target", ("target",))
    yield Knob("pi", "a and b", ("a", "b"))
    yield Knob("avq", "alpha", ("alpha",))
    yield Knob("avq", "buffer", ("buffer",))
    yield Knob("purge", "target", ("target",))
    yield Knob("purge", "gain of a share", ("share_gain",))
    yield Knob("green", "segment", ("segment",))
    yield Knob("green", "window", ("window",))
    yield Knob("step", "threshold", ("threshold_packets",))
    for scheme in ("pi2", "dualpi2", "pie"):
        yield Knob(scheme, "target", ("target",))
        yield Knob(scheme, "alpha and beta", ("alpha", "beta"))


KNOBS = tuple(_all())
"""Two of each scheme, in the order of the catalogue; DropTail and a step have one."""


def find(names: list[str] | None) -> list[Knob]:
    """Those of these schemes, or all; a user error for a scheme that there is not, or that has none."""
    if names is None:
        return list(KNOBS)
    known = {knob.scheme for knob in KNOBS}
    for scheme in schemes.find(names):
        if scheme.name not in known:
            raise UserError(f"{scheme.name} has no parameters here; known: {', '.join(sorted(known))}")
    return [knob for knob in KNOBS if knob.scheme in names]


def cell(knob: Knob, world: World, factor: float) -> Cell | None:
    """The scheme in a cell with the knob at a factor; nothing where that is not legal. At 1 it is the atlas' own."""
    scheme = schemes.find([knob.scheme])[0]
    moved = {} if factor == 1 else knob.settings(scheme, world, factor)
    return None if moved is None else replace(scheme, own=scheme.own | moved).cell(world)


def _digits(value: float) -> float:
    return float(f"{value:.6g}")
