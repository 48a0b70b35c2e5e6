# SPDX-License-Identifier: Apache-2.0
"""A four-pin wrapper that lets place and route time a block with more ports than a package has pins.

Inputs come from a chain of registers fed by one pin; each output is folded by one exclusive-or into a second
chain that ends in one pin. So every path of the block starts and ends at its own registers or at
the wrapper's, nothing can be optimised away, and the wrapper itself adds one gate to any path.

A register of the first chain takes the exclusive-or of the one before and its own. In a plain shift register each
would be the one before, a clock later, as the block's own register behind that input is: synthesis would make one of
both, and of all registers that only pass an input on, and what reads a bit in many clocks would hang on one register.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sluice.hardware import rtl_digest

CLOCK_NAMES = ("clk", "clock")
RESET_NAMES = ("rst", "reset")


@dataclass(frozen=True)
class Port:
    """A port of the wrapped module."""

    name: str
    width: int
    is_input: bool


def ports(netlist: dict[str, Any], module: str) -> list[Port]:
    """Ports of a module in a netlist as Yosys writes it in JSON."""
    found = netlist["modules"][module]["ports"]
    return [Port(name, len(port["bits"]), port["direction"] == "input") for name, port in found.items()]


def verilog(module: str, module_ports: list[Port], name: str = "harness") -> str:
    """SystemVerilog of the wrapper, a module of the given name."""
    direct = {port.name: "clk" for port in module_ports if port.name in CLOCK_NAMES}
    direct |= {port.name: "rst" for port in module_ports if port.name in RESET_NAMES}
    scanned = [port for port in module_ports if port.name not in direct]
    inputs = [port for port in scanned if port.is_input]
    outputs = [port for port in scanned if not port.is_input]
    connections = [f".{port}({signal})" for port, signal in direct.items()]
    connections += _slices(inputs, "in_bits") + _slices(outputs, "out_bits")
    in_width = sum(port.width for port in inputs)
    out_width = sum(port.width for port in outputs)
    return f"""\
module {name} (input clk, input rst, input scan_in, output scan_out);
  reg  [{in_width - 1}:0] in_bits;
  wire [{out_width - 1}:0] out_bits;
  reg  [{out_width - 1}:0] fold;
  reg  rst_reg;
  assign scan_out = fold[{out_width - 1}];
  always @(posedge clk) begin
    rst_reg <= rst;
    in_bits <= {{in_bits, scan_in}} ^ in_bits;
    fold    <= {{fold, in_bits[{in_width - 1}]}} ^ out_bits;
  end
  {module} block ({", ".join(connections).replace("(rst)", "(rst_reg)")});
endmodule
"""


def digest() -> str:
    """Digest of the wrapper apart from what it wraps: clock rates in another one are not comparable."""
    return rtl_digest.digest(verilog("block", [Port("in", 2, is_input=True), Port("out", 2, is_input=False)]))


def _slices(group: list[Port], vector: str) -> list[str]:
    connections, offset = [], 0
    for port in group:
        connections.append(f".{port.name}({vector}[{offset + port.width - 1}:{offset}])")
        offset += port.width
    return connections
