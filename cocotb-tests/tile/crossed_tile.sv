// SPDX-License-Identifier: Apache-2.0
//
// A tile behind the crossing of clocks, as a shell has it whose registers and time are of other clocks.
`timescale 1ns / 1ps

module crossed_tile (
    input  wire        clk, rst, host_clk, host_rst, time_clk, time_rst,
    input  wire [63:0] time_ns,
    output wire [63:0] now_ns,
    input  wire        s_axil_awvalid, s_axil_wvalid, s_axil_bready, s_axil_arvalid, s_axil_rready,
    output wire        s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid,
    input  wire [11:0] s_axil_awaddr, s_axil_araddr,
    input  wire [2:0]  s_axil_awprot, s_axil_arprot,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_bresp, s_axil_rresp
);
  wire awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready, rvalid, rready;
  wire [11:0] awaddr, araddr;
  wire [2:0] awprot, arprot;
  wire [31:0] wdata, rdata;
  wire [3:0] wstrb;
  wire [1:0] bresp, rresp;

  sluice_clock_crossing crossing (
      .*,
      .m_axil_awvalid(awvalid), .m_axil_awready(awready), .m_axil_awaddr(awaddr), .m_axil_awprot(awprot),
      .m_axil_wvalid(wvalid), .m_axil_wready(wready), .m_axil_wdata(wdata), .m_axil_wstrb(wstrb),
      .m_axil_bvalid(bvalid), .m_axil_bready(bready), .m_axil_bresp(bresp),
      .m_axil_arvalid(arvalid), .m_axil_arready(arready), .m_axil_araddr(araddr), .m_axil_arprot(arprot),
      .m_axil_rvalid(rvalid), .m_axil_rready(rready), .m_axil_rdata(rdata), .m_axil_rresp(rresp)
  );

  sluice_tile_droptail tile (
      .clk(clk), .rst(rst), .now_ns(now_ns),
      .s_arrival_valid(1'b0), .s_arrival_flow(32'd0), .s_arrival_bytes(16'd0), .s_arrival_ecn(2'd0),
      .m_verdict_valid(), .m_verdict_action(), .m_verdict_reason(),
      .m_departure_valid(), .m_departure_ready(1'b1), .m_departure_flow(), .m_departure_bytes(), .m_departure_is_ce(),
      .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_awaddr(awaddr), .s_axil_awprot(awprot),
      .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb),
      .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_bresp(bresp),
      .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_araddr(araddr), .s_axil_arprot(arprot),
      .s_axil_rvalid(rvalid), .s_axil_rready(rready), .s_axil_rdata(rdata), .s_axil_rresp(rresp)
  );
endmodule
