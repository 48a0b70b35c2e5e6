# SPDX-License-Identifier: Apache-2.0
"""An experiment's numbers: intervals, medians with missed values, paired differences, and its page."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sluice.experiments import Cell, Experiment, TimePlot, conditions, experiment_page, reproduction
from sluice.experiments.plan import Plan
from sluice.loop import scenario, series


def experiment(**changes: Any) -> Experiment:
    usual: dict[str, Any] = {
        "name": "tiny",
        "summary": "two schemes at two loads",
        "duration_s": 4,
        "seeds": 3,
        "settings": {"buffer": "as it comes"},
        "cells": lambda: [Cell(aqm, point, aqm, BASE) for aqm in ("ours", "theirs") for point in ("1 %", "5 %")],
        "metrics": {"loss": lambda result: result["loss"]},
    }
    return Experiment(**(usual | changes))


BASE = scenario.load("main").lasting(4)

TIMES: dict[str, Any] = {"time_s": [1, 2], "queue_packets": [1, 2], "status": {"average": [3, 4]}}


def outcome(chosen: Experiment, *losses: list[float]) -> tuple[Plan, list[list[dict[str, Any]]]]:
    plan = Plan(chosen, chosen.cells(), 4, range(1, 1 + len(losses[0])))
    return plan, [[{"loss": loss, "series": TIMES} for loss in own] for own in losses]


def test_differences_are_taken_seed_by_seed() -> None:
    plan, results = outcome(experiment(compare_to="theirs"), [3, 5, 7], [1, 1, 1], [2, 4, 6], [0, 2, 1])
    found = {row["point"]: row for row in reproduction.differences(plan, results)}
    assert list(found) == ["1 %", "5 %", "all"]
    assert (found["1 %"]["mean"], found["1 %"]["ci95"]) == (1, 0)
    assert found["5 %"]["mean"] == 0
    assert found["all"]["mean"] == pytest.approx(0.5)
    assert {row["aqm"] for row in found.values()} == {"ours"}


def test_a_measurement_takes_the_place_of_simulations(project: Path) -> None:
    """For the time that the plan says, whatever the scenario's own is."""
    chosen = experiment(
        measure=lambda cell, seed: {"loss": seed + 10 * (cell.point == "5 %") + 100 * cell.scenario.duration_s}
    )
    plan = Plan(chosen, chosen.cells(), 2, range(1, 4))
    rows = reproduction.rows(plan, plan.results())
    assert [row["mean"] for row in rows] == [202, 212, 202, 212]


def test_without_a_base_there_are_no_differences() -> None:
    assert reproduction.differences(*outcome(experiment(), [1], [1], [1], [1])) == []


def test_a_median_counts_the_runs_that_missed() -> None:
    never = math.inf
    plan, results = outcome(experiment(medians=("loss",)), [9, 8, never], [never] * 3, [1, 2, 3], [1, 2, 3])
    rows = reproduction.rows(plan, results)
    assert [(row["value"], row["missed"], row["mean"]) for row in rows[:3]] == [
        (9, 1, None),
        (None, 3, None),
        (2, 0, 2),
    ]
    shown = [row[3] for row in experiment_page.sheets(rows, [])[0].rows]
    assert shown[:3] == ["9", "never", "2"]


def test_the_page_has_a_plot_over_points_and_one_over_time(project: Path) -> None:
    curves = (
        TimePlot(
            "Average", "packets", series.status("average"), lambda network, _: scenario.active_flows(network), (1, 3)
        ),
    )
    plan, results = outcome(experiment(compare_to="theirs", time_plots=curves), [3, 5], [1, 1], [2, 4], [0, 2])
    sheets = experiment_page.sheets(reproduction.rows(plan, results), reproduction.differences(plan, results))
    file = experiment_page.write(plan, sheets, results, plan.experiment.settings)
    page = file.read_text()
    assert page.count("<svg") == 2
    figures = [file.with_name(f"{plan.experiment.name}-{name}.svg") for name in ("loss", "average")]
    assert all(ElementTree.parse(figure).getroot().tag.endswith("svg") for figure in figures)
    assert "loss, minus theirs seed by seed" in page
    assert "1 ± 0" in page
    assert not any(word in page for word in ("<script src", "<link", "<img"))


