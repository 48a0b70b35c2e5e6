// SPDX-License-Identifier: Apache-2.0
//
// A host before a tile, to start one's own from: it sets three parameters of RED over AXI4-Lite, has them take effect together, sends
// packets twice as fast as the link takes them, and reads what became of them, all counters of one instant. Addresses and formats are those of
// docs/reference/registers/red.md. Any simulator of SystemVerilog takes it.
`timescale 1ns / 1ps

module set_and_count;
  localparam bit [11:0] COMMIT = 12'h018, REFUSED = 12'h01C, SNAPSHOT = 12'h020, MIN = 12'h054, MAX = 12'h058, PROBABILITY = 12'h05C;
  localparam bit [11:0] RECEIVED = 12'h100, DEPARTED = 12'h118, QUEUED = 12'h128;
  localparam bit [11:0] UNFORCED_DROP = 12'h138, FORCED_DROP = 12'h140, OVERLIMIT_DROP = 12'h158;
  localparam int PACKETS = 5000;

  bit        clk = 0, rst = 1;
  bit [63:0] now_ns = 0;
  logic        s_arrival_valid = 0;
  logic [31:0] s_arrival_flow = 0;
  wire         m_verdict_valid;
  wire  [1:0]  m_verdict_action;
  bit          link_is_free = 0;

  logic        awvalid = 0, wvalid = 0, arvalid = 0;
  logic [11:0] awaddr = 0, araddr = 0;
  logic [31:0] wdata = 0;
  wire         awready, wready, arready, bvalid, rvalid;
  wire  [1:0]  bresp, rresp;
  wire  [31:0] rdata;

  sluice_tile_red aqm (
      .clk(clk), .rst(rst), .now_ns(now_ns),
      .s_arrival_valid(s_arrival_valid), .s_arrival_flow(s_arrival_flow), .s_arrival_bytes(16'd1000), .s_arrival_ecn(2'd0),
      .m_verdict_valid(m_verdict_valid), .m_verdict_action(m_verdict_action), .m_verdict_reason(),
      .m_departure_valid(), .m_departure_ready(link_is_free), .m_departure_flow(), .m_departure_bytes(),
      .m_departure_is_ce(),
      .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0),
      .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_wdata(wdata), .s_axil_wstrb(4'hF),
      .s_axil_bvalid(bvalid), .s_axil_bready(1'b1), .s_axil_bresp(bresp),
      .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_araddr(araddr), .s_axil_arprot(3'd0),
      .s_axil_rvalid(rvalid), .s_axil_rready(1'b1), .s_axil_rdata(rdata), .s_axil_rresp(rresp)
  );

  always #2 clk = !clk;  // 250 MHz
  always @(posedge clk) begin
    now_ns <= now_ns + 64'd4;
    link_is_free <= !link_is_free;
  end

  int verdicts = 0, drops = 0;
  always @(posedge clk) if (!rst) begin
    if (m_verdict_valid) verdicts = verdicts + 1;
    if (m_verdict_valid && m_verdict_action == 2) drops = drops + 1;
  end

  // Address and word may be taken in either order; the answer comes after both. Inputs change behind the edge.
  task automatic write(input logic [11:0] address, input logic [31:0] word);
    awaddr = address; wdata = word; awvalid = 1; wvalid = 1;
    while (awvalid || wvalid) begin
      bit takes_address, takes_word;
      takes_address = awready; takes_word = wready;
      @(posedge clk) #1;
      if (takes_address) awvalid = 0;
      if (takes_word) wvalid = 0;
    end
    while (!bvalid) @(posedge clk) #1;
    if (bresp != 0) $fatal(1, "the write to %h was refused", address);
    @(posedge clk) #1;
  endtask

  task automatic read(input logic [11:0] address, output logic [31:0] word);
    bit is_taken;
    araddr = address; arvalid = 1;
    is_taken = 0;
    while (!is_taken) begin
      is_taken = arready;
      @(posedge clk) #1;
    end
    arvalid = 0;
    while (!rvalid) @(posedge clk) #1;
    if (rresp != 0) $fatal(1, "the read of %h was refused", address);
    word = rdata;
    @(posedge clk) #1;
  endtask

  logic [31:0] word, received, departed, queued, unforced, forced, overlimit;

  initial begin
    repeat (4) @(posedge clk);
    #1 rst = 0;

    write(MIN, 20 << 14);  // packets, 14 bits behind the point
    write(MAX, 60 << 14);
    write(PROBABILITY, 32'h0CCC_CCCD);  // 0.1, 31 bits behind the point
    write(COMMIT, 1);
    do read(COMMIT, word); while (word != 0);
    read(REFUSED, word);
    if (word != 0) $fatal(1, "the set breaks rules %b", word);

    for (int packet = 0; packet < PACKETS; packet++) begin
      s_arrival_valid = 1;
      s_arrival_flow = packet % 25;
      @(posedge clk) #1;
    end
    s_arrival_valid = 0;
    while (verdicts < PACKETS) @(posedge clk) #1;

    write(SNAPSHOT, 1);  // the copy is there when the write is answered
    read(RECEIVED, received);
    read(DEPARTED, departed);
    read(QUEUED, queued);
    read(UNFORCED_DROP, unforced);
    read(FORCED_DROP, forced);
    read(OVERLIMIT_DROP, overlimit);
    $display("received %0d, dropped %0d + %0d + %0d, departed %0d, queued %0d", received, unforced, forced, overlimit, departed, queued);
    if (received != PACKETS || unforced + forced + overlimit != drops) $fatal(1, "not what the ports said");
    if (received != drops + departed + queued) $fatal(1, "a packet is missing");
    $display("all packets are accounted for");
    $finish;
  end
endmodule
