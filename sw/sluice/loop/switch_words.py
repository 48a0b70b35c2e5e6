# SPDX-License-Identifier: Apache-2.0
"""A tile set as the port of a switch is: the words that `sluice profile import` prints, as the queue discipline takes them."""

from __future__ import annotations

from pathlib import Path

from sluice.driver.sonic import words
from sluice.driver.sonic.profile import Colours
from sluice.hardware.registers import RegisterMap
from sluice.loop.scenario_format import SwitchPort


def of(switch: SwitchPort, registers: RegisterMap) -> str:
    """`ADDRESS=WORD,...` in hexadecimal; nothing for a tile without profiles for many queues, which cannot be set so."""
    if "profile" not in registers.parameters:
        return ""
    colours = Colours(frozenset(switch.yellow), frozenset(switch.red))
    found = words.of_port(words.load(Path(switch.file)), registers, switch.port, colours)
    return ",".join(f"{word.address:x}={word.word:x}" for word in found)
