# SPDX-License-Identifier: Apache-2.0
"""Every generated top, and a bench that has several of them in one design and reads who each of them is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lib.simulation import RTL, catalog, module_name, registers

CONFIGS = [config["name"] for config in catalog()["configs"]]
DATAPATHS = [datapath["name"] for datapath in catalog()["datapaths"]]
COUNTERS = [
    RTL / counter["name"] / f"sluice_{counter['name'].replace('-', '_')}.sv" for counter in catalog()["counters"]
]
SHELLS = [RTL / shell["name"] / f"sluice_{shell['name'].replace('-', '_')}.sv" for shell in catalog()["shells"]]


def instance(name: str) -> Path:
    """The file of what a shell instantiates: the tile of a configuration, or a datapath."""
    module = f"sluice_{name.replace('-', '_')}" if name in DATAPATHS else module_name("tile", name)
    return RTL / name / f"{module}.sv"


INSTANCES = [instance(name) for name in CONFIGS + DATAPATHS]
CORES = [RTL / name / f"{module_name('core', name)}.sv" for name in CONFIGS]
TOPS = [*INSTANCES, *CORES, *COUNTERS, *SHELLS]


def identity(name: str) -> dict[int, int]:
    """The constant words that say who an instance is, before its parameters: address and value."""
    declared = registers(name)
    parameters = min(parameter["address"] for parameter in declared["parameters"])
    return {
        word["address"]: int(word["reset"])
        for word in declared["registers"]
        if word["access"] == "ro" and word["address"] < parameters
    }


def bench(names: Sequence[str]) -> str:
    """SystemVerilog that prints, for every instance, address and word of each word that is anyone's identity."""
    addresses = sorted({address for name in names for address in identity(name)})
    reads = "\n".join(f"    read(12'h{address:03x});" for address in addresses)
    return f"""`timescale 1ns/1ps
module bench;
  reg clk = 0, rst = 1, ask = 0;
  reg [11:0] address = 0;
  wire [{len(names) - 1}:0] waits;
  always #2 clk = !clk;

  task read(input [11:0] from); // the first waits until the staged words are put in place
    address <= from;
    ask <= 1;
    @(posedge clk);
    ask <= 0;
    repeat (2) @(posedge clk);
    while (waits != 0) @(posedge clk);
  endtask

{"".join(_instance(number, name) for number, name in enumerate(names))}
  initial begin
    repeat (10) @(posedge clk);
    rst <= 0;
{reads}
    $finish;
  end
endmodule
"""


def _instance(number: int, name: str) -> str:
    """One instance, asked with all others and answering for itself; every other input is zero."""
    text = instance(name).read_text()
    declared = re.findall(r"^  input +wire +(?:\[(\d+):0\])? *(\w+)", text.partition(");")[0], re.MULTILINE)
    inputs = {port: f"{int(top or 0) + 1}'d0" for top, port in declared}
    used = {
        "clk": "clk",
        "rst": "rst",
        "s_axil_araddr": "address",
        "s_axil_arvalid": f"valid_{number}",
        "s_axil_rready": "1'b1",
    }
    assert used.keys() <= inputs.keys()
    ports = ", ".join(f".{port}({value})" for port, value in (inputs | used).items())
    return f"""  reg valid_{number} = 0, waits_{number} = 0;
  assign waits[{number}] = waits_{number};
  wire ready_{number}, answers_{number};
  wire [31:0] word_{number};
  {instance(name).stem} dut_{number} (
    {ports},
    .s_axil_arready(ready_{number}), .s_axil_rvalid(answers_{number}), .s_axil_rdata(word_{number})
  );
  always @(posedge clk) begin
    if (ask) {{valid_{number}, waits_{number}}} <= 2'b11;
    else if (ready_{number}) valid_{number} <= 0;
    if (answers_{number}) begin
      $display("{name} %h %h", address, word_{number});
      waits_{number} <= 0;
    end
  end
"""


def answers(output: str) -> dict[str, dict[int, int]]:
    """What the bench printed: words by address, by instance."""
    words: dict[str, dict[int, int]] = {}
    for name, address, word in re.findall(r"^([\w-]+) ([0-9a-f]{3}) ([0-9a-fx]{8})$", output, re.MULTILINE):
        words.setdefault(name, {})[int(address, 16)] = int(word.replace("x", "0"), 16)
    return words
