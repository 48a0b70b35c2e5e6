// SPDX-License-Identifier: Apache-2.0
//
// What a simulation needs to know of the ECP5's own cells: how they behave, without the times of the chip.
`timescale 1ns / 1ps

// The bits of the rising edge and of the falling one after it are both there at the next rising edge.
module IDDRX1F (input wire SCLK, RST, D, output reg Q0, Q1);
  reg rising, falling;
  always @(posedge SCLK) rising <= D;
  always @(negedge SCLK) falling <= D;
  always @(posedge SCLK) {Q1, Q0} <= RST ? 2'b00 : {falling, rising};
endmodule

// Both bits are taken at a rising edge; one leaves with it, the other half a clock later.
module ODDRX1F (input wire SCLK, RST, D0, D1, output wire Q);
  reg first, second;
  always @(posedge SCLK) {second, first} <= RST ? 2'b00 : {D1, D0};
  assign Q = SCLK ? first : second;
endmodule

module DELAYG #(parameter DEL_MODE = "", parameter DEL_VALUE = 0) (input wire A, output wire Z);
  assign Z = A;
endmodule

// In phase and locked from the start. Its output has the frequency of its input, so a test gives it that of its output.
module EHXPLLL #(
    parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 1, CLKOS_DIV = 1, CLKOS2_DIV = 1, CLKOS3_DIV = 1,
    parameter CLKOP_ENABLE = "", CLKOS_ENABLE = "", CLKOS2_ENABLE = "", CLKOS3_ENABLE = "",
    parameter CLKOP_CPHASE = 0, CLKOS_CPHASE = 0, CLKOS2_CPHASE = 0, CLKOS3_CPHASE = 0,
    parameter CLKOP_FPHASE = 0, CLKOS_FPHASE = 0, CLKOS2_FPHASE = 0, CLKOS3_FPHASE = 0,
    parameter FEEDBK_PATH = "", CLKOP_TRIM_POL = "", CLKOP_TRIM_DELAY = 0, CLKOS_TRIM_POL = "", CLKOS_TRIM_DELAY = 0,
    parameter OUTDIVIDER_MUXA = "", OUTDIVIDER_MUXB = "", OUTDIVIDER_MUXC = "", OUTDIVIDER_MUXD = "",
    parameter PLL_LOCK_MODE = 0, PLL_LOCK_DELAY = 0, STDBY_ENABLE = "", REFIN_RESET = "", SYNC_ENABLE = "",
    parameter INT_LOCK_STICKY = "", DPHASE_SOURCE = "", PLLRST_ENA = "", INTFB_WAKE = ""
) (
    input wire CLKI, CLKFB, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY, RST,
    input wire ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3, PLLWAKESYNC,
    output wire CLKINTFB, CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK
);
  assign {CLKOP, LOCK} = {CLKI, 1'b1};
endmodule
