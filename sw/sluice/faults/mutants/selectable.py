# SPDX-License-Identifier: Apache-2.0
"""A design with faults that an input selects: with `mutant` = 0 it is the design, with `mutant` = n the n-th fault is in it.

So all mutants of a design are built once. The faults of logic are those of Yosys' `mutate`, which spreads them over lines
of the source, wires and bits: one bit of one port of a word-level cell stands at 0 or 1, is inverted, or is inverted
depending on another bit of the port. A table, a memory that nothing writes, is one cell to Yosys, and its contents are
not mutated; here a fault of a table is one inverted bit of one entry, every bit as likely as any other. Every possible
fault counts the same, so tables have that part of the mutants that their bits are of all possible faults.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sluice import synthesis
from sluice.faults.mutants import collisions
from sluice.faults.mutants.cells import MEMORY, REGISTER, Added, parameter
from sluice.synthesis.passes.netlist import Module, Net

INPUT = "mutant"
INPUT_BITS = 16
SPARE = 64
"""Faults of logic that are drawn beyond those wanted, in the place of some that cannot be."""
PLAIN = "plain.json"
"""The design without faults, in Yosys' JSON form."""
NETLIST = "selectable.json"
"""The design with selectable faults, in Yosys' JSON form."""
READ = (
    "read_verilog -sv {source}; hierarchy -check -top {top}; proc; setattr -mod -unset keep_hierarchy *; flatten;"
    " opt_expr; opt_clean; memory_collect"
)
"""One module and no other: a fault in one that is shared would be a fault in each of its places."""


@dataclass(frozen=True)
class Mutant:
    """One fault. `place` names the wire or the cell's port, or the table's entry; `source` is `file:line.column-line.column`."""

    kind: str
    place: str
    source: str
    command: str = ""
    """Yosys' command that makes it; empty for a fault of a table."""
    table: str = ""
    entry: int = 0
    bit: int = 0

    @property
    def line(self) -> int:
        """Its line in the design's source; 0 if Yosys knows none."""
        found = re.search(r":(\d+)\.", self.source)
        return int(found[1]) if found else 0


def read(source: Path, top: str) -> dict[str, Any]:
    """The design as a netlist of word-level cells, without any fault, in Yosys' JSON form."""
    synthesis.yosys(source.parent, "read", f"{READ}; write_json {PLAIN}".format(source=source.name, top=top))
    netlist: dict[str, Any] = json.loads((source.parent / PLAIN).read_text())
    return netlist


def draw(source: Path, top: str, count: int, seed: int) -> list[Mutant]:
    """That many faults of a design; the file's folder takes intermediate ones."""
    work = source.parent
    netlist = read(source, top)
    _leave_out_the_bench(netlist["modules"][top])
    (work / "product.json").write_text(json.dumps(netlist))
    listing = f"tee -q -o mutate.log mutate -list {count + SPARE} -seed {seed} -o mutate.ys"
    synthesis.yosys(work, "mutate", f"read_json product.json; opt_clean; {listing}; write_json product.json")
    module: dict[str, Any] = json.loads((work / "product.json").read_text())["modules"][top]
    tables = dict(_tables(module))
    bits = [
        (name, entry, bit) for name, (size, width) in tables.items() for entry in range(size) for bit in range(width)
    ]
    found = re.search(r"Raw database size: (\d+)", (work / "mutate.log").read_text())
    possible = int(found[1]) if found else 0
    of_tables = round(count * len(bits) / max(1, len(bits) + possible))
    drawn = random.Random(seed).sample(bits, of_tables)
    logic = (_of_logic(command) for command in (work / "mutate.ys").read_text().splitlines())
    faults = [mutant for mutant in logic if _can_be(module, mutant)][: count - of_tables]
    return faults + [
        table_fault(name, entry, bit, module["cells"][name]["attributes"].get("src", ""))
        for name, entry, bit in sorted(drawn)
    ]


def table_fault(table: str, entry: int, bit: int, source: str = "") -> Mutant:
    """One inverted bit of one entry of a table."""
    return Mutant("table", f"{table}[{entry}] bit {bit}", source, table=table, entry=entry, bit=bit)


def wire_fault(netlist: dict[str, Any], top: str, mode: str, wire: str, bit: int) -> Mutant:
    """A fault where the named wire's bit is driven, in a netlist in Yosys' JSON form."""
    module = netlist["modules"][top]
    net = module["netnames"][wire]["bits"][bit]
    for name, cell in module["cells"].items():
        for port, nets in cell["connections"].items():
            if cell["port_directions"].get(port) == "output" and net in nets:
                at = f"-module {top} -cell {name} -port {port} -portbit {nets.index(net)}"
                return Mutant(mode, f"{wire}[{bit}]", cell["attributes"].get("src", ""), f"mutate -mode {mode} {at}")
    raise KeyError(f"nothing drives {wire}[{bit}]")


