# SPDX-License-Identifier: Apache-2.0
"""The round-trip times that a core is told, from each of their sources, through a whole datapath."""

from __future__ import annotations

import functools
import random
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from datapath.frames.made import capture_of
from datapath.frames.packets import MACS
from datapath.frames.rtt_options import damaged, made
from datapath.replaying import model_of
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether

from sluice.packets import rtt_table
from sluice.packets.datapath import RTT_OPTIONS, Datapath
from sluice.support.errors import UserError
from sluice_golden.packets.rtt_option import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.hardware.registers import TileDriver

SOURCES = {"option": 0, "table": 1, "port": 2}
DEFAULT_US = 77_000
FRAMES = 3000
MOST_US = (1 << 22) - 1


@pytest.fixture(scope="module", params=["out-witness-64", "out-witness-512"])
def datapath(request: pytest.FixtureRequest) -> Iterator[tuple[Datapath, TileDriver]]:
    """A datapath around a core that asks for round-trip times."""
    model, driver = model_of(request.param)
    yield model, driver
    model.close()


@functools.cache
def made_frames() -> list[bytes]:
    """With the option among others, whole or damaged. scapy takes long to make them: once for all tests."""
    rng = random.Random(1)
    return [made(rng).frame if rng.random() < 0.6 else damaged(rng) for _ in range(FRAMES)]


def told(datapath: tuple[Datapath, TileDriver], frames: list[bytes], port_us: list[int] | None = None) -> Any:
    """What the core was told of each frame."""
    ports = None if port_us is None else np.array(port_us, dtype=np.uint32)
    times = np.zeros(len(frames), np.uint64)
    return datapath[0].replay(capture_of(frames), times, lambda _: None, port_rtt_us=ports).seen


def test_the_option(datapath: tuple[Datapath, TileDriver]) -> None:
    """Each frame's own, whole or damaged, and counters that tell the same."""
    _, driver = datapath
    driver.configure({"rtt_source": SOURCES["option"]})
    before = driver.snapshot()
    seen = told(datapath, made_frames())
    expected = [read(frame) for frame in made_frames()]
    assert [(RTT_OPTIONS[row["rtt_option"]], int(row["rtt_us"])) for row in seen] == expected
    counters = driver.snapshot()
    counted = {name: counters[name] - before[name] for name in counters if name.startswith("rtt_")}
    outcomes = [one.outcome for one in expected]
    assert counted == {
        **{f"rtt_option_{outcome}": outcomes.count(outcome) for outcome in ("good", "bad", "beyond")},
        "rtt_unknown": sum(one.us == 0 for one in expected),
    }
    assert min(counted.values()) > 20


def test_the_port(datapath: tuple[Datapath, TileDriver]) -> None:
    """What it says with a frame's first beat, whatever the frame carries."""
    datapath[1].configure({"rtt_source": SOURCES["port"]})
    rng = random.Random(2)
    times = [rng.randrange(MOST_US + 1) for _ in made_frames()]
    assert told(datapath, made_frames(), times)["rtt_us"].tolist() == times


def test_the_table(datapath: tuple[Datapath, TileDriver]) -> None:
    """The time of the frame's pair of prefixes, and the default of every other, and of what is not IP; addresses of both versions
    with the same bytes are two."""
    model, driver = datapath
    rng = random.Random(3)
    prefixes: list[Any] = [IPv4Network((rng.getrandbits(20) << 12, 20)) for _ in range(40)]
    prefixes += [IPv6Network((int(net.network_address) << 96, 52)) for net in prefixes]
    pairs = [rtt_table.Pair(a, b) for a in prefixes for b in prefixes if a.version == b.version]
    known = dict.fromkeys(rng.sample(pairs, 400), 0)
    known = {pair: rng.randint(1, MOST_US) for pair in known}
    rtt_table.fill(model, driver.map, known)
    lengths = {"rtt_prefix_ipv4": 20, "rtt_prefix_ipv6": 52}
    driver.configure({"rtt_source": SOURCES["table"], "rtt_default": DEFAULT_US, **lengths})
    chosen = [rng.choice(pairs) if rng.random() < 0.3 else rng.choice(list(known)) for _ in range(FRAMES)]
    frames = [bytes(Ether(**MACS) / _between(rng, *pair) / UDP()) for pair in chosen]
    expected = [known.get(pair, DEFAULT_US) for pair in chosen]
    frames.append(bytes(Ether(**MACS) / ARP()))
    expected.append(DEFAULT_US)
    assert told(datapath, frames)["rtt_us"].tolist() == expected
    assert 100 < expected.count(DEFAULT_US) < FRAMES / 2

    rtt_table.fill(model, driver.map, {})
    assert set(told(datapath, frames)["rtt_us"].tolist()) == {DEFAULT_US}


def _between(rng: random.Random, source: Any, destination: Any) -> Any:
    addresses = [net[rng.randrange(net.num_addresses)] for net in (source, destination)]
    return (IP if source.version == 4 else IPv6)(src=str(addresses[0]), dst=str(addresses[1]))


def test_a_table_too_full() -> None:
    """Pairs that find no room are refused, not lost."""
    with pytest.raises(UserError, match="no room"):
        rtt_table.placed(range(0, 3 << 18, 1 << 18))  # three of the same places
