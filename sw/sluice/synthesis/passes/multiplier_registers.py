# SPDX-License-Identifier: Apache-2.0
"""Moves registers beside an ECP5 multiplier into it, before place and route.

A MULT18X18D has registers of its own at both inputs and at its output. Vendors' tools use them for plain
registers around a product; Yosys 0.70 does not, and the way to a row of multipliers is then half of a clock.
This pass works on a netlist in Yosys' JSON form, in place, and changes no behaviour: it takes only registers
without enable and reset, which feed nothing else, and only where all bits of a port can follow. A multiplier that
has a register already, as one may be instantiated, stays as it is.

The product's registers move wherever they can: the product then stays inside (2.6 ns to the register, 0.6 ns
from it, against 3.1 ns and the way to a register outside). The factors' registers move both or none, because
nextpnr 0.11 times a multiplier with one registered factor as if it had none; and only those with a register on
their far side, because logic before them is better placed with registers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sluice.synthesis.passes.netlist import Module, nets

MULTIPLIER = "MULT18X18D"
FACTOR_BITS, PRODUCT_BITS = 18, 36
STAGES = ("INPUTA", "INPUTB", "PIPELINE", "OUTPUT")
CONTROL = {"CLK0": None, "CE0": "1", "RST0": "0"}
"""Control inputs of the multiplier's registers; the clock comes from the registers that they replace."""


def absorb(netlist: dict[str, Any]) -> int:
    """Moves what can be moved in every module of the netlist; the number of registers that went."""
    return sum(_absorb(Module(module)) for module in netlist["modules"].values())


def _absorb(module: Module) -> int:
    """Multiplier by multiplier; a register between two of them can go to one only."""
    before = len(module.cells)
    for multiplier in module.of_type(MULTIPLIER):
        if _has_registers(module, multiplier):
            continue
        factors = {side: _before(module, multiplier, side) for side in "AB"}
        product = _behind(module, multiplier)
        if not all(factors.values()):
            factors = {}
        if _share_a_clock(module, product, *factors.values()):
            for side, registers in factors.items():
                _move(module, multiplier, registers, f"INPUT{side}", "DI")
            _move(module, multiplier, product, "OUTPUT", "Q")
    return before - len(module.cells)


def _has_registers(module: Module, multiplier: str) -> bool:
    """Whether any stage has registers: they have controls of their own, and another row would be another clock."""
    parameters = module.cells[multiplier]["parameters"]
    return any(parameters.get(f"REG_{stage}_CLK", "NONE").strip() != "NONE" for stage in STAGES)


def _before(module: Module, multiplier: str, side: str) -> Mapping[str, str]:
    """Registers by the port of a factor that they feed; none unless each can move. None beside a constant 1 either: a
    register of the block starts at 0 in every bit, and with ones in both factors the first product would be another."""
    ports = {f"{side}{bit}" for bit in range(FACTOR_BITS)}
    own = {(multiplier, port) for port in ports}
    connections = module.cells[multiplier]["connections"]
    found = {}
    for port in ports & connections.keys():
        if connections[port] == ["1"]:
            return {}
        for net in nets(connections[port]):
            register = module.driver.get(net, "")
            if not module.is_plain(register) or not module.readers[net] <= own:
                return {}
            far = nets(module.cells[register]["connections"]["DI"])
            if not all(module.is_register(module.driver.get(net, "")) for net in far):
                return {}
            found[port] = register
    return found


def _behind(module: Module, multiplier: str) -> Mapping[str, str]:
    """Registers by the port of the product that they take; none unless each can move."""
    outputs = [f"P{bit}" for bit in range(PRODUCT_BITS)]
    return module.registers_behind(multiplier, outputs, module.is_plain)


def _share_a_clock(module: Module, *stages: Mapping[str, str]) -> bool:
    """Whether one clock drives the registers of all stages, as it must those of a multiplier."""
    return len({module.net(name, "CLK") for stage in stages for name in stage.values()}) == 1


def _move(module: Module, multiplier: str, registers: Mapping[str, str], stage: str, far_pin: str) -> None:
    """The multiplier's ports take the nets at the far pins of the registers, which are dropped."""
    cell = module.cells[multiplier]
    for port, name in registers.items():
        far = module.cells[name]["connections"]
        cell["connections"][port] = far[far_pin]
        cell["connections"] |= {pin: [value or far["CLK"][0]] for pin, value in CONTROL.items()}
        cell["port_directions"] |= dict.fromkeys(CONTROL, "input")
        control = {"CLK": "CLK0", "CE": "CE0", "RST": "RST0"}
        cell["parameters"] |= {f"REG_{stage}_{what}": pin for what, pin in control.items()}
    module.drop(registers.values())
