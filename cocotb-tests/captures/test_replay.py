# SPDX-License-Identifier: Apache-2.0
"""`sluice replay` from the outside: captures made here go in; files, summary and exit status come out."""

from __future__ import annotations

import json
import random
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.sized import udp
from datapath.replaying import Link, run
from scapy.utils import PcapNgWriter, RawPcapReader, RawPcapWriter, rdpcap

from sluice.hardware.datapaths import find
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets import capture
from sluice.packets.datapath import Datapath, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

FRAMES = 300
BURST_NS = 64
CLOCK_NS = 4


def frames(count: int) -> list[bytes]:
    """Some frames."""
    rng = random.Random(3)
    return [udp(rng, rng.randint(60, 1500), ecn=rng.randrange(4), version=rng.choice((4, 6))) for _ in range(count)]


@pytest.fixture
def pcap(tmp_path: Path) -> Path:
    """A capture of frames 10 us apart."""
    path = tmp_path / "made.pcap"
    with RawPcapWriter(str(path), linktype=1, nano=True) as writer:
        writer.write_header(None)
        for i, frame in enumerate(frames(FRAMES)):
            writer.write_packet(frame, sec=1_700_000_000, usec=10_000 * i + 7)
    return path


def test_all_leave_unchanged(pcap: Path, tmp_path: Path) -> None:
    """On an idle link every frame leaves as it came, a little later."""
    out, table, summary = tmp_path / "out.pcap", tmp_path / "frames.tsv", tmp_path / "summary.json"
    assert run(str(pcap), "--config", "red-512", "--out", str(out), "--frames", str(table), "--json", str(summary)) == 0
    result = json.loads(summary.read_text())
    assert result["frames_in"] == result["frames_out"] == FRAMES
    assert result["dropped"] == {}
    assert result["flows"] > 10
    assert 0 < result["delay_us"]["mean"] < result["delay_us"]["p99"] < 1.5
    assert sum(result["parse"].values()) == FRAMES
    left = list(RawPcapReader(str(out)))
    assert [frame for frame, _ in left] == frames(FRAMES)
    delays = [
        meta.sec * 10**9 + meta.usec - (1_700_000_000 * 10**9 + 10_000 * i + 7) for i, (_, meta) in enumerate(left)
    ]
    assert all(0 < delay < 1500 for delay in delays)
    lines = table.read_text().splitlines()
    assert len(lines) == FRAMES + 1
    assert lines[0].startswith("file\tframe\tframe_len\tcap_len\tvlan_ids\tethertype\tip_version\tsrc\tdst\tproto")


def test_a_slow_link_drops_and_marks(pcap: Path, tmp_path: Path) -> None:
    """At a tenth of the rate RED drops, or marks if it may; times of departure are the link's."""
    summary, out = tmp_path / "summary.json", tmp_path / "out.pcap"
    arguments = (str(pcap), "--config", "red-512", "--rate", "40M", "--json", str(summary), "--out", str(out))
    assert run(*arguments, "--set", "weight_exponent=0", "--set", "ecn=1") == 0
    result = json.loads(summary.read_text())
    assert result["marked"] > 0
    assert sum(result["dropped"].values()) > 0
    assert result["frames_out"] + sum(result["dropped"].values()) == FRAMES
    left = list(RawPcapReader(str(out)))
    times = [meta.sec * 10**9 + meta.usec for _, meta in left]
    costs = [(len(frame) + 24) * 200 for frame, _ in left]
    # A token bucket: never ahead of the link by more than the burst, and never behind it while frames wait.
    early = [cost - (later - earlier) for (earlier, later), cost in zip(pairwise(times), costs, strict=False)]
    ahead = list(accumulate(early))
    assert max(ahead) - min(0, *ahead) <= BURST_NS + 2 * CLOCK_NS
    assert max(map(abs, early[1:])) <= 2 * CLOCK_NS


@pytest.mark.parametrize("burst_ns", [0, 10_000_000, 200_000_000])
def test_a_burst_of_any_size(tmp_path: Path, burst_ns: int) -> None:
    """What an idle link has saved up is spent first, then each frame takes its time; the waiting costs no clocks."""
    pcap, summary, out = tmp_path / "made.pcap", tmp_path / "summary.json", tmp_path / "out.pcap"
    count, gap_ns, cost_ns = 30, 10_000, (1500 + 24) * 8000
    capture.write(pcap, [10**9 + gap_ns * i for i in range(count)], [udp(random.Random(3), 1500)] * count)
    settings = ("--rate", "1M", "--set", f"burst={burst_ns}", "--set", "min=500", "--set", "max=900")
    assert run(str(pcap), "--config", "red-512", *settings, "--json", str(summary), "--out", str(out)) == 0
    result = json.loads(summary.read_text())
    assert result["frames_out"] == count
    assert result["clocks"] < 1000 * count
    times = [meta.sec * 10**9 + meta.usec for _, meta in RawPcapReader(str(out))]
    for number, time in enumerate(times):
        expected = times[0] + max(number * gap_ns, number * cost_ns - burst_ns)
        assert abs(time - expected) <= 2 * CLOCK_NS * (number + 1)


