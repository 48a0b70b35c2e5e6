# SPDX-License-Identifier: Apache-2.0
"""The columns of the atlas: every scheme of the catalogue, some in their papers' form too, and ns-3's own.

Two are borders: DropTail, and a fair queue for each flow that drops only when the buffer is full.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sluice.experiments import Cell
from sluice.experiments.atlas.cells import World
from sluice.hardware import catalog
from sluice.loop import red_auto
from sluice.loop.aqm import WEIGHT
from sluice.loop.ns3_disciplines import NS3
from sluice.loop.scenario import ALL
from sluice.support.errors import UserError

FAIR_QUEUE = "fair-queue"
"""ns-3's FQ-CoDel with a target that it never meets: deficit round robin, and drops from the longest queue."""

_NEVER_NS = 10_000_000_000.0

_AVERAGING = {"ns3-red": False, "ns3-ared": True}
"""ns-3's own RED averages by any weight. Beside ours it takes the nearest that hardware has; whether that has halves."""

_BEGINNING = {"ns3-ared": {"probability": 0.1}}
"""What ns-3's own begin with elsewhere than ours: its ARED with 0.02."""


@dataclass(frozen=True)
class Scheme:
    """A column: a configuration, and what is set on top of the rule."""

    name: str
    config: str
    """What `--aqm` of `sluice run` takes."""
    algorithm: str
    """What settings of a scenario are called after."""
    own: dict[str, float] = field(default_factory=dict)
    """What `--set` of `sluice run` would be given."""

    def cell(self, world: World) -> Cell:
        """This scheme there, with the settings that it heeds and no others: those of its neighbours make no row of it old."""
        scenario = world.scenario
        said = {key: scenario.settings[key] for key in (ALL, self.algorithm) if key in scenario.settings}
        own = self.own
        if self.name in _AVERAGING:
            weight = red_auto.nearest_weight(said[ALL][WEIGHT], _AVERAGING[self.name])
            own = own | {WEIGHT: red_auto.realised(weight)}
        if own:
            said[self.algorithm] = said.get(self.algorithm, {}) | own
        return Cell(self.name, world.name, self.config, replace(scenario, settings=said))


def all_schemes() -> list[Scheme]:
    """All there are, in the order of the page."""
    ours = [Scheme(each.default_config, each.default_config, each.name) for each in catalog.load().algorithms]
    theirs = [Scheme(name, name, its.algorithm, _BEGINNING.get(name, {})) for name, its in NS3.items()]
    return [*ours, *_PAPERS, *_AS_NS3, *theirs, Scheme(FAIR_QUEUE, "ns3-fq-codel", "fq_codel", {"target": _NEVER_NS})]


_PAPERS = (
    Scheme("care-paper", "care", "care", {"gate": 0}),
    Scheme("purge-paper", "purge", "purge", {"gate": 0}),
    Scheme("sfb-paper", "sfb-paper", "sfb"),
)
"""Forms without the project's protection, where they differ from what ships; of `mark_most` docs/compare/hostile.md tells."""

_AS_NS3 = (
    Scheme("red-as-ns3", "red", "red", {"mark_most": 1}),
    Scheme("pie-as-ns3", "pie", "pie", {"decay_empty": 1, "max_burst": 15_000_000, "derandomise": 0, "min_bytes": 0}),
)
"""Ours set as ns-3's own are written, where ns-3's cannot be set as ours: it marks at any probability, and has its own rules for
PIE's decay, burst, spacing and short queue."""

QUICK = (
    "droptail",
    "red",
    "ared",
    "codel",
    "cobalt",
    "pie",
    "pi2",
    "care",
    "fred",
    "sfb",
    "ns3-fq-codel",
    FAIR_QUEUE,
)
"""Those that `--quick` has when nobody chooses: one of each kind."""


def find(names: list[str]) -> list[Scheme]:
    """The schemes of these names; a user error that names the nearest ones otherwise."""
    known = {scheme.name: scheme for scheme in all_schemes()}
    for name in names:
        if name not in known:
            raise UserError(catalog.unknown("scheme", name, list(known)))
    return [known[name] for name in names]
