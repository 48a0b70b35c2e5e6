# SPDX-License-Identifier: Apache-2.0
"""Every generated top, and a bench that has several of them in one design and reads who each of them is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lib.simulation import RTL, catalog, registers

from sluice.support import paths

CONFIGS = [config["name"] for config in catalog()["configs"]]
DATAPATHS = [datapath["name"] for datapath in catalog()["datapaths"]]
COUNTERS, SHELLS = (
    [RTL / entry["name"] / f"{paths.module(entry['name'])}.sv" for entry in catalog()[key]]
    for key in ("counters", "shells")
)


def instance(name: str) -> Path:
    """The file of what a shell instantiates: the tile of a configuration, or a datapath."""
    module = paths.module(name) if name in DATAPATHS else paths.module("tile", name)
    return RTL / name / f"{module}.sv"


CORES = [RTL / name / f"{paths.module('core', name)}.sv" for name in CONFIGS]
TOPS = [*map(instance, CONFIGS + DATAPATHS), *CORES, *COUNTERS, *SHELLS]


def identity(name: str) -> dict[int, int]:
    """The constant words that say who an instance is, before its parameters and its counters: address and value."""
    declared = registers(name)
    changing = min(entry["address"] for key in ("parameters", "counters") for entry in declared[key])
    return {
        word["address"]: int(word["reset"])
        for word in declared["registers"]
        if word["access"] == "ro" and word["address"] < changing
    }


READER = """module reader #(parameter NAME = "", COUNT = 1, parameter [12 * COUNT - 1:0] ADDRESSES = 0) (
  input clk, rst, ready, answers,
  input [31:0] word,
  output reg [11:0] address,
  output reg valid = 0,
  output reg done = 0
);
  reg waits = 0;
  integer at = 0;
  always @(posedge clk) if (!rst && !done) begin
    if (ready) valid <= 0;
    if (!waits) begin
      address <= ADDRESSES[12 * at +: 12];
      valid <= 1;
      waits <= 1;
    end
    if (answers) begin
      $display("%0s %h %h", NAME, address, word);
      waits <= 0;
      at <= at + 1;
      done <= at == COUNT - 1;
    end
  end
endmodule
"""
"""Asks one instance for some words, one after the other. The first answer comes when its staged words are put in place."""


def bench(names: Sequence[str]) -> str:
    """SystemVerilog that prints, for every instance, address and word of all that is its identity.

    Who has answered gets no clock any more: an event-driven simulator takes most of its time for those that wait for the others.
    """
    return f"""`timescale 1ns/1ps
{READER}
module bench;
  reg clk = 0, rst = 1;
  wire [{len(names) - 1}:0] done;
  always #2 clk = !clk;

{"".join(_instance(number, name) for number, name in enumerate(names))}
  initial begin
    repeat (10) @(posedge clk);
    rst <= 0;
    wait (&done);
    $finish;
  end
endmodule
"""


def _instance(number: int, name: str) -> str:
    """One instance and who asks it; every other input is zero."""
    text = instance(name).read_text()
    declared = re.findall(r"^  input +wire +(?:\[(\d+):0\])? *(\w+)", text.partition(");")[0], re.MULTILINE)
    inputs = {port: f"{int(top or 0) + 1}'d0" for top, port in declared}
    used = {
        "clk": f"clk && !done[{number}]",
        "rst": "rst",
        "s_axil_araddr": f"address_{number}",
        "s_axil_arvalid": f"valid_{number}",
        "s_axil_rready": "1'b1",
    }
    assert used.keys() <= inputs.keys()
    ports = ", ".join(f".{port}({value})" for port, value in (inputs | used).items())
    addresses = [f"12'h{address:03x}" for address in identity(name)]
    return f"""  wire valid_{number}, ready_{number}, answers_{number};
  wire [11:0] address_{number};
  wire [31:0] word_{number};
  reader #(.NAME("{name}"), .COUNT({len(addresses)}), .ADDRESSES({{{", ".join(addresses)}}})) reader_{number} (
    .clk(clk), .rst(rst), .ready(ready_{number}), .answers(answers_{number}), .word(word_{number}),
    .address(address_{number}), .valid(valid_{number}), .done(done[{number}])
  );
  {instance(name).stem} dut_{number} (
    {ports},
    .s_axil_arready(ready_{number}), .s_axil_rvalid(answers_{number}), .s_axil_rdata(word_{number})
  );
"""


def answers(output: str) -> dict[str, dict[int, int]]:
    """What the bench printed: words by address, by instance."""
    words: dict[str, dict[int, int]] = {}
    for name, address, word in re.findall(r"^([\w-]+) ([0-9a-f]{3}) ([0-9a-fx]{8})$", output, re.MULTILINE):
        words.setdefault(name, {})[int(address, 16)] = int(word.replace("x", "0"), 16)
    return words