def test_pcapng(pcap: Path, tmp_path: Path) -> None:
    """The same from a pcapng file."""
    path = tmp_path / "made.pcapng"
    with PcapNgWriter(str(path)) as writer:
        writer.write(rdpcap(str(pcap)))
    assert run(str(path), "--back-to-back", "--set", "min=500", "--set", "max=900") == 0


@pytest.mark.parametrize(
    ("name", "content"),
    [("empty.pcap", b""), ("text.pcap", b"not a capture at all, only text\n"), ("missing.pcap", None)],
)
def test_what_is_no_capture(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, content: bytes | None
) -> None:
    """One line on standard error, exit status 2."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert run(str(path)) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert name in error


def test_a_stalled_input_waits_for_the_link(tmp_path: Path) -> None:
    """While the input waits, only the slow link moves on, and the waiting costs no clocks."""
    pcap, summary = tmp_path / "made.pcap", tmp_path / "summary.json"
    count = 40
    capture.write(pcap, [10**9 + 1000 * i for i in range(count)], [udp(random.Random(3), 1500)] * count)
    settings = [f"--set={name}" for name in ("stall=1", "limit=12", "min=900", "max=1000")]
    assert run(str(pcap), "--config", "red-512", "--rate", "2M", *settings, "--json", str(summary)) == 0
    result = json.loads(summary.read_text())
    assert result["frames_out"] == count
    assert result["clocks"] < 1000 * count


def test_long_frames_leave_at_once(tmp_path: Path) -> None:
    """Time jumps to the next arrival only when a frame, however long it takes from memory to memory, has left."""
    pcap, out = tmp_path / "made.pcap", tmp_path / "out.pcap"
    times = [10**9 + 100_000 * i for i in range(5)]
    capture.write(pcap, times, [udp(random.Random(3), 9000)] * len(times))
    assert run(str(pcap), "--config", "red-512", "--out", str(out)) == 0
    delays = {
        meta.sec * 10**9 + meta.usec - time for time, (_, meta) in zip(times, RawPcapReader(str(out)), strict=True)
    }
    assert len(delays) == 1
    assert delays.pop() < 2000


def test_idle_time_behind_a_link_counts(tmp_path: Path) -> None:
    """The tile's idle time begins when the link has sent its last frame, also where the clock jumps from there on."""
    averages = []
    for gap_ns in (0, 10**9):
        chosen = find("red-512")
        model = Datapath(chosen.library)
        driver = TileDriver(model, RegisterMap.load(chosen.register_map))
        red = {"min": 500, "max": 900, "weight_exponent": 8, "idle_rate": 0.001}
        driver.configure(Link(40, 24, 64).settings | red)
        sent = capture_of([udp(random.Random(3), 1500)] * 60)
        times = np.zeros(len(sent), np.uint64)
        times[-1] = 60 * 1524 * 40 + gap_ns  # just behind all others, or long after
        model.replay(sent, times, lambda _: None)
        averages.append(driver.read_status("average"))
        model.close()
    assert averages[0] > 3
    assert averages[1] < 0.01


@pytest.mark.parametrize("name", ["red-64", "red-512", "droptail-512"])
@pytest.mark.parametrize("stall", [0, 1])
@pytest.mark.parametrize("link", [Link(0, 0, BURST_NS), Link(0.08, 24, BURST_NS), Link(0.8, 24, BURST_NS)])
def test_jumps_of_time_change_nothing(name: str, stall: int, link: Link) -> None:
    """What a clock shows that never jumps: frame by frame, when each left, and all that the tile has kept."""
    rng = random.Random(f"{name} {stall} {link}")
    for longest_gap in (50, 400, 2000):
        sizes = (60, 64, 200, 576, 1500, 1500, rng.randint(60, 9600), 9000, 9700)
        sent = capture_of([udp(rng, rng.choice(sizes), ecn=rng.randrange(4)) for _ in range(150)])
        gaps = [rng.choice((0, rng.randrange(60), rng.randrange(longest_gap))) for _ in range(150)]
        times = np.cumsum(np.array(gaps, np.uint64) * np.uint64(CLOCK_NS))
        steady, jumping = (replayed(name, sent, times, link, stall, is_steady) for is_steady in (True, False))
        assert (steady[0].seen == jumping[0].seen).all()
        assert (steady[0].departure_ns == jumping[0].departure_ns).all()
        assert (steady[0].entry_ns == jumping[0].entry_ns).all()
        assert steady[1:] == jumping[1:]
        assert jumping[0].clocks <= steady[0].clocks