def drawn(project: Path, *points: str) -> str | None:
    cells = [Cell(aqm, point, aqm, BASE, {"loss": 3.5}) for aqm in ("ours", "theirs") for point in points]
    plan, results = outcome(experiment(cells=lambda: cells), *([3], [1]) * len(points))
    return experiment_page.sheets(reproduction.rows(plan, results), [])[0].plot


@pytest.mark.parametrize("points", [("here",), ("up", "down"), ("5 flows", "5 flows, ECN")])
def test_points_that_make_no_curve_make_bars_beside_what_was_printed(project: Path, points: tuple[str, ...]) -> None:
    plot = drawn(project, *points)
    assert plot is not None
    assert all(
        plot.count(f"-- {word} -->") + plot.count(f">{word}<") for word in (*points, "ours", "theirs", "published")
    )


def test_each_kind_of_points_has_curves_of_its_own(project: Path) -> None:
    plot = drawn(project, "5 flows", "9 flows", "5 flows, ECN", "9 flows, ECN")
    assert plot is not None
    assert [plot.count(f">{kind}<") for kind in ("flows", "flows, ECN")] == [1, 1]


def test_points_of_which_only_some_have_numbers_make_no_plot(project: Path) -> None:
    assert drawn(project, "5 flows", "9 flows", "many") is None


@pytest.mark.parametrize(
    ("losses", "shown"),
    [
        ([9000, 9100], "9050 ± 635"),
        ([1.0, 1.002], "1.001 ± 0.013"),
        ([4, 4], "4 ± 0"),
        ([0.25], "0.25"),
        ([0.3, 0.1 + 0.2], "0.3 ± 0"),
    ],
)
def test_a_mean_has_the_decimals_of_its_interval(losses: list[float], shown: str) -> None:
    rows = reproduction.rows(*outcome(experiment(), losses, losses, losses, losses))
    assert experiment_page.sheets(rows, [])[0].rows[0][3] == shown


def test_ours_is_so_much_off_what_was_published() -> None:
    """And by nothing that could be said where nothing was, or words, or zero."""
    published = (2.0, 4, 0, "about 5")
    cells = [Cell("ours", str(number), "ours", BASE, {"loss": value}) for number, value in enumerate(published)]
    plan, results = outcome(experiment(cells=lambda: cells), [3, 3], [3, 3], [3, 3], [3, 3])
    sheet = experiment_page.sheets(reproduction.rows(plan, results), [])[0]
    assert [row[4] for row in sheet.rows] == ["+50.0", "-25.0", "-", "-"]
    assert sheet.shows_published
    words = [Cell("ours", point, "ours", BASE, {"loss": "about 5"}) for point in ("1 %", "5 %")]
    plan, results = outcome(experiment(cells=lambda: words), [3, 3], [3, 3])
    assert not experiment_page.sheets(reproduction.rows(plan, results), [])[0].shows_published


def test_the_conditions_say_what_was_run() -> None:
    def loss(_result: dict[str, Any]) -> float:
        """What was lost, in
        0.5 percent. Of all."""
        return 0

    chosen = experiment(metrics={"loss": loss, "bare": lambda _result: 0})
    said = conditions.of(Plan(chosen, chosen.cells(), 1, range(1, 3)))
    assert (said["loss"], said["seeds"], "bare" in said) == ("What was lost, in 0.5 percent", "1..2", False)
    assert said["simulated time"] == "1 s; 4 s are the experiment's own"
    hop = BASE.hops[0]
    assert said["network"].startswith(f"{hop.rate_mbps:g} Mbit/s and {hop.delay_ms:g} ms one way behind links of")
    whole = conditions.of(Plan(chosen, chosen.cells(), 4, range(1, 3)))
    assert whole["simulated time"] == "4 s"
