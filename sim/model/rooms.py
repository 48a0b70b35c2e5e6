# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
"""Gives parts of a generated datapath, its rooms, clocks of their own for the Verilated model, and lets either edge of a clock be
one: `rooms.py GENERATED MODULE MODEL HEADER`.

What a room's clock does not move, Verilator does not evaluate. A room has all registers of one part with the logic between them.
In the parser and in the core a frame is in one stage at a time: some stages in a row are a room. When each room is clocked,
`datapath/rooms.h` says, which the header tells how many stages there are.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

ROOMS = {
    "ingress": "ingress",
    "parser": "parser",
    "hash": "hash",
    "staging": "staging",
    "buffer": "buffer_1",
    "marker": "buffer_1/marker",
    "registers": "tile/registers",
}
"""Each room, and the instance in the datapath that it is."""

CELLS = "onCells_buffer"
"""The packet memory of a datapath with many queues, which has no staging memory: frames are stored there as they come. It is one
room."""

OWN = {
    "registers": re.compile(r"(?:extension_parameters_|onKey_m(?:ask[46]|ode)|(?:_zz_)?s_axil_)\w*"),
    "hash": re.compile(r"(?:(?:_zz_)?onKey_(?:choice|bytes|ecn)|io_headers_payload_)\w*"),
}
"""Registers of the datapath itself that have the clock of a room: settings and the bus, and what is on its way
beside the key."""

STAGED = {
    "parser": ("parser", re.compile(r"(?:start|walks_(\d+))_\w+")),
    "core": ("tile/core", re.compile(r"stage(\d+)_\w+")),
}
"""Each pipeline, its instance, and the registers there of a stage."""

STAGES = 3
"""Stages that have one clock: with more of them more is evaluated that does not move, with fewer more clocks are looked at."""

BEATS = {
    "kept": {
        "staging": re.compile(r"memory_columns_\d+_spinal_port1|kept_stage_(?:stage_)?payload_data"),
        "buffer_1": re.compile(r"io_input_payload_data_regNext"),
    },
    "marker": {"buffer_1": re.compile(r"memory_columns_\d+_spinal_port1|_zz_io_data")},
}
"""Rooms that have, of the instances, the registers in which a beat is on its way: they are wide, and move while one passes; what
counts beats moves longer."""

SHOWN = {
    "is_taking": ("buffer_1", "io_take_valid"),
    "is_hash_complete": ("hash", "io_isComplete"),
}
"""Outputs of the model alone, from which follows who has to be clocked: what is at a port of an instance."""

SHOWN_OF_CELLS = {
    "is_taking": (CELLS, "io_take_valid"),
    "is_hash_complete": ("hash", "io_isComplete"),
    "cells_taken": (CELLS, "io_taken"),
}
"""The same with many queues, and whether a cell is given back: that is a movement that no port shows."""

LINK = "onCells_link"
SHOWN_OF_ASKS = {"ask_valid": (LINK, "io_ask_valid"), "ask_ready": (LINK, "io_ask_ready")}
"""Of many queues whose packets are asked for: whether one is, which is another such movement."""


class Unlike(Exception):
    """The datapath is not built as this file takes it to be."""


def module(text: str, name: str) -> tuple[str, str, str]:
    """What is before a module, the module, and what is behind it."""
    begin = text.index(f"\nmodule {name} (") + 1
    end = text.index("\nendmodule", begin)
    return text[:begin], text[begin:end], text[end:]


def one(pattern: str, text: str) -> str:
    """The group of what matches, of which there is exactly one."""
    found: list[str] = re.findall(pattern, text, re.MULTILINE)
    if len(found) != 1:
        raise Unlike(f"{len(found)} places match {pattern}")
    return found[0]


def ports_of(body: str, instance: str) -> str:
    """The lines of an instance's ports in a module."""
    return one(rf"^  \w+ {instance} \(\n((?:    .*\n)*)", body)


