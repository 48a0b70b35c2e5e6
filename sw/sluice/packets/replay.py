# SPDX-License-Identifier: Apache-2.0
"""A capture through a Verilated datapath before a link of some rate: what `sluice replay` and experiments with frames share."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sluice.hardware.datapaths import DatapathConfig
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets import queue_table
from sluice.packets.capture import Capture
from sluice.packets.datapath import NO_WRITES, Datapath, Outcome, Writes
from sluice.packets.queue_table import QueueFate
from sluice.support.errors import UserError
from sluice.support.output import write_text

ETHERNET_OVERHEAD = 24
"""Preamble, frame check sequence and gap, which a frame of a capture comes without."""

_COLUMNS = ("time_ns", "address", "word")

_BURST_NS = 64
"""What the link may start early after an idle time: enough to make good what a whole clock starts late."""


@dataclass(frozen=True)
class Replay:
    """What became of a capture."""

    parameters: dict[str, float]
    """What was set, the shaper's among them."""
    outcome: Outcome
    counters: dict[str, int]
    """All of the datapath, at the end."""
    queues: list[QueueFate]
    """Of a datapath of many queues each that a frame came to."""
    seconds: float
    """Of the processor, that the model took."""


def through(
    chosen: DatapathConfig,
    frames: Capture,
    arrival_ns: NDArray[Any],
    rate_bps: float | None,
    settings: Mapping[str, float],
    progress: Callable[[int], None] = lambda _: None,
    writes: Writes = NO_WRITES,
) -> Replay:
    """The frames, each no earlier than its arrival, through a fresh datapath with these settings; without a rate the link takes
    them as fast as they go. Words are written into its registers meanwhile, those of time 0 before the first frame. `progress` is
    told how many frames are done."""
    registers = RegisterMap.load(chosen.register_map)
    parameters = {**link(registers, rate_bps), **settings}
    datapath = Datapath(chosen.library)
    try:
        driver = TileDriver(datapath, registers)
        driver.configure(parameters)
        is_first = writes.time_ns == 0
        for address, word in zip(writes.address[is_first], writes.value[is_first], strict=True):
            datapath.write(int(address), int(word))
        writes = Writes(writes.time_ns[~is_first], writes.address[~is_first], writes.value[~is_first])
        begun = time.process_time()
        # The capture's steps backwards are taken out: a link has one order.
        outcome = datapath.replay(frames, np.maximum.accumulate(arrival_ns), progress, writes=writes)
        seconds = time.process_time() - begun
        counters = driver.snapshot()
        queues = (
            queue_table.fates(datapath, driver, outcome, frames.length, chosen.reasons) if chosen.has_queues else []
        )
        return Replay(parameters, outcome, counters, queues, seconds)
    finally:
        datapath.close()


def recorded_writes(path: Path) -> Writes:
    """The words that were written into registers in a live run, of its NAME-writes.tsv."""
    try:
        with path.open() as text:
            rows = [[int(row[name], 0) for name in _COLUMNS] for row in csv.DictReader(text, delimiter="\t")]
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        raise UserError(f"{path} is no table of {', '.join(_COLUMNS)}") from None
    times, addresses, words = zip(*rows, strict=True) if rows else ((), (), ())
    return Writes(np.array(times, np.uint64), np.array(addresses, np.uint32), np.array(words, np.uint32))


def write_at_once(path: Path, words: Iterable[tuple[int, int]]) -> None:
    """A table of words, addresses and what is written there, that are all there before the first frame."""
    lines = [_COLUMNS, *((0, f"0x{address:X}", f"0x{word:X}") for address, word in words)]
    write_text(path, "".join("\t".join(map(str, line)) + "\n" for line in lines))


def link(registers: RegisterMap, rate_bps: float | None) -> dict[str, float]:
    """The shaper's parameters for a link of that rate, or for one without a limit."""
    if rate_bps is None:
        return {"ns_per_byte": 0, "overhead": 0, "burst": _BURST_NS}
    field = registers.parameter("ns_per_byte")
    lowest_bps = 8e9 / field.value((1 << field.width) - 1)
    if rate_bps < lowest_bps:
        raise UserError(f"--rate: the slowest link that the datapath shapes has {lowest_bps / 1e3:.1f} kbit/s")
    return {"ns_per_byte": 8e9 / rate_bps, "overhead": ETHERNET_OVERHEAD, "burst": _BURST_NS}