def write(source: Path, top: str, mutants: Sequence[Mutant]) -> Path:
    """The design with all these faults as Verilog, beside its source and what :func:`read` left there; the first one is selected
    by 1."""
    work = source.parent
    (work / "apply.ys").write_text("".join(f"{line}\n" for line in _commands(mutants)))
    synthesis.yosys(
        work, "apply", f"{READ}; script apply.ys; write_json applied.json".format(source=source.name, top=top)
    )
    netlist = json.loads((work / "applied.json").read_text())
    module = netlist["modules"][top]
    _add_table_faults(module, mutants)
    (work / NETLIST).write_text(json.dumps(netlist))
    plain = json.loads((work / PLAIN).read_text())["modules"][top]
    collisions.undefine(module, collisions.clocked_reads(plain))
    (work / "simulated.json").write_text(json.dumps(netlist))
    synthesis.yosys(work, "write", "read_json simulated.json; write_verilog -noattr selectable.v")
    return work / "selectable.v"


def _commands(mutants: Sequence[Mutant]) -> Iterator[str]:
    for number, mutant in enumerate(mutants, 1):
        if mutant.command:
            yield mutant.command.replace("mutate ", f"mutate -ctrl {INPUT} {INPUT_BITS} {number} ", 1)


def _of_logic(command: str) -> Mutant:
    options = _options(command)
    sources = re.findall(r"-src (\S+)", command)
    place = (
        f"{options['wire']}[{options['wirebit']}]"
        if "wire" in options
        else f"{options['cell']}.{options['port']}[{options['portbit']}]"
    )
    return Mutant(options["mode"], place, min(sources, key=_lines, default=""), command)


def _can_be(module: dict[str, Any], mutant: Mutant) -> bool:
    """Whether Yosys can write the fault down: a port of a memory that reads without a clock has an enable and resets in a
    netlist, and no Verilog for them."""
    options = _options(mutant.command)
    cell = module["cells"][options["cell"]]
    if cell["type"] != MEMORY or options["port"] not in ("RD_CLK", "RD_EN", "RD_ARST", "RD_SRST"):
        return True
    is_clocked: str = cell["parameters"]["RD_CLK_ENABLE"]
    return is_clocked[-1 - int(options["portbit"])] == "1"


def _options(command: str) -> dict[str, str]:
    """Of Yosys' command, but for the sources."""
    return dict(re.findall(r"-(\w+) (\S+)", re.sub(r"-src \S+", "", command)))


def _lines(source: str) -> int:
    """How many lines a source range spans: of several, the shortest says most."""
    found = re.search(r":(\d+)\.\d+-(\d+)\.", source)
    return int(found[2]) - int(found[1]) if found else 0


def _leave_out_the_bench(module: dict[str, Any]) -> None:
    """Takes away what a bare core shows to its bench only, so that no fault is drawn from it: whole outputs, and the registers
    that only hold a status value back until the packet's verdict is there."""
    for name in [name for name in module["ports"] if name.startswith("view_") or name == "legal"]:
        del module["ports"][name]
    netlist = Module(module)
    for name, port in module["ports"].items():
        if name.startswith("status_") and port["direction"] == "output":
            port["bits"] = [_before_delays(netlist, bit, {("", name)}) for bit in port["bits"]]


def _before_delays(netlist: Module, bit: Net | str, readers: set[tuple[str, str]]) -> Net | str:
    """The bit before all registers that do nothing but delay it."""
    while isinstance(bit, int) and netlist.readers[bit] <= readers:
        register = netlist.driver.get(bit, "")
        if not register or netlist.cells[register]["type"] != REGISTER:
            break
        pins = netlist.cells[register]["connections"]
        bit, readers = pins["D"][pins["Q"].index(bit)], {(register, "D")}
    return bit


def _tables(module: dict[str, Any]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Entries and width of each memory that nothing writes."""
    for name, cell in module["cells"].items():
        if cell["type"] == MEMORY and parameter(cell, "WR_PORTS") == 0:
            yield name, (parameter(cell, "SIZE"), parameter(cell, "WIDTH"))


def _add_table_faults(module: dict[str, Any], mutants: Sequence[Mutant]) -> None:
    """Inverts the bit, at each read port of the table, where the entry is read and the fault is selected."""
    faults = [(number, mutant) for number, mutant in enumerate(mutants, 1) if mutant.table]
    if not faults:
        return
    added = Added(module)
    if INPUT not in module["ports"]:
        selected = added.nets(INPUT_BITS)
        module["ports"][INPUT] = {"direction": "input", "bits": selected}
        module["netnames"][INPUT] = {"hide_name": 0, "bits": selected, "attributes": {}}
    selected = module["ports"][INPUT]["bits"]
    for number, mutant in faults:
        cell = module["cells"][mutant.table]
        read, width, address_bits = cell["connections"]["RD_DATA"], parameter(cell, "WIDTH"), parameter(cell, "ABITS")
        for port in range(parameter(cell, "RD_PORTS")):
            address = cell["connections"]["RD_ADDR"][port * address_bits : (port + 1) * address_bits]
            place = port * width + mutant.bit
            wanted = f"{number:0{INPUT_BITS}b}{mutant.entry + parameter(cell, 'OFFSET'):0{address_bits}b}"
            is_read = added.cell("$eq", [*address, *selected], [*reversed(wanted)], added.nets(1))
            behind = [read[place]]
            [read[place]] = held = added.nets(1)
            added.cell("$xor", held, is_read, behind)
