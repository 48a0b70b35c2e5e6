# SPDX-License-Identifier: GPL-2.0-only
"""The scalable sender: its rules on scripted acknowledgements, marks and losses, and what it does on a link."""

from __future__ import annotations

from importlib import import_module

import pytest

PRAGUE = "ns3::TcpPragueLike"
FRESH = f"{PRAGUE}[AlphaOnInit=0]"
SEGMENT = 1000


def play(script, congestion=PRAGUE, window=20.0, threshold=10.0, rtt_ms=100.0, watched="Window"):
    module = import_module("sluice_ns3")
    return module.play_congestion_script(congestion, SEGMENT, window, threshold, script, rtt_ms, watched)


def rounds(letter, count, window=100):
    """So many rounds whose acknowledgements are all like this one; a round ends with the first one after its time."""
    return (letter * window + "r") * count + letter


def test_alpha_follows_the_share_of_marks_exactly():
    seen = play(rounds("e", 12), FRESH, watched="Alpha")
    ends = sorted(set(seen))
    assert ends == pytest.approx([1 - (15 / 16) ** n for n in range(13)], abs=1e-12)


def test_alpha_follows_the_share_of_marks_in_a_round():
    """The acknowledgement that ends a round is of it: 2 of 5 marked, then 1 of 4 twice."""
    seen = play("eaaar" * 3 + "e", FRESH, window=2, threshold=2, watched="Alpha")
    first = 2 / 5 / 16
    second = 15 / 16 * first + 1 / 4 / 16
    third = 15 / 16 * second + 1 / 4 / 16
    assert list(dict.fromkeys(seen)) == pytest.approx([0, first, second, third], abs=1e-12)


def test_alpha_stays_until_the_first_mark():
    assert set(play(rounds("a", 10), watched="Alpha")) == {1}
    assert play(rounds("a", 10) + rounds("e", 1), watched="Alpha")[-1] == 1


@pytest.mark.parametrize(
    ("rtt_ms", "target", "gain"), [(25, "25ms", 1), (80, "25ms", 1), (5, "25ms", 0.04), (5, "0ms", 1)]
)
def test_increase(rtt_ms, target, gain):
    """w^2 grows by 2 a each acknowledgement, a = (srtt / RttTarget)^2 below it, once four rounds have gone by."""
    lead = rounds("a", 25)
    congestion = f"{PRAGUE}[RttTarget={target}]"
    seen = play(lead + "a" * 1000, congestion, rtt_ms=rtt_ms)
    assert seen[-1] ** 2 - seen[len(lead) - 1] ** 2 == pytest.approx(2000 * gain, rel=0.002)


def test_growth_is_slowed_down_after_the_transition_alone():
    early = play("a" * 100, rtt_ms=5)
    assert early[-1] ** 2 - early[0] ** 2 == pytest.approx(198, rel=0.002)


def test_a_mark_takes_half_of_alpha_once_a_round():
    """At 5 ms a round is of RttTarget, 25 ms: five round-trip times."""
    script = "e" * 30 + "re" * 5 + "e"  # more than what is on its way, then the time
    seen = play(script, f"{PRAGUE}[AlphaOnInit=0.5]", rtt_ms=5)
    alpha = 15 / 16 * 0.5 + 1 / 16
    assert seen[:-1] == [15] * (len(script) - 1)
    assert seen[-1] == pytest.approx(15 * (1 - alpha / 2), abs=1e-12)
    soon = play(script, f"{PRAGUE}[AlphaOnInit=0.5|RttTarget=0ms]", rtt_ms=5)
    assert soon[:32] == [15] * 32
    assert soon[32] == 15 > soon[33]


def test_the_window_grows_between_marks_of_a_round():
    seen = play("e" + "a" * 10 + "e")
    assert seen[0] == 10
    assert seen[10] ** 2 - seen[0] ** 2 == pytest.approx(20, rel=0.02)
    assert seen[11] == seen[10]


def test_a_loss_halves_once_a_window():
    seen = play("l" + "a" * 5 + "l" + "a" * 20 + "l")
    assert seen[0] == 10
    assert seen[6] == seen[5] > 10
    assert seen[-1] == pytest.approx(seen[-2] / 2)


def test_marks_after_a_loss_do_not_reduce_again():
    windows = play("l" + "e" * 5)
    assert windows == [10] * 6
    alphas = play("l" + "e" * 30 + "r" + "e", FRESH, watched="Alpha")
    assert alphas[0] < alphas[-1]


def test_a_timeout_begins_anew():
    windows = play("t" + "a" * 20)
    assert windows[:10] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert 10 < windows[-1] < 12
    assert play("e" + rounds("a", 20) + "t", watched="Alpha")[-1] == 1


def test_slow_start_ends_with_the_first_mark():
    seen = play("aaaea", window=4, threshold=1e6)
    assert seen[:4] == [5, 6, 7, 3.5]
    assert seen[4] == pytest.approx(3.5 + 1 / 3.5)


def test_the_socket_sees_whole_segments_rounded_up_and_two_at_least():
    assert play("ea", window=5, watched="") == [3, 3]
    assert play(rounds("e", 5, window=10), window=5, watched="")[-1] == 2


@pytest.mark.parametrize("congestion", ["ns3::TcpNewReno", "ns3::TcpAimd"])
def test_marks_are_for_what_answers_them_itself(congestion):
    with pytest.raises(ValueError, match="'e' is for what answers marks itself"):
        play("e", congestion, watched="")


def test_what_is_watched_must_be_there():
    with pytest.raises(ValueError, match="has no number 'Beta'"):
        play("a", watched="Beta")
