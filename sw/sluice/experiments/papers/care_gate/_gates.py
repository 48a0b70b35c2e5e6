# SPDX-License-Identifier: Apache-2.0
"""CARE with each of its gates: from which queue on it may drop who has more than a fair share."""

from __future__ import annotations

from dataclasses import replace

from sluice.experiments import Cell
from sluice.experiments.papers import care
from sluice.loop.scenario import Scenario

PARTS = {"an eighth": 1 / 8, "a quarter": 1 / 4, "a half": 1 / 2}
"""Of the buffer, from where gate 2 lets drop; a quarter ships."""


def cells(point: str, network: Scenario) -> list[Cell]:
    """One cell for each gate at one point, and RED's beside them."""
    gates: dict[str, dict[str, float]] = {
        "gate 0": care.PAPERS_FORM,
        "gate 1": {"gate": 1},
        **{
            f"gate 2 from {name}": {"gate": 2, "gate_threshold": round(part * network.limit)}
            for name, part in PARTS.items()
        },
    }
    own = [
        Cell(name, point, "care", replace(network, settings=network.settings | {"care": gate}))
        for name, gate in gates.items()
    ]
    return [*own, Cell("red", point, "red", network)]
