# SPDX-License-Identifier: Apache-2.0
"""CARED's experiments are what its paper and its report describe."""

from __future__ import annotations

from pathlib import Path

import pytest

from sluice import experiments
from sluice.experiments.papers import cared
from sluice.experiments.papers.cared import fig5, table6_7
from sluice.loop import aqm
from sluice.loop.scenario import active_flows


def test_cared_settings_are_the_automatic_ones() -> None:
    red = cared.BASE.settings["red"]
    assert (red["min"], red["max"]) == (5, 15)
    assert red["weight"] == pytest.approx(1 / 1250, rel=1e-3)


def test_cared_has_ns2_beside_it() -> None:
    cell = next(cell for cell in table6_7.cells() if (cell.aqm, cell.point) == ("red", "50 flows"))
    assert cell.published == {"drop_percent": 8.6, "goodput_kbps": 9087}
    assert cell.ns2 == {"drop_percent": [9.72, 9.77, 9.77], "goodput_kbps": [9260, 9240, 9231]}


def test_the_adaptive_schemes_have_reds_settings_and_the_adaptation() -> None:
    offered = cared.BASE.settings
    assert all(offered[name] == offered["red"] | cared.ADAPTATION for name in ("ared", "re-ared-m2", "cared"))


def test_cared_tables_share_their_runs() -> None:
    shared = [
        (cell.config, cell.point, cell.scenario)
        for experiment in experiments.registry().values()
        if experiment.name.startswith("cared-table")
        for cell in experiment.cells()
        if (cell.aqm, cell.point) == ("re-ared", "50 flows")
    ]
    assert len(shared) == 3
    assert all(each == shared[0] for each in shared)


def test_ns3s_own_ared_is_set_like_ours(project: Path) -> None:
    cell = next(cell for cell in table6_7.cells() if cell.aqm == "ns3-ared")
    text = aqm.resolve(cell.config, cell.scenario, {}, 1).text
    for attribute in (
        "AdaptMaxP=true",
        "MinTh=5",
        "MaxTh=15",
        "LInterm=10",
        "UseEcn=true",
        "Interval=500000000ns",
        "Top=0.5",
    ):
        assert attribute in text


def test_the_load_of_figure_5_falls_at_25_s() -> None:
    steps = active_flows(fig5.NETWORK)
    assert dict(steps)[25.0] == 2
    assert max(count for _, count in steps) == 22
