# SPDX-License-Identifier: Apache-2.0
"""`sluice replay` as a function; and frames through a datapath, also one around a witness, without the command."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames.made import capture_of
from lib.simulation import datapath, registers

from sluice.commands.cli import main
from sluice.hardware.datapaths import DatapathConfig
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets.datapath import ACTIONS, Datapath, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

PERIOD_NS = 4


@dataclass(frozen=True)
class Link:
    """The outgoing link as the shaper is set: ns of a byte (0: no limit), bytes that a frame takes besides its own, and
    ns that an idle link may save up."""

    ns_per_byte: float
    overhead_bytes: float
    burst_ns: float

    @property
    def settings(self) -> dict[str, float]:
        """Its parameters."""
        return {"ns_per_byte": self.ns_per_byte, "overhead": self.overhead_bytes, "burst": self.burst_ns}


def run(*arguments: str) -> int:
    """Exit status of the command."""
    with pytest.raises(SystemExit) as end:
        main(["replay", *arguments])
    return int(end.value.code or 0)


def model_of(name: str) -> tuple[Datapath, TileDriver]:
    """The Verilated datapath of that name, and its registers."""
    declared = datapath(name)
    chosen = DatapathConfig(**{field.name: declared[field.name] for field in fields(DatapathConfig)})
    model = Datapath(chosen.library)
    return model, TileDriver(model, RegisterMap.load(chosen.register_map))


def replay(
    name: str,
    link: Link,
    settings: Mapping[str, float],
    frames: list[bytes],
    gap_ns: int,
    is_steady: bool = False,
) -> tuple[Outcome, list[bytes]]:
    """The frames through a datapath before that link, and the bytes that left of each. Its counters must tell the same."""
    model, driver = model_of(name)
    driver.configure(link.settings | settings)
    capture = capture_of(frames)
    times = np.arange(len(frames), dtype=np.uint64) * np.uint64(gap_ns)
    outcome = model.replay(capture, times, lambda _: None, is_steady)
    counters = driver.snapshot()
    model.close()
    seen = Counter(outcome.seen["reason"][outcome.seen["action"] == ACTIONS.index("drop")].tolist())
    for reason in registers(name)["reasons"]:
        if reason["action"] == "drop":
            assert counters[reason["name"].lower().replace(" ", "_")] == seen[reason["code"]], reason["name"]
    assert counters["input_frames"] == len(frames)
    assert counters["output_frames"] == len(frames) - seen.total()
    assert counters["held_frames"] == counters["held_bytes"] == 0
    starts = capture.offset.tolist()
    return outcome, [outcome.output[at : at + len(f)].tobytes() for at, f in zip(starts, frames, strict=True)]