def kind_of(text: str, name: str, path: list[str]) -> str:
    """Module of the instance to which a path leads from a module."""
    if not path:
        return name
    return kind_of(text, one(rf"^  (\w+) {path[0]} \($", module(text, name)[1]), path[1:])


def with_input(text: str, name: str, path: list[str], clock: str) -> str:
    """The text where that clock comes into a module, and goes on to the instance to which the path leads."""
    before, body, behind = module(text, name)
    port, pin = f"  input wire {clock},\n", f"    .{clock}({clock}),\n"
    if port not in body:
        body = body.replace("(\n", f"(\n{port}", 1)
    if not path:
        return before + body + behind
    if pin not in ports_of(body, path[0]):
        body = re.sub(rf"^(  \w+ {path[0]} \(\n)", rf"\1{pin}", body, flags=re.MULTILINE)
    return with_input(before + body + behind, kind_of(text, name, path[:1]), path[1:], clock)


def with_room(text: str, name: str, path: list[str], clock: str) -> str:
    """The text where the instance to which the path leads has that clock in place of that of all."""
    text = with_input(text, name, path[:-1], clock)
    holder = kind_of(text, name, path[:-1])
    before, body, behind = module(text, holder)
    ports = ports_of(body, path[-1])
    own = re.sub(r"^(    \.clk +)\(\w+ *\)", rf"\1({clock})", ports, flags=re.MULTILINE)
    if own == ports:
        raise Unlike(f"{path[-1]} has no clock")
    return before + body.replace(ports, own) + behind


MOVES = re.compile(r"( +)(\w+) <= [^;]*;$")
"""A line that moves a register."""


MEMORY_READS = re.compile(
    r"^  always @\(posedge clk\) begin\n    if\(\w+\) begin\n      (\w+_spinal_port\d) <= .*\n    end\n  end$",
    re.MULTILINE,
)
"""A block that reads a memory's word into a register."""


def with_clocks(text: str, name: str, clock_of: Callable[[str], str | None]) -> str:
    """The text where registers of a module have clocks of their own. Of those that move only under a condition none has one."""
    before, body, behind = module(text, name)
    parts = list(parts_of(body.splitlines()))
    depths = {"always": 4, "reset": 6, "otherwise": 6}
    conditional = {found[2] for line, part in parts if (found := MOVES.match(line)) and len(found[1]) != depths[part]}
    moved: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    kept = []
    for line, part in parts:
        found = MOVES.match(line)
        clock = clock_of(found[2]) if found and found[2] not in conditional else None
        if clock:
            moved[clock][part].append(line)
        else:
            kept.append(line)
    for clock, lines in moved.items():
        kept += ["", f"  always @(posedge {clock}) begin", *lines["always"], "    if(rst) begin", *lines["reset"]]
        kept += ["    end else begin", *lines["otherwise"], "    end", "  end"]
    return before + "\n".join(kept) + behind


