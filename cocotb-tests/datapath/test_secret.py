# SPDX-License-Identifier: Apache-2.0
"""The secret of the flow hash goes into the hardware and never comes out: of no register, and with nothing that is written."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from datapath.frames.made import capture_of
from datapath.frames.sized import udp
from datapath.replaying import run
from lib.simulation import catalog, registers

from sluice.hardware.datapaths import find
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets import capture
from sluice.packets.datapath import Datapath

if TYPE_CHECKING:
    from pathlib import Path

MAP_BYTES = 1 << 12
NAME = "red-64"
DATAPATHS = [entry["name"] for entry in catalog()["datapaths"]]


def written(secret: bytes) -> set[bytes]:
    """The words of a secret in all forms in which something could show them."""
    words = [int.from_bytes(secret[i : i + 4], "big") for i in range(0, len(secret), 4)]
    forms = [form for word in words for form in (f"{word:08x}", f"{word:08X}", str(word))]
    raw = [word.to_bytes(4, order) for word in words for order in ("big", "little")]
    return {*map(str.encode, forms), *raw}


def test_no_register_shows_it() -> None:
    """Every address of the map, before and after a SNAPSHOT, a COMMIT, and frames."""
    chosen = find(NAME)
    model = Datapath(chosen.library)
    known = RegisterMap.load(chosen.register_map)
    driver = TileDriver(model, known)
    secret = random.Random(1).randbytes(40)
    words = [int.from_bytes(secret[i : i + 4], "big") for i in range(0, 40, 4)]
    for i, word in enumerate(words):
        model.write(known.addresses[f"SECRET{i}"], word)

    def shown() -> set[int]:
        found = set()
        for address in range(0, MAP_BYTES, 4):
            try:
                found.add(model.read(address))
            except ValueError:
                continue  # there is no such word
        return found

    first = shown()
    assert len(first) > 20
    assert not first & set(words)
    driver.snapshot()
    driver.configure({"limit": 500})
    assert not shown() & set(words)
    for i in range(10):
        assert model.read(known.addresses[f"SECRET{i}"]) in {0, 1}
    model.close()


def test_nothing_that_a_replay_writes_shows_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Summary, table of frames, frames that leave, and what is printed; the secret in force is the one after reset."""
    pcap, summary, table, out = (tmp_path / name for name in ("in.pcap", "summary.json", "frames.tsv", "out.pcap"))
    rng = random.Random(2)
    frames = [udp(rng, 200, version=4 + 2 * (i % 2)) for i in range(50)]
    capture.write(pcap, list(range(0, 50_000, 1000)), frames)
    files = ("--json", str(summary), "--frames", str(table), "--out", str(out))
    assert run(str(pcap), "--config", NAME, *files) == 0
    printed = "".join(capfd.readouterr()).encode()
    words = [word["reset"] for word in registers(NAME)["registers"] if word["name"].startswith("SECRET")]
    forms = written(b"".join(word.to_bytes(4, "big") for word in words))
    assert len(forms) >= 40
    texts = {"printed": printed, **{file.name: file.read_bytes() for file in (summary, table, out)}}
    assert {name for name, text in texts.items() if any(form in text for form in forms)} == set()
    assert capture_of(frames).data.tobytes() == capture.read(out).data.tobytes()


@pytest.mark.parametrize("name", DATAPATHS)
def test_maps_say_that_it_cannot_be_read(name: str) -> None:
    """What tools list and read by name, a snapshot among it, is without; the words are written only, and come up as published."""
    declared = registers(name)
    words = [word for word in declared["registers"] if word["name"].startswith("SECRET")]
    assert len(words) == 10
    assert {word["access"] for word in words} == {"wo"}
    addresses = {word["address"] for word in words}
    for kind in ("parameters", "counters", "status", "reasons"):
        read = {entry["address"] for entry in declared[kind]} | {entry["address"] + 4 for entry in declared[kind]}
        assert not read & addresses, kind
    assert [word["reset"] for word in words] == [word["reset"] for word in _published()]
    assert "secret" not in json.dumps(declared["counters"] + declared["status"]).lower()


def _published() -> list[dict[str, int]]:
    return [word for word in registers(NAME)["registers"] if word["name"].startswith("SECRET")]
