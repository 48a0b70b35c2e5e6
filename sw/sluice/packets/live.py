# SPDX-License-Identifier: Apache-2.0
"""What a run of Linux' own TCP through a datapath is told: parameters as register words, and the process that has them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sluice.hardware.datapaths import DatapathConfig
from sluice.hardware.registers import RegisterMap, TileDriver
from sluice.packets import replay
from sluice.packets.datapath import Datapath
from sluice.support import paths

FRAME_BYTES = 1514
"""A full one, without preamble, check sequence and gap."""


def parameters(chosen: DatapathConfig, rate_bps: float, settings: Mapping[str, float]) -> dict[str, float]:
    """All that is set, the link's rate and what follows from it among them; a user error if the datapath refuses it."""
    registers = RegisterMap.load(chosen.register_map)
    wire_bytes = FRAME_BYTES + replay.ETHERNET_OVERHEAD
    facts = {"packet_bytes": FRAME_BYTES, "rate_bps": rate_bps, "rate_pps": rate_bps / 8 / wire_bytes}
    wanted = {**replay.link(registers, rate_bps), **registers.following(facts), **settings}
    datapath = Datapath(chosen.library)
    try:
        TileDriver(datapath, registers).configure(wanted)
    finally:
        datapath.close()
    return wanted


def register_words(chosen: DatapathConfig, values: Mapping[str, float]) -> dict[int, int]:
    """These parameters as words, by address."""
    registers = RegisterMap.load(chosen.register_map)
    return {registers.parameter(name).address: registers.parameter(name).raw(value) for name, value in values.items()}


def words(chosen: DatapathConfig, values: Mapping[str, float]) -> list[str]:
    """The words of `build/live/sluice-live` for a datapath with these parameters."""
    told = ["--datapath", chosen.name, "--library", str(chosen.library), "--digest", str(chosen.digest)]
    for address, word in register_words(chosen, values).items():
        told += ["--word", f"{address}={word}"]
    for name, value in values.items():
        told += ["--parameter", f"{name}={json.dumps(value)}"]
    for reason in chosen.reasons:
        told += [f"--{reason['action']}", f"{reason['code']}={reason['name']}"]
    return told


def program() -> str:
    """The process, built if it was not there."""
    return str(paths.made(paths.build() / "live" / "sluice-live"))