def parts_of(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line, and whether it holds always, at a reset, or otherwise."""
    part = "always"
    for line in lines:
        if line == "    if(rst) begin":
            part = "reset"
        elif line == "    end else begin" and part == "reset":
            part = "otherwise"
        elif line == "    end":
            part = "always"
        yield line, part


def with_own(text: str, name: str) -> str:
    """The text where the datapath's own registers have the clocks of rooms."""
    found = dict.fromkeys(OWN, 0)

    def clock_of(register: str) -> str | None:
        for room, names in OWN.items():
            if names.fullmatch(register):
                found[room] += 1
                return f"{room}_clk"
        return None

    text = with_clocks(text, name, clock_of)
    if not all(found.values()):
        raise Unlike(f"{name} has of its own: {found}")
    return text


def with_stages(text: str, name: str, path: list[str], names: re.Pattern[str], room: str) -> tuple[str, int]:
    """The text where the stages of a pipeline have clocks of their own, so many of them one; and the number of the last stage."""
    last = 0

    def clock_of(register: str) -> str | None:
        nonlocal last
        found = names.fullmatch(register)
        if not found:
            return None
        stage = int(found[1] or 0)
        last = max(last, stage)
        return f"{room}_{stage // STAGES}_clk"

    text = with_clocks(text, kind_of(text, name, path), clock_of)
    for group in range(last // STAGES + 1):
        text = with_input(text, name, path, f"{room}_{group}_clk")
    return text, last


def with_shown(text: str, name: str, shown: dict[str, tuple[str, str]]) -> str:
    """The text where the model has its own outputs."""
    for port, (instance, inside) in shown.items():
        before, body, behind = module(text, name)
        word = one(rf"^    \.{inside} +\((\w+)(?:\[\S+\])? *\)", ports_of(body, instance))
        width = one(rf"^  (?:wire|reg) +(\[\S+\])? *{word};", body)
        body = body.replace("(\n", f"(\n  output wire {width} {port},\n", 1) + f"\n  assign {port} = {word};\n"
        text = before + body + behind
    return text


def with_beats(text: str, name: str, path: list[str], names: re.Pattern[str], room: str) -> str:
    """The text where the registers of an instance in which a beat is have the clock of a room."""
    kind, found = kind_of(text, name, path), 0

    def clock_of(register: str) -> str | None:
        nonlocal found
        is_found = names.fullmatch(register) is not None
        found += is_found
        return f"{room}_clk" if is_found else None

    def own(block: re.Match[str]) -> str:
        return block[0].replace("(posedge clk)", f"(posedge {clock_of(block[1]) or 'clk'})")

    before, body, behind = module(text, kind)
    text = with_clocks(before + MEMORY_READS.sub(own, body) + behind, kind, clock_of)
    if not found:
        raise Unlike(f"{'/'.join(path)} has no registers of beats")
    return with_input(text, name, path, f"{room}_clk")


def main(generated: str, name: str, model: str, header: str) -> None:
    """Write the model's file and the header."""
    text = with_own(Path(generated).read_text(), name)
    instances = re.findall(r"^  \w+ (\w+) \($", module(text, name)[1], re.MULTILINE)
    has_cells = CELLS in instances
    shown = SHOWN_OF_CELLS if has_cells else SHOWN
    text = with_shown(text, name, shown | SHOWN_OF_ASKS if LINK in instances else shown)
    places = ROOMS | {"buffer": CELLS} if has_cells else ROOMS
    none = ("staging", "marker", *BEATS) if has_cells else ()  # their clocks move nothing
    for room, path in places.items():
        if room in none:
            text = with_input(text, name, [], f"{room}_clk")
        else:
            text = with_room(text, name, path.split("/"), f"{room}_clk")
    for room, beats in BEATS.items():
        if room in none:
            text = with_input(text, name, [], f"{room}_clk")
            continue
        for path, names in beats.items():
            text = with_beats(text, name, path.split("/"), names, room)
    rooms, lasts = list(ROOMS | BEATS), {}
    for room, (way, names) in STAGED.items():
        text, lasts[room] = with_stages(text, name, way.split("/"), names, room)
        rooms += [f"{room}_{group}" for group in range(lasts[room] // STAGES + 1)]
    Path(model).write_text(re.sub(r"\bposedge (\w*clk)\b", r"edge \1", text))
    names = ", ".join(f'"{room}"' for room in rooms)
    Path(header).write_text(
        f"// What rooms.py has made of {name}.\n"
        f"#define SLUICE_ROOM_CLOCKS(top) {', '.join(f'&(top).{room}_clk' for room in rooms)}\n"
        f"#define SLUICE_ROOM_NAMES {names}\n"
        f"constexpr unsigned STAGES_OF_ROOM = {STAGES};\n"
        + "".join(f"constexpr unsigned {room.upper()}_LAST_STAGE = {last};\n" for room, last in lasts.items())
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
