# SPDX-License-Identifier: Apache-2.0
"""The plainest Verilog bench of any top: inputs are 0 by their declaration, then a reset, then more traffic than the link takes.

What its ports mean follows from their names, as every top of the generator has them. A payload is unknown while nothing says
that it is valid. Printed is, clock by clock, all that may be relied on: whatever says that something is valid or ready, and what
is valid. The bench has nothing but a clock, so that any simulator can run it, and prints the same in each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RESET = 20
START = 40
"""The last clock before the traffic."""
LONG_NS = 1_000_000
"""From a clock to the next one, half of the time: so packets wait as long as a core may have them."""
HEADERS = {12: 0x08, 14: 0x45, 17: 0x2E, 22: 0x40, 23: 0x11}
"""Octets of IPv4 and UDP that are the same in all frames; of the others in the headers most are 0."""
OCTETS = [f"8'h{HEADERS.get(at, 0):02x}" if at < 34 else f"8'h{at:02x} ^ frame[7:0]" for at in range(128)]
"""All that the widest bus has, in one piece: to an event-driven simulator each part that is assigned is a change of all."""
OCTETS[15] = "{6'd0, frame[1:0]}"
OCTETS[29] = OCTETS[33] = "{5'd0, frame[2:0]}"
FLOWS = 16
"""So few that one is met in the queue."""
STALLED = range(100, 1000)
"""Clocks in which streams are let out seldom."""


@dataclass(frozen=True)
class Port:
    """A port of a top."""

    name: str
    is_input: bool
    width: int


def ports(source: Path) -> list[Port]:
    """All ports of the module that is named like its file."""
    head = re.search(rf"^module {source.stem} (?:#\(.*?\) )?\((.*?)^\);", source.read_text(), re.MULTILINE | re.DOTALL)
    assert head, f"{source} has no module {source.stem}"
    found = re.findall(r"^  (input|output) +(?:wire|reg) +(?:\[(\d+):0\])? *(\w+),?$", head[1], re.MULTILINE)
    return [Port(name, way == "input", int(high or 0) + 1) for way, high, name in found]


@dataclass(frozen=True)
class Access:
    """One access of the host: a word that it writes, or the read of one."""

    address: int
    value: int | None = None

    @property
    def text(self) -> str:
        return f"{{1'b{int(self.value is not None)}, 12'h{self.address:03x}, 32'h{self.value or 0:08x}}}"


class Bench:
    """The bench around one top. `first` is what its host does before the traffic, `last` behind it."""

    def __init__(self, source: Path, clocks: int, first: Sequence[Access] = (), last: Sequence[Access] = ()) -> None:
        self.source, self.clocks = source, clocks
        self.accesses, self.before = [*first, *last], len(first)
        self.ports = ports(source)
        names = [port.name for port in self.ports]
        self.valids = {name[: -len("valid")]: name for name in names if re.search(r"valid$", name, re.IGNORECASE)}

    def valid(self, port: Port) -> str | None:
        """The port that says whether another one's value counts: that of the same way with the longest name in common."""
        ways = {p.name: p.is_input for p in self.ports}
        owners = [
            (len(prefix), name)
            for prefix, name in self.valids.items()
            if port.name != name and ways[name] == port.is_input and port.name.startswith(prefix.removesuffix("t"))
        ]
        return max(owners)[1] if owners else None

    @property
    def text(self) -> str:
        return f"""`timescale 1ns/1ps
module plain(input clk);
  integer n = 0, access = 0, beat = 0, frame = 0, i;
  reg rst = 1, waits = 0;
  reg [63:0] now = 0;
  reg [95:0] random = 96'h1f123bb5_9e3779b9_7f4a7c15;
  wire [44:0] accesses [0:{max(1, len(self.accesses)) - 1}];
  wire [44:0] now_accessed = accesses[access];
  reg awvalid = 0, wvalid = 0, arvalid = 0;
  reg [11:0] address = 0;
  reg [31:0] value = 0;
{"".join(f"  assign accesses[{i}] = {access.text};{chr(10)}" for i, access in enumerate(self.accesses))}
  wire [{8 * len(OCTETS) - 1}:0] octets = {{{", ".join(reversed(OCTETS))}}};
{"".join(map(self._declaration, self.ports))}
  {self.source.stem} dut (
    {", ".join(f".{port.name}({self._connection(port)})" for port in self.ports)}
  );

  always @(posedge clk) begin
    n <= n + 1;
    now <= now + (n & 512 ? {LONG_NS} : 4);
    rst <= n < {RESET};
    random <= {{random[94:0], random[95] ^ random[93] ^ random[48] ^ random[46]}} ^ {{random[12:0], 83'd0}};
{"".join(map(self._drive, self.ports))}
{self._host}
    if (n >= {RESET} + 2 && ({self._busy}))
      $display("%0d{" %h" * len(self._shown)}", n{"".join(f", {shown}" for shown in self._shown)});
    if (n == {self.clocks} + 8000) $finish;
    if (n >= {self.clocks} && access == {len(self.accesses)}) $finish;
  end
endmodule
"""

    def _is(self, port: Port, pattern: str) -> bool:
        return re.search(pattern, port.name, re.IGNORECASE) is not None

    @property
    def _axil(self) -> str:
        """What the host's ports begin with; nothing where it is left alone."""
        return "s_axil_" if self.accesses else ""

    def _is_host(self, port: Port) -> bool:
        return bool(self._axil) and port.name.startswith(self._axil)

    def _is_stream(self, port: Port) -> bool:
        return self._is(port, r"_t(valid|data|keep|last|user\w*|id|dest)$")

    def _declaration(self, port: Port) -> str:
        if self._connection(port) != port.name or port.name in {"clk", "rst"}:
            return ""
        width = f"[{port.width - 1}:0] "
        return f"  {'reg' if port.is_input else 'wire'} {width}{port.name}{' = 0' if port.is_input else ''};\n"

    def _connection(self, port: Port) -> str:
        if port.is_input and self._is(port, r"clk$"):
            return "clk"
        if port.is_input and self._is(port, r"(resetn|rstn|rst_n)$"):
            return "!rst"
        if port.is_input and self._is(port, r"rst$"):
            return "rst"
        if port.is_input and port.name in {"now_ns", "timestamp"}:
            return "now"
        host = {
            "awvalid": "awvalid", "wvalid": "wvalid", "arvalid": "arvalid", "awaddr": "address", "araddr": "address",
            "wdata": "value", "wstrb": "4'hf", "bready": "1'b1", "rready": "1'b1",
        }  # fmt: skip
        if port.is_input and self._is_host(port):
            return host.get(port.name.removeprefix(self._axil), f"{port.width}'d0")
        return port.name

    def _drive(self, port: Port) -> str:
        """What an input is in the next clock."""
        name, valid = port.name, self.valid(port)
        if not port.is_input or self._is_host(port) or self._connection(port) != name:
            return ""
        if self._is(port, r"(aw|w|ar)valid$|(addr|wdata|wstrb|prot)$"):
            return ""  # a host that does nothing
        if self._is(port, r"ready$"):
            stalled = f"n > {STALLED.start} && n < {STALLED.stop}" if self._is(port, r"tready$") else "1"
            return f"    {name} <= {self._word(port)} & ({stalled} ? {self._word(port, 31)} & {self._word(port, 57)} : ~0);\n"
        if self._is(port, r"_tvalid$"):
            return self._stream(port)
        if self._is(port, r"valid$"):
            return (
                f"    {name} <= n > {START} && n < {self.clocks} ? {self._word(port)} | {self._word(port, 40)} : 0;\n"
            )
        if name == "window_end":
            return f"    {name} <= n % 700 == 699;\n"
        if valid and not self._is_stream(port):
            owner = f"n > {START} && n < {self.clocks} && (random[{0}] | random[40])"
            drawn = f"{{{port.width // 64 + 1}{{random[70:7]}}}}"
            if self._is(port, r"_flow$"):
                drawn = f"({FLOWS - 1} & {drawn})"
            return f"    {name} <= {owner} ? {drawn} : {port.width}'bx;\n"
        return ""

    @staticmethod
    def _word(port: Port, at: int = 0) -> str:
        return f"random[{at} +: {port.width}]" if port.width <= 32 else f"{{{port.width}{{random[{at}]}}}}"

    def _stream(self, valid: Port) -> str:
        """A stream's next beat, once the one that is offered was taken. All streams of a top offer the same."""
        stem = valid.name[: -len("tvalid")]
        own = {p.name.removeprefix(stem): p for p in self.ports if p.is_input and p.name.startswith(stem + "t")}
        lanes = valid.width
        octets = own["tdata"].width // 8 // lanes
        beats = max(1, 64 // octets)
        drawn = f"octets[{8 * octets} * (beat % {beats}) +: {8 * octets}]"
        unknown = "".join(f"        {p.name} <= {p.width}'bx;\n" for name, p in own.items() if name != "tvalid")
        # NetFPGA's has the length, and a bit for each port that the frame is for: each in turn.
        sides = {("tuser", 128): "128'h0001_0040 | 128'd1 << (24 + frame % 8)", ("tuser_size", 16): "16'd64"}
        rest = "".join(
            f"        {p.name} <= {sides.get((name, p.width), '0')};\n"
            for name, p in own.items()
            if name not in {"tvalid", "tdata", "tkeep", "tlast"}
        )
        keep = min(octets, 64)
        return f"""    if (!(|{valid.name}) || (&({stem}tready | ~{valid.name}))) begin
      if (n > {START} && n < {self.clocks} && (random[0] | random[40] | beat % {beats} != 0)) begin
        {valid.name} <= ~{lanes}'d0;
        {stem}tdata <= {{{lanes}{{{drawn}}}}};
        {stem}tkeep <= {{{lanes}{{{octets}'h{(1 << keep) - 1:x}}}}};
        {stem}tlast <= {{{lanes}{{beat % {beats} == {beats - 1}}}}};
{rest}        beat <= beat + 1;
        if (beat % {beats} == {beats - 1}) frame <= frame + 1;
      end else begin
        {valid.name} <= 0;
{unknown}      end
    end
"""

    @property
    def _host(self) -> str:
        """The host's accesses, one after the other, and what it reads."""
        if not self.accesses:
            return ""
        a = self._axil
        return f"""    if ({a}awready) awvalid <= 0;
    if ({a}wready) wvalid <= 0;
    if ({a}arready) arvalid <= 0;
    if (n > {RESET} + 2 && !waits && access < {len(self.accesses)} && (access < {self.before} || n > {self.clocks})) begin
      awvalid <= now_accessed[44];
      wvalid <= now_accessed[44];
      arvalid <= !now_accessed[44];
      address <= now_accessed[43:32];
      value <= now_accessed[31:0];
      waits <= 1;
    end
    if (waits && ({a}bvalid === 1'b1 || {a}rvalid === 1'b1)) begin
      waits <= 0;
      access <= access + 1;
      if ({a}rvalid === 1'b1) $display("word %h %h %h", address, {a}rdata, {a}rresp);
    end
"""

    def seen(self, lines: Sequence[str]) -> dict[str, int]:
        """In how many of the clocks that were printed each output that says of something that it is valid did so."""
        flags = {self._shown.index(name): name for name in self._flags}
        seen = dict.fromkeys(flags.values(), 0)
        for fields in (line.split()[1:] for line in lines if line[0].isdigit()):
            for place, name in flags.items():
                seen[name] += int(fields[place], 16) != 0
        return seen

    @property
    def _flags(self) -> list[str]:
        return [port.name for port in self._outputs if self._is(port, r"valid$")]

    @property
    def _outputs(self) -> list[Port]:
        return [port for port in self.ports if not port.is_input and not self._is_host(port)]

    @property
    def _busy(self) -> str:
        """Whether there is something to be shown."""
        return f"(|{{{', '.join(self._flags)}}}) !== 1'b0 || n % 16 == 0"

    @property
    def _shown(self) -> list[str]:
        return [shown for port in self._outputs for shown in self._lanes(port)]

    def _lanes(self, port: Port) -> list[str]:
        """An output, or its part of each lane, where it is valid; of a stream's data what is kept."""
        valid = self.valid(port)
        if self._is(port, r"(valid|ready)$") or valid is None:
            return [port.name]
        lanes = next(p.width for p in self.ports if p.name == valid)
        width = port.width // lanes
        shown = []
        for lane in range(lanes):
            part = f"{port.name}[{lane * width} +: {width}]" if lanes > 1 else port.name
            flag = f"{valid}[{lane}]" if lanes > 1 else valid
            keep = port.name.removesuffix("tdata") + "tkeep"
            if port.name.endswith("_tdata") and any(p.name == keep for p in self.ports):
                octets = width // 8
                kept = ", ".join(f"{{8{{{keep}[{lane * octets + i}]}}}}" for i in reversed(range(octets)))
                part = f"({part} & {{{kept}}})"
            shown.append(f"({flag} === 1'b1 ? {part} : {width}'d0)")
        return shown


CLOCK = """`timescale 1ns/1ps
module run;
  reg clk = 0;
  always #2 clk = !clk;
  plain bench (.clk(clk));
endmodule
"""
"""The clock in an event-driven simulator."""
