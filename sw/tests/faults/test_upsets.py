# SPDX-License-Identifier: Apache-2.0
"""What the player of upsets says, in one word, and the registers that are found in SystemVerilog."""

from __future__ import annotations

import pytest

from sluice.faults.upsets import taps
from sluice.faults.upsets.outcome import HARMFUL, OUTCOMES, Seen

VERILOG = """\
module leaf (
  input  wire          clk,
  output reg           r_valid,
  output reg  [5:0]    r
);
  reg        [3:0]    count;
  reg        [3:0]    sum;
  (* syn_ramstyle = "block_ram" *) reg [48:0] memory [0:1023];
  reg [7:0] steps [0:3];
  initial begin
    steps[0] = 8'h01;
  end
  always @(*) begin
    sum = count + 4'd1;
  end
  always @(posedge clk) begin
    if(r_valid) begin
      memory[r] <= 49'h0;
    end
    if(rst) begin
      count <= 4'b0000;
    end else begin
      count <= sum;
      r_valid <= 1'b1;
    end
  end
  always @(posedge clk) begin
    r <= steps[count[1:0]];
  end
endmodule
"""


def test_what_keeps_a_state_is_found() -> None:
    found = {tap.name: (tap.bits, tap.words, tap.is_table, tap.line) for tap in taps.find(VERILOG)}
    assert found == {
        "r_valid": (1, 1, False, 3),
        "r": (6, 1, False, 4),
        "count": (4, 1, False, 6),
        "memory": (49, 1024, False, 8),
        "steps": (8, 4, True, 9),
    }
    assert {tap.name: tap for tap in taps.find(VERILOG.replace("always @(*)", "always_comb"))}.keys() == found.keys()


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        ("3,0,-1,same,,,,,,,", "masked"),
        ("3,7,20,same,,,,,,,", "transient"),
        ("3,0,-1,ran,,,,,----,0,", "masked"),
        ("3,0,-1,ran,,,,,----,2,a b", "latent"),
        ("3,7,20,ran,lost,,,,t---,2,a b", "transient"),
        ("3,7,20,ran,,,,,ttt-,2,a b", "course"),
        ("3,7,20,ran,counters,counters,counters,,trr-,2,a b", "counters"),
        ("3,7,20,ran,rate,rate,,,tt--,2,a b", "until COMMIT"),
        ("3,7,20,ran,rate,rate,rate,,ttt-,2,a b", "rate"),
        ("3,7,20,ran,order,order,order+counters,,ttt-,2,a b", "order"),
        ("3,7,20,ran,full,full,rate+full+leak,,ttt-,2,a b", "lost"),
        ("3,7,20,ran,leak,leak,leak,,trr-,2,a b", "leak"),
        ("3,7,20,ran,,,bus,,----,2,a b", "bus"),
        ("3,7,20,ran,rate,rate,rate,rate,tttt,2,a b", "beyond reset"),
        ("3,0,-1,crash,,,,,,,", "beyond reset"),
    ],
)
def test_the_gravest_and_longest_counts(row: str, outcome: str) -> None:
    assert outcome in OUTCOMES
    assert Seen.of(row.split(",")).outcome == outcome


def test_harm_is_what_outlasts_the_parameters() -> None:
    assert set(OUTCOMES) - set(HARMFUL) == {"masked", "latent", "transient", "course", "counters", "until COMMIT"}
