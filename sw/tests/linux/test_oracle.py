# SPDX-License-Identifier: Apache-2.0
"""The kernel's qdiscs beside the RTL: the link behind the tile, traces, what is compared; and where the kernel is, itself."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from codel_pseudocode import exact, fates, newton

from sluice.experiments.linux import comparison, disciplines, machine, traffic
from sluice.experiments.linux.comparison import Fate, Measured
from sluice.experiments.linux.traffic import Packet
from sluice.packets import capture
from sluice.support.errors import UserError

RATE = 10_000_000
NS_PER_BYTE = 800


def through(name: str, packets: list[Packet]) -> list[Fate]:
    (discipline,) = disciplines.named((name,))
    return comparison.through_rtl(discipline, packets, RATE)


def test_the_link_keeps_its_rate_and_order() -> None:
    packets = traffic.constant(1.5 * RATE, 2)
    fates = through("red", packets)
    left = [fate.departure_ns for fate in fates if fate.departure_ns >= 0]
    assert left == sorted(left)
    assert comparison.link_rate(fates, packets, NS_PER_BYTE) == pytest.approx(1, abs=1e-3)
    assert all(fate.departure_ns >= fate.arrival_ns for fate in fates if fate.departure_ns >= 0)
    # What came and did not fit: the link's share is 2/3, and the queue ends between RED's thresholds and its limit.
    dropped = sum(fate.departure_ns < 0 for fate in fates)
    assert dropped == pytest.approx(len(packets) / 3, abs=100)


def test_an_idle_link_has_its_burst_and_no_more() -> None:
    """HTB's bucket: after a pause packets leave at once until a byte more than the burst is owed."""
    burst = [Packet(1_000_000_000, 1000, 1, 0)] * 6
    left = [fate.departure_ns - 1_000_000_000 for fate in through("red", burst)]
    at_once = comparison.BURST_BYTES // 1000 + 1
    assert left[:at_once] == [0] * at_once
    first = (1000 * at_once - comparison.BURST_BYTES) * NS_PER_BYTE
    assert left[at_once:] == [first, first + 1000 * NS_PER_BYTE]


def test_codel_drops_at_the_head_and_marks_who_can() -> None:
    packets = traffic.constant(1.5 * RATE, 3)
    without, marked = Measured.of(through("codel", packets)), Measured.of(through("codel-ecn", packets))
    assert without.marks == 0 < marked.marks
    assert 0 < marked.drops < without.drops


def test_pie_works_between_packets() -> None:
    """Without ticks its probability would stay 0, and nothing be dropped below the limit."""
    assert Measured.of(through("pie", traffic.constant(1.5 * RATE, 4))).drops > 500


def test_a_capture_is_a_trace(tmp_path: Path) -> None:
    head = bytes.fromhex("020000000002 020000000001 0800 45 03 0040 0000 0000 40 11 0000 0a000001 0a000002 1234")
    frames = [head + bytes([port]) + bytes(61) for port in (1, 2, 1)] + [bytes(60)]
    file = tmp_path / "some.pcap"
    capture.write(file, [5_000, 6_000, 9_000, 9_500], frames)
    packets = traffic.of_capture(file)
    assert [packet.time_ns for packet in packets] == [0, 1_000, 4_000, 4_500]
    assert [packet.ecn for packet in packets] == [3, 3, 3, 0]
    assert packets[0].flow == packets[2].flow != packets[1].flow
    assert packets[3].bytes == traffic.LEAST_BYTES


def test_tc_is_told_bytes() -> None:
    (red,) = disciplines.named(("red",))
    assert red.words(1514, 10_000_000).startswith("limit 605600 min 45420 max 136260 avpkt 1514 burst 55 ")
    with pytest.raises(UserError, match="unknown discipline 'purple'"):
        disciplines.named(("purple",))


def test_a_link_that_had_no_time_is_seen() -> None:
    packets = [Packet(0, 1000, 1, 0)] * 4
    fates = [Fate(0, 1 + i * 1_000_000, is_marked=False) for i in range(4)]
    assert comparison.link_rate(fates, packets, NS_PER_BYTE) == pytest.approx(0.8)
    idle = [Fate(at, at, is_marked=False) for at in range(4)]
    assert comparison.link_rate(idle, packets, NS_PER_BYTE) == 1


@pytest.mark.skipif(not shutil.which("linux.uml"), reason="no kernel here; on Debian: apt-get install user-mode-linux")
def test_the_kernel_itself(tmp_path: Path) -> None:
    """It boots, and counts as many drops as packets did not leave. Its link is as fast as the machine lets it be."""
    (red,) = disciplines.named(("red",))
    packets = traffic.constant(2 * RATE, 1)
    found = comparison.compare(machine.find(None), red, packets, RATE, tmp_path)
    assert found.linux.drops > 0
    assert found.linux.drops == pytest.approx(found.rtl.drops, rel=0.5)


def test_a_script_that_fails_says_so(tmp_path: Path) -> None:
    """Of any program in the kernel's place: nothing was done."""
    host = machine.Machine(Path("/bin/true"), Path("/nowhere"))
    with pytest.raises(UserError, match=r"script .* failed"):
        machine.run(host, ["false"], tmp_path, 10)


def test_codel_differs_from_the_kernels_by_its_root() -> None:
    """The RTL is the RFC's pseudo-code with exact roots. With the kernel's, a Newton step for each drop, drops come sooner where
    they have just begun, so that the queue is shorter by as much as the kernel's is (docs/trust/linux.md)."""
    packets = traffic.constant(1.1 * RATE, 60)
    rtl = Measured.of(through("codel", packets))
    rfc, linux = (Measured.of(fates(packets, NS_PER_BYTE, root)) for root in (exact, newton))
    assert rtl.queue == pytest.approx(rfc.queue, rel=0.01)
    assert rtl.drops == pytest.approx(rfc.drops, rel=0.005)
    assert 0.92 < linux.queue / rtl.queue < 0.96
    assert linux.drops > rtl.drops


def test_sfb_differs_by_whose_bins_are_shared() -> None:
    """The ids of this trace are multiples of one number. Random ones share other bins: the queue is another, drops hardly are."""
    packets = traffic.constant(1.1 * RATE, 60)
    rng, ids = random.Random(1), dict[int, int]()
    other = [packet._replace(flow=ids.setdefault(packet.flow, rng.getrandbits(32))) for packet in packets]
    own, theirs = (Measured.of(through("sfb", each)) for each in (packets, other))
    assert 1.08 < theirs.queue / own.queue < 1.25
    assert theirs.drops == pytest.approx(own.drops, rel=0.05)
