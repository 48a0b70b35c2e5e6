# SPDX-License-Identifier: Apache-2.0
"""The wrapper in which a design is placed: it has every port, and takes nothing of the design away."""

from __future__ import annotations

import json
from pathlib import Path

from sluice import synthesis
from sluice.synthesis import harness

NETLIST = {
    "modules": {
        "block": {
            "ports": {
                "clk": {"direction": "input", "bits": [2]},
                "rst": {"direction": "input", "bits": [3]},
                "word": {"direction": "input", "bits": list(range(4, 12))},
                "flag": {"direction": "input", "bits": [12]},
                "sum": {"direction": "output", "bits": list(range(13, 22))},
            }
        }
    }
}


def test_the_wrapper_connects_every_bit_once() -> None:
    text = harness.verilog("block", harness.ports(NETLIST, "block"))
    assert "reg  [8:0] in_bits;" in text
    assert "wire [8:0] out_bits;" in text
    assert ".clk(clk), .rst(rst_reg), .word(in_bits[7:0]), .flag(in_bits[8:8]), .sum(out_bits[8:0])" in text


def test_registers_that_only_pass_an_input_on_stay_the_designs_own(tmp_path: Path) -> None:
    """Three registers behind each of eight inputs; in a shift register of eight, eleven would do for all."""
    source = """
module block (input clk, input [7:0] word, output reg [7:0] sum);
  reg [7:0] first, second;
  always @(posedge clk) begin
    first <= word;
    second <= first;
    sum <= second;
  end
endmodule
"""
    ports = [harness.Port("clk", 1, True), harness.Port("word", 8, True), harness.Port("sum", 8, False)]
    (tmp_path / "both.sv").write_text(source + harness.verilog("block", ports))
    script = "read_verilog -sv both.sv; synth_ecp5 -top harness; tee -q -o stat.json stat -json"
    synthesis.yosys(tmp_path, "both", script)
    registers = json.loads((tmp_path / "stat.json").read_text())["design"]["num_cells_by_type"]["TRELLIS_FF"]
    assert registers == 8 + 3 * 8 + 8  # the wrapper's, the block's, the wrapper's again; the reset's is not read
