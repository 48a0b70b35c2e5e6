# SPDX-License-Identifier: GPL-2.0-only
"""AIMD and binomial congestion control against closed forms, on scripted acks and losses."""

from __future__ import annotations

from importlib import import_module

import pytest

SEGMENT = 1000
ROUNDING = 1.01 / SEGMENT  # windows are whole bytes


def play(congestion, script, window=20.0, threshold=10.0):
    return import_module("sluice_ns3").play_congestion_script(congestion, SEGMENT, window, threshold, script)


@pytest.mark.parametrize(
    ("congestion", "alpha", "k"),
    [
        ("ns3::TcpAimd", 1, 0),
        ("ns3::TcpAimd[A=2|B=0.5]", 2, 0),
        ("ns3::TcpAimd[A=0.75|B=0.31]", 0.75, 0),
        ("ns3::TcpBinomial", 1, 0),
        ("ns3::TcpBinomial[Alpha=1.5|Beta=1|K=2|L=0]", 1.5, 2),
        ("ns3::TcpBinomial[K=0.5|L=0.5]", 1, 0.5),
    ],
)
def test_increase(congestion, alpha, k):
    """dw/dn = alpha / w^(k+1) per ack, so w^(k+2) grows by (k+2) alpha per ack."""
    acks = 5000
    windows = play(congestion, "a" * acks)
    assert windows[0] == pytest.approx(20 + alpha / 20 ** (k + 1), abs=ROUNDING)
    assert windows[-1] == pytest.approx((20 ** (k + 2) + (k + 2) * alpha * acks) ** (1 / (k + 2)), rel=0.002)


@pytest.mark.parametrize(
    ("congestion", "after"),
    [
        ("ns3::TcpAimd", lambda w: 0.5 * w),
        ("ns3::TcpAimd[A=1|B=0.31]", lambda w: 0.69 * w),
        ("ns3::TcpAimd[A=1|B=0.31|Reading=Kept]", lambda w: 0.31 * w),
        ("ns3::TcpAimd[A=1|B=0.9|Reading=Kept]", lambda w: 0.9 * w),
        ("ns3::TcpBinomial[Alpha=1.5|Beta=1|K=2|L=0]", lambda w: w - 1),
        ("ns3::TcpBinomial[Alpha=1.5|Beta=1|K=2|L=0|Reading=Kept]", lambda w: w),
        ("ns3::TcpBinomial[Beta=0.5|K=0.5|L=0.5]", lambda w: w - 0.5 * w**0.5),
    ],
)
def test_decrease(congestion, after):
    """The first loss halves, later ones follow the rule."""
    first, second = play(congestion, "ll")
    assert first == 10
    assert second == pytest.approx(max(after(10), 2), abs=ROUNDING)


def test_slow_start_doubles_and_halves_on_loss():
    kept = "ns3::TcpAimd[A=1|B=0.9|Reading=Kept]"
    assert play(kept, "aaa", window=4, threshold=100) == [5, 6, 7]
    # First loss halves; then a loss below the threshold halves again although nine tenths are kept.
    assert play(kept, "l", window=8, threshold=100) == [4]
    assert play(kept, "ltaaal", window=40, threshold=10)[-1] == 2


def test_loss_after_timeout_halves():
    kept = "ns3::TcpAimd[A=0|B=0.9|Reading=Kept]"
    windows = play(kept, "l" + "t" + "a" * 17 + "l" + "l", window=40)
    # 20 after the first loss, threshold 18 at the timeout, 18 again, then half, then nine tenths.
    assert windows[0] == 20
    assert windows[1] == 1
    assert windows[18:] == pytest.approx([18, 9, 8.1])


def test_a_window_has_two_segments_at_least_or_as_told():
    assert play("ns3::TcpAimd", "lll", window=3) == [2, 2, 2]
    assert play("ns3::TcpAimd[Least=1]", "lll", window=3) == [1.5, 1, 1]


def test_standard_parameters_are_tcp():
    script = ("a" * 30 + "l") * 5
    assert play("ns3::TcpBinomial", script) == play("ns3::TcpAimd", script)
    reno = play("ns3::TcpNewReno", script)
    assert play("ns3::TcpAimd", script) == pytest.approx(reno, rel=0.01)


@pytest.mark.parametrize(("script", "reason"), [("ax", "unknown letter 'x'")])
def test_wrong_script(script, reason):
    with pytest.raises(ValueError, match=reason):
        play("ns3::TcpAimd", script)
