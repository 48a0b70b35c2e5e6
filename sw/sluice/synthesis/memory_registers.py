# SPDX-License-Identifier: Apache-2.0
"""Moves registers behind an ECP5 block memory into it, before place and route.

A DP16KD has a register at each of its outputs. Vendors' tools use it for a register behind a read; Yosys 0.70 does
not, and 4.3 ns of a clock are then over before the data leave the memory, against 0.7 ns from its own register. This
pass works on a netlist in Yosys' JSON form, in place, and changes no behaviour: it takes only registers without reset,
with one enable or none, which alone read the memory's outputs, and only where all outputs of a port can follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sluice.synthesis.netlist import Module, Net

MEMORY = "DP16KD"
DATA_BITS = 18


def absorb(netlist: dict[str, Any]) -> int:
    """Moves what can be moved in every module of the netlist; the number of registers that went."""
    return sum(_absorb(Module(module)) for module in netlist["modules"].values())


def _absorb(module: Module) -> int:
    before = len(module.cells)
    for memory in module.of_type(MEMORY):
        for sides, control in _reads(module, memory):
            outputs = [f"DO{side}{bit}" for side in sides for bit in range(DATA_BITS)]
            registers = module.registers_behind(memory, outputs, module.starts_at_0)
            controls = {(module.net(name, "CLK"), module.enable(name)) for name in registers.values()}
            if len(controls) == 1:
                ((clock, enable),) = controls
                if clock == module.net(memory, f"CLK{control}"):
                    _move(module, memory, sides, registers, enable)
    return before - len(module.cells)


def _reads(module: Module, memory: str) -> list[tuple[str, str]]:
    """The sides whose outputs one read takes, and the side whose clock and enable their registers have: a read of 36 bits
    takes both sides' outputs under the controls of B."""
    is_wide = int(module.cells[memory]["parameters"]["DATA_WIDTH_B"], 2) == 2 * DATA_BITS
    return [("AB", "B")] if is_wide else [("A", "A"), ("B", "B")]


def _move(module: Module, memory: str, sides: str, registers: Mapping[str, str], enable: Net | str) -> None:
    """The memory's outputs drive the nets behind the registers, which are dropped."""
    cell = module.cells[memory]
    for side in sides:
        cell["connections"][f"OCE{side}"] = [enable]
        cell["port_directions"][f"OCE{side}"] = "input"
        cell["parameters"][f"REGMODE_{side}"] = "OUTREG"
    for port, name in registers.items():
        cell["connections"][port] = module.cells[name]["connections"]["Q"]
    module.drop(registers.values())
