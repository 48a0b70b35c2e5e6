# SPDX-License-Identifier: Apache-2.0
"""Automatic RED parameters against the values that the sources print."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from sluice.loop import red_auto

Sluice = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(("rate_pps", "printed"), [(125, 0.00797), (375, 0.00266), (833.3, 0.00120)])
def test_weight_is_the_printed_one(rate_pps: float, printed: float) -> None:
    assert red_auto.weight(rate_pps) == pytest.approx(printed, abs=5e-6)


def test_ns2_modes_differ_by_their_time_constants() -> None:
    rate_pps = 1250
    assert red_auto.weight_ns2_fast(rate_pps) == pytest.approx(10 * red_auto.weight(rate_pps), rel=0.01)
    assert red_auto.weight_ns2_rtt(rate_pps, 0.002) == pytest.approx(red_auto.weight(rate_pps), rel=0.01)
    assert red_auto.weight_ns2_rtt(rate_pps, 1.0) < red_auto.weight_ns2_rtt(rate_pps, 0.002)


@pytest.mark.parametrize(("rate_pps", "lower", "upper"), [(1250, 5, 15), (12500, 31.25, 93.75)])
def test_thresholds(rate_pps: float, lower: float, upper: float) -> None:
    assert red_auto.thresholds(rate_pps) == red_auto.Thresholds(lower, upper)


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        (0.002, {"weight_exponent": 9}),
        (0.0008, {"weight_exponent": 10}),
        (1e-9, {"weight_exponent": 12}),
        (0.5, {"weight_exponent": 5}),
        (2**-9, {"weight_exponent": 9, "weight_half": 0}),
        (0.0008, {"weight_exponent": 11, "weight_half": 1}),
        (0.5, {"weight_exponent": 5, "weight_half": 1}),
    ],
)
def test_nearest_weight(wanted: float, nearest: dict[str, int]) -> None:
    assert red_auto.nearest_weight(wanted, has_halves="weight_half" in nearest) == nearest


@pytest.mark.parametrize(
    ("rule", "rate_pps", "delay_s", "weight"),
    [
        ("report", 1250, 0.02, 1 - math.exp(-1 / 1250)),  # q_weight_ 0
        ("ns2-rtt", 1250, 0.02, 1 - math.exp(-1 / (10 * 0.1 * 1250))),  # -1, the least round trip
        ("ns2-rtt", 1250, 0.1, 1 - math.exp(-1 / (10 * 0.3024 * 1250))),  # -1, three link delays
        ("ns2-fast", 1250, 0.02, 1 - math.exp(-10 / 1250)),  # -2
    ],
)
def test_rules_are_ns2s(rule: str, rate_pps: float, delay_s: float, weight: float) -> None:
    assert red_auto.WEIGHTS[rule](rate_pps, delay_s) == pytest.approx(weight, rel=1e-9)


def test_the_command_prints_registers(sluice: Sluice, project: Path) -> None:
    file = project / "red.json"
    status, out, _ = sluice(*f"red-auto --rate 3Mbit --packet 1000 --json {file}".split())
    result = json.loads(file.read_text())
    assert status == 0
    assert "0x00014000" in out  # min 5 in Q18.14
    assert "wanted 0.00266, the hardware has 0.00195" in out
    assert result["parameters"]["weight_exponent"] == 9
    assert (result["parameters"]["min"], result["words"]["max"]) == (5, 15 << 14)


def test_a_weight_out_of_reach_is_said(sluice: Sluice) -> None:
    _, out, _ = sluice(*["red-auto", "--rate", "10Gbit", "--delay", "1ms"])
    assert "times as fast as the rule asks" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("red-auto", "Missing option '--rate'"),
        ("red-auto --rate 10", "'10' is no rate; write it like 10Mbps"),
        ("red-auto --rate 0bps", "'0bps' is no rate"),
        ("red-auto --rate 10Mbps --delay 5", "'5' is no time; write it like 5ms"),
        ("red-auto --rate 10Mbps --config blue", "unknown configuration 'blue'"),
        ("red-auto --rate 100Gbit --packet 64 --delay 10s", "min=9.76562e+08 is outside"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(sluice: Sluice, arguments: str, says: str) -> None:
    status, _, err = sluice(*arguments.split())
    assert (status, len(err.splitlines())) == (2, 1)
    assert says in err