def replayed(
    name: str, sent: capture.Capture, times: NDArray[np.uint64], link: Link, stall: int, is_steady: bool
) -> tuple[Outcome, dict[str, int], float]:
    """What became of the frames; counters and the average queue behind them."""
    chosen = find(name)
    model = Datapath(chosen.library)
    driver = TileDriver(model, RegisterMap.load(chosen.register_map))
    red = {"weight_exponent": 5, "min": 0.05, "max": 4, "idle_rate": 0.01, "ecn": 1, "probability": 0.3}
    own = red if chosen.config == "red" else {}
    driver.configure(link.settings | own | {"stall": stall, "limit": 12 if stall else 100})
    outcome = model.replay(sent, times, lambda _: None, is_steady)
    counters, average = driver.snapshot(), driver.read_status("average") if chosen.config == "red" else 0
    model.close()
    return outcome, counters, average


def test_gaps_cost_few_clocks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A frame that has the datapath to itself takes the time from its verdict on, not that of its way to the tile too."""
    pcap, summary = tmp_path / "made.pcap", tmp_path / "summary.json"
    capture.write(pcap, [10**9 + 100_000 * i for i in range(200)], [udp(random.Random(3), 60)] * 200)
    assert run(str(pcap), "--config", "red-512", "--json", str(summary)) == 0
    assert json.loads(summary.read_text())["clocks"] < 60 * 200
    assert "clocks per frame" in capfd.readouterr().out


def test_what_does_not_move_is_not_clocked() -> None:
    """Each part's clock runs while a frame is there, and hardly longer, so that gaps and waiting cost few parts' clocks."""
    frames, gap_ns, beats = 200, 100_000, 10
    chosen = find("red-512")
    model = Datapath(chosen.library)
    TileDriver(model, RegisterMap.load(chosen.register_map)).configure(Link(8, 24, BURST_NS).settings)
    before = model.room_clocks()
    times = np.arange(frames, dtype=np.uint64) * np.uint64(gap_ns)
    model.replay(capture_of([udp(random.Random(3), 64 * beats)] * frames), times, lambda _: None)
    clocks = {room: (count - before[room]) / frames for room, count in model.room_clocks().items()}
    model.close()
    assert clocks["registers"] < 3  # only behind the setting of the parameters
    assert max(count for room, count in clocks.items() if room.startswith(("parser_", "core_"))) < 4.1
    assert clocks["ingress"] < beats + 6
    assert clocks["marker"] < beats + 6
    assert clocks["kept"] < beats + 16
    assert clocks["staging"] < 2 * beats + 40
    assert clocks["buffer"] < 2 * beats + 40
    assert max(clocks["parser"], clocks["hash"]) < 60


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_capture_cut_short(pcap: Path, capfd: pytest.CaptureFixture[str], cut: int) -> None:
    """A capture that ends inside a record, or has nothing in it."""
    data = pcap.read_bytes()
    pcap.write_bytes(data[:-cut])
    assert run(str(pcap)) == 2
    assert capfd.readouterr().err.count("\n") == 1
    pcap.write_bytes(data[:24])
    assert run(str(pcap)) == 2
    assert "no frames" in capfd.readouterr().err


def test_a_link_too_slow(pcap: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The error says how slow it may be, and that is true."""
    assert run(str(pcap), "--rate", "400k") == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "488.3 kbit/s" in error
    assert run(str(pcap), "--rate", "488.3k", "--set", "min=500", "--set", "max=900") == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rate", "fast"),
        ("--config", "nonesuch"),
        ("--set", "min"),
        ("--set", "nonesuch=1"),
        ("--set", "ecn=nan"),
        ("--set", "min=inf"),
        ("--set", "limit=1e400"),
    ],
)
def test_wrong_options(pcap: Path, capfd: pytest.CaptureFixture[str], arguments: tuple[str, str]) -> None:
    """One line on standard error, exit status 2."""
    assert run(str(pcap), *arguments) == 2
    assert capfd.readouterr().err.count("\n") == 1
