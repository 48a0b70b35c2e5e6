# SPDX-License-Identifier: Apache-2.0
"""Moves registers behind an ECP5 block memory into it, before place and route.

A DP16KD has a register at each of its outputs. Vendors' tools use it for a register behind a read; Yosys 0.70 does
not, and 4.3 ns of a clock are then over before the data leave the memory, against 0.7 ns from its own register. This
pass works on a netlist in Yosys' JSON form, in place, and changes no behaviour: it takes only registers without reset,
with one enable or none, which alone read the memory's outputs, and only where all outputs of a port can follow.

The register takes a value in every clock in which OCE is 1, whatever CE is: so says Lattice's simulation model of the block
(`ecp5u/DP16KD.v` of Diamond), where CE enables the array's own registers and OCE alone those of the outputs. RST clears both,
so a side with a reset keeps its registers outside. Where 36 bits are written, nextpnr sets the block to its pseudo dual port
mode, PDPW16KD: one read takes both sides' outputs under the controls of B, and one REGMODE counts for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sluice.synthesis.passes.netlist import Module, Net

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
            if len(controls) == 1 and _can_take(module, memory, sides, control):
                ((clock, enable),) = controls
                if clock == module.net(memory, f"CLK{control}"):
                    _move(module, memory, sides, registers, enable)
    return before - len(module.cells)


def _can_take(module: Module, memory: str, sides: str, control: str) -> bool:
    """Whether the sides' registers are free, and are as plain ones would be: at the rising edge, and never reset."""
    parameters = {key: value.strip() for key, value in module.cells[memory]["parameters"].items()}
    return (
        all(parameters[f"REGMODE_{side}"] == "NOREG" for side in sides)
        and parameters[f"CLK{control}MUX"] == f"CLK{control}"
        and module.net(memory, f"RST{control}") == "0"
    )


def _reads(module: Module, memory: str) -> list[tuple[str, str]]:
    """The sides whose outputs one read takes, and the side whose clock and enable their registers have: in the mode for writes of
    36 bits both, under the controls of B. A read of 36 bits in any other is nothing that nextpnr knows, and none."""
    parameters = module.cells[memory]["parameters"]
    is_wide = {side: int(parameters[f"DATA_WIDTH_{side}"], 2) == 2 * DATA_BITS for side in "AB"}
    if is_wide["A"]:
        return [("AB", "B")]
    return [] if is_wide["B"] else [("A", "A"), ("B", "B")]


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
