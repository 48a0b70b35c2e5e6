// SPDX-License-Identifier: Apache-2.0
//
// The Versa board with the two things that its PHYs do to clocks: data and receive clock come so that each edge of it is in the middle
// of its data, and the transmit clock is delayed by 2 ns before it samples.
`timescale 1ns / 1ps

module versa_bench (
    input  wire       clk100, rst_n, uart_rx,
    output wire       uart_tx, eth0_rst_n, eth1_rst_n,
    output wire [7:0] led,
    input  wire       eth0_rx_clk, eth0_rx_ctl, eth1_rx_clk, eth1_rx_ctl,
    input  wire [3:0] eth0_rx_data, eth1_rx_data,
    output wire       eth0_tx_ctl, eth1_tx_ctl,
    output wire [3:0] eth0_tx_data, eth1_tx_data,
    output reg        phy0_tx_clk, phy1_tx_clk
);
  wire eth0_tx_clk, eth1_tx_clk;
  always @(eth0_tx_clk) phy0_tx_clk <= #2 eth0_tx_clk;
  always @(eth1_tx_clk) phy1_tx_clk <= #2 eth1_tx_clk;

  sluice_lattice_versa_ecp5 board (.*);
endmodule
