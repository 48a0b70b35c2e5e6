# SPDX-License-Identifier: Apache-2.0
"""The component between two simulators that speak SimBricks' protocol: time is the simulation's, whoever waits for whom."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from built import built
from simbricks_host import IN_STEP, NEEDS_STEP, Host

from sluice.hardware import datapaths
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets import live
from sluice.packets.capture import Capture
from sluice.packets.datapath import Datapath
from sluice.support import paths

RATE_BPS = 1e9
LATENCY_NS = 4_000
LATENCY_PS = LATENCY_NS * 1000
WITHIN_FRAMES_NS = 1237
"""After ten of these a silence ends within the next full frame's beats, 12,304 ns behind the one before."""
FRAMES = 1000
MOST_S = 100

Plan = list[tuple[int, bytes]]


def plan() -> Plan:
    """Frames of all sizes, half again as many as the link carries, some of them in bursts; each bears its number."""
    draw = random.Random(1)
    now_ns, frames = 0, []
    for number in range(FRAMES):
        size = draw.choice((60, 61, 590, 1514))
        frames.append((now_ns * 1000, bytes(12) + b"\x88\xb5" + number.to_bytes(4, "big") + draw.randbytes(size - 18)))
        now_ns += 0 if draw.random() < 0.3 else round(draw.expovariate(1 / 1100)) * 4
    return frames


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not tmp_path: an address has room for 107 characters."""
    built(paths.build() / "simbricks" / "sluice-simbricks")
    built(paths.models() / "red-512" / "libsluice_datapath.so")
    with tempfile.TemporaryDirectory(prefix="sluice-") as name:
        yield Path(name)


def component(folder: Path, *options: str, datapath: str = "red") -> subprocess.Popen[str]:
    sluice = Path(sys.executable).with_name("sluice")
    command = [
        sluice,
        "simbricks",
        datapath,
        folder / "left",
        folder / "right",
        "--latency",
        f"{LATENCY_NS}ns",
        *options,
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def simulated(folder: Path, interval_ns: int, forward: Plan, backward: Plan) -> tuple[Plan, Plan, str]:
    """What comes at the right, what at the left, and what the component says."""
    end_ps = forward[-1][0] + 1_000_000_000
    timing = (LATENCY_PS, interval_ns * 1000, end_ps)
    with Host(folder / "left", *timing, forward) as left, Host(folder / "right", *timing, backward) as right:
        with component(folder, "--sync", f"{interval_ns}ns") as process:
            assert [host.greet() for host in (left, right)] == 2 * [IN_STEP | NEEDS_STEP]
            until = time.monotonic() + MOST_S
            while process.poll() is None:
                left.step()
                right.step()
                assert time.monotonic() < until
            said, wrong = process.communicate()
        assert process.returncode == 0, wrong
        left.step()
        right.step()
        assert left.has_ended
        assert right.has_ended
        return right.came, left.came, said


def replayed(frames: Plan) -> Plan:
    """The same by the datapath alone, every clock simulated: frames reach it after the latency, and the right after another."""
    chosen = datapaths.find("red")
    datapath = Datapath(chosen.library)
    TileDriver(datapath, RegisterMap.load(chosen.register_map)).configure(live.parameters(chosen, RATE_BPS, {}))
    lengths = np.array([len(frame) for _, frame in frames], np.uint32)
    offsets = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.uint64)
    times = np.array([time_ps // 1000 + LATENCY_NS for time_ps, _ in frames], np.uint64)
    data = np.frombuffer(b"".join(frame for _, frame in frames), np.uint8).copy()
    capture = Capture("", np.arange(len(frames), dtype=np.uint32), times, offsets, lengths, lengths, data, 0)
    outcome = datapath.replay(capture, times, lambda _: None)
    datapath.close()
    pairs = zip(outcome.departure_ns, frames, strict=True)
    return [((int(left_ns) + LATENCY_NS) * 1000, frame) for left_ns, (_, frame) in pairs if left_ns]


def test_the_same_at_two_intervals(folder: Path) -> None:
    """What comes, what is dropped, and all times to the ps are those of the datapath alone, however often they speak."""
    forward = plan()
    backward = [(1_000_000 + 777_000 * number, b"back" + bytes(56) + bytes([number])) for number in range(200)]
    wanted = replayed(forward)
    assert 50 < FRAMES - len(wanted) < FRAMES / 2
    for interval_ns in (LATENCY_NS, WITHIN_FRAMES_NS):
        within = folder / str(interval_ns)
        within.mkdir()
        right, left, said = simulated(within, interval_ns, forward, backward)
        assert right == wanted
        assert left == [(time_ps + 2 * LATENCY_PS, frame) for time_ps, frame in backward]
        assert said == f"{FRAMES} frames in, {FRAMES - len(wanted)} dropped\n"


def test_who_does_not_keep_in_step(folder: Path) -> None:
    """Is refused."""
    with Host(folder / "left", LATENCY_PS, LATENCY_PS, 0, []) as left, component(folder) as process:
        left.greet(0)
        _, said = process.communicate(timeout=MOST_S)
    assert (process.returncode, said) == (2, f"sluice simbricks: {folder}/left: does not keep in step\n")


def test_a_simulator_that_goes(folder: Path) -> None:
    """Without a word: the component does not wait for it."""
    left, right = (Host(folder / side, LATENCY_PS, LATENCY_PS, 10**12, []) for side in ("left", "right"))
    with component(folder) as process:
        left.greet()
        right.greet()
        left.step()
        right.close()
        _, said = process.communicate(timeout=MOST_S)
    left.close()
    assert (process.returncode, said) == (2, f"sluice simbricks: {folder}/right: the simulator has gone\n")


def test_mistakes(folder: Path) -> None:
    """One line each."""
    for datapath, options, says in (
        ("red", ("--sync", "5us"), "the latency is 512ns or more, and no less than --sync"),
        ("red-64", (), "red-64 takes more than 256ns for a frame; take one of 512 bits"),
        ("red", (), "No such file or directory"),
    ):
        with component(folder, *options, datapath=datapath) as process:
            _, said = process.communicate(timeout=MOST_S)
        assert (process.returncode, said.count("\n")) == (2, 1)
        assert says in said
