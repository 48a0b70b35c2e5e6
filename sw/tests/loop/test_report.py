# SPDX-License-Identifier: Apache-2.0
"""What the comparison shows of runs: means, intervals, and only what a scenario has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sluice.loop.reports import plots, report


def result(aqm: str, **flows: dict[str, Any]) -> dict[str, Any]:
    """A result with these flows by their ids."""
    fate = {"arrived": 100, "dropped": 5}
    listed = [{"id": name.replace("_", "-"), "throughput_mbps": 1.0} | fate | flow for name, flow in flows.items()]
    numbers = {"jain": 1.0, "norm_kbps": 0.0, "utilisation": 0.5, "arrivals": 200, "seed": 1}
    queue = {"queue_packets": {"mean": 3.0}, "queue_delay_ms": {"p99": 4.0}}
    return {"aqm": aqm, "flows": listed, "drops": {"tail": 10}, "marks": {"early": 20}} | numbers | queue


TCP, UDP = {"kind": "tcp", "direction": "forth"}, {"kind": "udp_cbr", "direction": "forth"}


def cells(seeds: list[dict[str, Any]]) -> dict[str, str]:
    """A row by the names of its columns."""
    shown = report.columns([seeds])
    return dict(zip((column.name for column in shown), report.row(seeds, shown)[1:], strict=True))


def test_a_scenario_shows_the_columns_that_it_has() -> None:
    assert {"UDP Mbit/s", "transfer p99 ms"}.isdisjoint(cells([result("red", a_1=TCP)]))
    assert "TCP Mbit/s" not in cells([result("red", a_1=UDP)])
    assert cells([result("red", a_1=TCP)])["drops %"] == "5.00"
    assert cells([result("red", a_1=TCP)])["marks %"] == "10.00"


def test_transfers_are_pooled_over_flows() -> None:
    def short(*seconds: float) -> dict[str, Any]:
        times = {"begun": 9, "seconds": list(seconds)}
        return {"kind": "short", "direction": "forth", "throughput_mbps": 9.0, "transfers": times}

    row = cells([result("red", a_1=TCP, b_1=short(0.1, 0.2), b_2=short(0.6))])
    assert row["transfer mean ms"] == "300"
    assert row["transfer p99 ms"] == f"{1000 * np.percentile([0.1, 0.2, 0.6], 99):.0f}"
    assert row["TCP Mbit/s"] == "1.000"  # what comes and goes has no share of the link
    assert "Jain index" in row
    assert {"Jain index", "norm kbit/s"}.isdisjoint(cells([result("red", b_1=short(0.1))]))


def test_losses_of_tcp_show_where_other_flows_would_hide_them() -> None:
    """One packet in 200, whatever the queue dropped of UDP."""
    row = cells([result("red", a_1=TCP | {"dropped": 1}, a_2=TCP | {"dropped": 0}, b_1=UDP | {"dropped": 90})])
    assert row["TCP drops %"] == "0.50"
    assert "TCP drops %" not in cells([result("red", a_1=TCP)])
    assert "TCP drops %" not in cells([result("red", a_1=UDP)])


def test_several_seeds_are_a_mean_and_its_interval() -> None:
    seeds = [result("red", a_1=TCP | {"throughput_mbps": rate}) for rate in (1.0, 2.0, 3.0)]
    assert cells(seeds)["TCP Mbit/s"] == "2.000 ±2.484"


def test_groups_show_where_the_comparison_would_hide_them() -> None:
    near, far = TCP | {"throughput_mbps": 3.0}, TCP | {"throughput_mbps": 1.0}
    assert report.shares([[result("red", near_1=near, udp_1=UDP)]]) is None
    found = report.shares([[result("red", near_1=near, near_2=far, far_1=far)]])
    assert found == (["AQM", "near", "far"], [["red", "2.000", "1.000"]])


@pytest.mark.parametrize(("spacing_s", "points"), [(0.1, 60), (2.0, 30)])
def test_rates_are_averaged_over_parts_of_the_run(spacing_s: float, points: int) -> None:
    times = np.arange(1, 60 / spacing_s + 0.5) * spacing_s
    series = {"time_s": times, "arrivals": np.full(len(times), 10), "marks": np.full(len(times), 1)}
    middles, rates = plots.rate_series({"duration_s": 60.0, "series": series}, "marks")
    assert len(rates) == points
    assert rates == pytest.approx(0.1)
    assert middles[0] == pytest.approx(30 / points)
