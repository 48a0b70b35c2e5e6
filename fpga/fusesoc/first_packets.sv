// SPDX-License-Identifier: Apache-2.0
//
// The smallest simulation of a tile, to start one's own from: three packets into an empty queue, one per clock, and what
// comes of them. Registers stay as reset has left them, so the AXI4-Lite port is idle. Any simulator of SystemVerilog takes it.
`timescale 1ns / 1ps

module first_packets;
  bit        clk = 0, rst = 1;
  bit [63:0] now_ns = 0;

  logic        s_arrival_valid = 0;
  logic [31:0] s_arrival_flow = 0;
  logic [15:0] s_arrival_bytes = 0;

  wire        m_verdict_valid, m_departure_valid;
  wire [1:0]  m_verdict_action;
  wire [3:0]  m_verdict_reason;
  wire [31:0] m_departure_flow;
  wire [15:0] m_departure_bytes;

  sluice_tile_red aqm (
      .clk(clk), .rst(rst), .now_ns(now_ns),
      .s_arrival_valid(s_arrival_valid), .s_arrival_flow(s_arrival_flow), .s_arrival_bytes(s_arrival_bytes),
      .s_arrival_ecn(2'd0),
      .m_verdict_valid(m_verdict_valid), .m_verdict_action(m_verdict_action), .m_verdict_reason(m_verdict_reason),
      .m_departure_valid(m_departure_valid), .m_departure_ready(1'b1), .m_departure_flow(m_departure_flow),
      .m_departure_bytes(m_departure_bytes), .m_departure_is_ce(),
      .s_axil_awvalid(1'b0), .s_axil_awready(), .s_axil_awaddr(12'd0), .s_axil_awprot(3'd0),
      .s_axil_wvalid(1'b0), .s_axil_wready(), .s_axil_wdata(32'd0), .s_axil_wstrb(4'd0),
      .s_axil_bvalid(), .s_axil_bready(1'b1), .s_axil_bresp(),
      .s_axil_arvalid(1'b0), .s_axil_arready(), .s_axil_araddr(12'd0), .s_axil_arprot(3'd0),
      .s_axil_rvalid(), .s_axil_rready(1'b1), .s_axil_rdata(), .s_axil_rresp()
  );

  int sent = 0, passed = 0, left = 0;

  always #2 clk = !clk;  // 250 MHz
  always @(posedge clk) now_ns <= now_ns + 64'd4;

  always @(posedge clk) begin
    s_arrival_valid <= !rst && sent < 3;
    s_arrival_flow  <= sent + 1;
    s_arrival_bytes <= 1000;
    if (!rst && sent < 3) sent = sent + 1;
  end

  always @(posedge clk) if (!rst) begin
    if (m_verdict_valid) begin
      $display("%0d ns: verdict %0d, reason %0d", now_ns, m_verdict_action, m_verdict_reason);
      if (m_verdict_action == 0) passed = passed + 1;
    end
    if (m_departure_valid) begin
      $display("%0d ns: flow %0d leaves with %0d bytes", now_ns, m_departure_flow, m_departure_bytes);
      left = left + 1;
      if (m_departure_flow != left || m_departure_bytes != 1000) $fatal(1, "not the packet that was sent");
    end
  end

  initial begin
    repeat (8) @(posedge clk);
    rst = 0;
    repeat (100) @(posedge clk);
    if (passed != 3 || left != 3) $fatal(1, "%0d passed and %0d left of three packets", passed, left);
    $display("three packets passed");
    $finish;
  end
endmodule
