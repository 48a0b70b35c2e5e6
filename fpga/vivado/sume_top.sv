// SPDX-License-Identifier: Apache-2.0
//
// RED's datapath on a NetFPGA SUME without its MACs, which are licensed: 256 flows of UDP frames of 64 bytes, one frame in two
// clocks, go in, and what comes out is counted. So the design has all paths of the datapath, and four pins beside the clock.
`timescale 1ns / 1ps

module sume_top (
    input  wire       sysclk_p, sysclk_n,  // 200 MHz
    input  wire       button,              // reset while it is pressed
    output wire [1:0] led                  // blinks as frames leave; is lit once one was dropped
);
  wire board_clk, clk;
  IBUFDS clock_input (.I(sysclk_p), .IB(sysclk_n), .O(board_clk));
  BUFG clock_buffer (.I(board_clk), .O(clk));

  (* ASYNC_REG = "TRUE" *) reg [2:0] rst_chain = 3'b111;
  always @(posedge clk) rst_chain <= {rst_chain[1:0], button};
  wire rst = rst_chain[2];

  reg [63:0] now_ns = 0;
  always @(posedge clk) now_ns <= now_ns + 64'd5;

  // The first byte on the wire is the lowest of the first beat, so the frame is written from its end.
  reg        is_second = 0;
  reg  [7:0] flow = 0;  // low byte of the UDP source port
  wire [0:63][7:0] frame = {
    96'h020000000002_020000000001, 16'h0800,
    160'h45000032_00004000_401126b9_0a000001_0a000002,
    8'h40, flow, 48'h1389_001e_0000,
    176'd0
  };
  reg [255:0] beat;
  always @* for (int i = 0; i < 32; i++) beat[8*i+:8] = is_second ? frame[32+i] : frame[i];

  wire in_ready, out_valid, out_last, verdict_valid;
  wire [1:0] verdict_action;
  always @(posedge clk)
    if (in_ready) begin
      is_second <= !is_second;
      if (is_second) flow <= flow + 8'd1;
    end

  sluice_red_256 datapath (
      .clk(clk), .rst(rst), .now_ns(now_ns),
      .s_axis_tvalid(1'b1), .s_axis_tready(in_ready), .s_axis_tdata(beat), .s_axis_tkeep(32'hFFFFFFFF),
      .s_axis_tlast(is_second), .s_axis_tuser(1'b0),
      .m_axis_tvalid(out_valid), .m_axis_tready(1'b1), .m_axis_tlast(out_last),
      .m_verdict_valid(verdict_valid), .m_verdict_action(verdict_action),
      .s_axil_awvalid(1'b0), .s_axil_awaddr(12'd0), .s_axil_awprot(3'd0),
      .s_axil_wvalid(1'b0), .s_axil_wdata(32'd0), .s_axil_wstrb(4'd0), .s_axil_bready(1'b1),
      .s_axil_arvalid(1'b0), .s_axil_araddr(12'd0), .s_axil_arprot(3'd0), .s_axil_rready(1'b1)
  );

  reg [25:0] left = 0;
  reg        was_dropped = 0;
  always @(posedge clk)
    if (rst) begin
      left <= 0;
      was_dropped <= 0;
    end else begin
      if (out_valid && out_last) left <= left + 26'd1;
      if (verdict_valid && verdict_action == 2'd2) was_dropped <= 1;
    end
  assign led = {was_dropped, left[25]};
endmodule
