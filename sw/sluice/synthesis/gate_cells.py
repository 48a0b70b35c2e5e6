# SPDX-License-Identifier: Apache-2.0
"""The cells of a mapped ECP5 netlist as elements, and who says what each does.

- LUT4, PFUMX, L6MUX21, INV, CCU2C, TRELLIS_FF, TRELLIS_DPR16X4: Yosys' own models (techlibs/lattice, `ccu2c_sim.vh` and
  `common_sim.vh`). All that is logic becomes tables of four inputs: a half of a carry cell is one for what it propagates, one
  for its sum and one for its carry.
- DP16KD: Lattice's simulation model (`ecp5u/DP16KD.v` of Diamond). The output register takes a value with OCE, whatever CE
  is, and a reset with OCE too. Side B's clock, OCE and RST are those of both halves' registers where 36 bits are read, and
  what reads a word in the clock in which the other side writes it gets X. Address pins and byte enables are as Yosys maps
  to them (`brams_map_16kd.v`). An open CE or OCE is 1, an open WE or RST 0: nextpnr ties them so.
- MULT18X18D: as the vendor's models of its kin have it (`MULT9X9D.v`): each stage a register with an enable and a
  synchronous reset, or a wire.

Registers start at what REGSET says, those of blocks at 0, memories at their INITVAL, as after configuration. What a netlist
of Yosys does not use (asynchronous resets, other chip selects, the pipeline stage of a multiplier, a second clock, a falling
edge) is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sluice.synthesis.gate_elements import MUX, NOT, ONE, SUM, ZERO, Elements, Unknown, listed

Cell = dict[str, Any]
BLOCK_WORDS, WORD_BITS = 1024, 18


class Pins:
    """A cell's pins as nets, and its parameters."""

    def __init__(self, cell: Cell, nets: Callable[[int | str], int]) -> None:
        self._pins, self._nets = cell["connections"], nets
        self._parameters = {key: str(value).strip() for key, value in cell["parameters"].items()}

    def __getitem__(self, pin: str) -> int:
        return self.get(pin, ZERO)

    def get(self, pin: str, opened: int) -> int:
        """The net at a pin of one bit, or what an open one counts as."""
        bits = self._pins.get(pin, [])
        return self._nets(bits[0]) if bits and bits[0] not in ("x", "z") else opened

    def all(self, pins: Iterable[str]) -> list[int]:
        """Nets of several pins; open ones are 0."""
        return [self[pin] for pin in pins]

    def vector(self, pin: str) -> list[int]:
        """Nets of a pin of several bits."""
        return [self._nets(bit) for bit in self._pins[pin]]

    def drives(self, pin: str) -> bool:
        """Whether an output is connected."""
        return isinstance((self._pins.get(pin) or ["x"])[0], int)

    def parameter(self, name: str, default: str) -> str:
        """A parameter in words."""
        return self._parameters.get(name, default)

    def number(self, name: str) -> int:
        """A parameter in binary; bits that are not set are 0."""
        return int(self._parameters.get(name, "0").replace("x", "0"), 2)

    def demand(self, name: str, *allowed: str) -> str:
        """A parameter that must be one of these, the first by default."""
        value = self.parameter(name, allowed[0])
        if value not in allowed:
            raise Unknown(f"{name} is {value}")
        return value

    def demand_zero(self, *pins: str) -> None:
        """Pins that must be 0 for good."""
        for pin in pins:
            if self[pin] != ZERO:
                raise Unknown(f"{pin} is used")


def _lut4(gates: Elements, pins: Pins) -> None:
    a, b, c, d = pins.all("ABCD")
    gates.table(pins.number("INIT"), a, b, c, d, pins["Z"])


def _mux(zero: str, one: str, choice: str) -> Callable[[Elements, Pins], None]:
    def add(gates: Elements, pins: Pins) -> None:
        gates.table(MUX, pins[zero], pins[one], pins[choice], ZERO, pins["Z"])

    return add


def _inverter(gates: Elements, pins: Pins) -> None:
    gates.table(NOT, pins["A"], ZERO, ZERO, ZERO, pins["Z"])


def _carry(gates: Elements, pins: Pins) -> None:
    carry = pins["CIN"]
    for half in "01":
        init = pins.number(f"INIT{half}")
        a, b, c, d = pins.all(f"{pin}{half}" for pin in "ABCD")
        passes_on = gates.table(init, a, b, c, d)
        injects = pins.demand(f"INJECT1_{half}", "YES", "NO") == "YES"
        if pins.drives(f"S{half}"):
            gates.table(SUM, passes_on, ZERO if injects else carry, ZERO, ZERO, pins[f"S{half}"])
        # Inputs: a, b, the carry, and whether it passes; if not, the lowest four bits of the table make one from a and b.
        made = 0 if injects else init & 15
        out = pins["COUT"] if half == "1" and pins.drives("COUT") else None
        carry = gates.table(0xF000 | made << 4 | made, a, b, carry, passes_on, out)


def _inverted(gates: Elements, net: int) -> int:
    return gates.table(NOT, net, ZERO, ZERO, ZERO)


def _register(gates: Elements, pins: Pins) -> None:
    pins.demand("CLKMUX", "CLK")
    pins.demand("LSRMODE", "LSR")
    enables = pins.demand("CEMUX", "1", "CE", "INV")
    enable = ONE if enables == "1" else pins.get("CE", ONE)
    reset = pins["LSR"]
    if pins.demand("SRMODE", "LSR_OVER_CE", "ASYNC") == "ASYNC" and reset != ZERO:
        raise Unknown("an asynchronous reset")
    if pins.demand("LSRMUX", "LSR", "INV") == "INV" and reset != ZERO:
        reset = _inverted(gates, reset)
    start = int(pins.demand("REGSET", "RESET", "SET") == "SET")
    data, out = pins["DI"], pins["Q"]
    gates.register(start, data, _inverted(gates, enable) if enables == "INV" else enable, reset, pins["CLK"], out)


def _small_memory(gates: Elements, pins: Pins) -> None:
    pins.demand("WCKMUX", "WCK")
    pins.demand("WREMUX", "WRE")
    gates.clocks.add(pins["WCK"])
    words = [pins.number("INITVAL") >> 4 * word & 15 for word in range(16)]
    read, out = pins.vector("RAD"), pins.vector("DO")
    writes = f"{pins['WRE']} {listed(pins.vector('WAD'))} {listed(pins.vector('DI'))}"
    gates.element(f"small {writes} {listed(read)} {listed(out)} {' '.join(map(str, words))}", read, out)


def _multiplier(gates: Elements, pins: Pins) -> None:
    pins.demand("REG_PIPELINE_CLK", "NONE")
    pins.demand("RESETMODE", "SYNC")
    pins.demand_zero("SOURCEA", "SOURCEB")
    factors = {side: pins.all(f"{side}{bit}" for bit in range(18)) for side in "AB"}
    product = [pins[f"P{bit}"] if pins.drives(f"P{bit}") else gates.table(MUX, 0, 0, 0, 0) for bit in range(36)]

    def stage(name: str, data: list[int], out: list[int] | None = None) -> list[int]:
        clock = pins.parameter(f"REG_{name}_CLK", "NONE")
        if clock == "NONE":
            return data
        enable, reset = (pins.demand(f"REG_{name}_{what}", f"{what}0") for what in ("CE", "RST"))
        taken = out or [gates.fresh() for _ in data]
        for bit, q in zip(data, taken, strict=True):
            gates.register(0, bit, pins.get(enable, ONE), pins[reset], pins[clock], q)
        return taken

    a, b = (stage(f"INPUT{side}", factors[side]) for side in "AB")
    has_output = pins.parameter("REG_OUTPUT_CLK", "NONE") != "NONE"
    raw = [gates.fresh() for _ in product] if has_output else product
    signs = pins.all(("SIGNEDA", "SIGNEDB"))
    gates.element(f"product {signs[0]} {signs[1]} {listed(a)} {listed(b)} {listed(raw)}", (*signs, *a, *b), raw)
    if has_output:
        stage("OUTPUT", raw, product)


def _block_memory(gates: Elements, pins: Pins) -> None:
    width = {side: pins.number(f"DATA_WIDTH_{side}") for side in "AB"}
    pins.demand_zero(*(f"CS{side}{bit}" for side in "AB" for bit in range(3)))
    if width["B"] == 2 * WORD_BITS != width["A"]:
        raise Unknown("a read of 36 bits beside a write of fewer")
    if width["A"] == 2 * WORD_BITS:
        pins.demand_zero("WEB")
    is_wide = width["B"] == 2 * WORD_BITS
    sides = []
    for side in "AB":
        pins.demand(f"CSDECODE_{side}", "0b000")
        pins.demand(f"CLK{side}MUX", f"CLK{side}")
        mode = pins.demand(f"WRITEMODE_{side}", "NORMAL", "READBEFOREWRITE", "WRITETHROUGH")
        write, reset, clock = pins[f"WE{side}"], pins[f"RST{side}"], pins[f"CLK{side}"]
        if mode == "WRITETHROUGH" and write != ZERO:
            raise Unknown("a read of what the same side writes")
        if pins.parameter("RESETMODE", "SYNC") != "SYNC" and reset != ZERO:
            raise Unknown("an asynchronous reset")
        if clock != ZERO:
            gates.clocks.add(clock)
        outputs = [] if is_wide and side == "A" else _memory_outputs(gates, pins, "AB" if is_wide else side, side)
        controls = f"{pins.get(f'CE{side}', ONE)} {write} {reset}"
        buses = [pins.all(f"{bus}{side}{bit}" for bit in range(bits)) for bus, bits in (("AD", 14), ("DI", 18))]
        sides.append(
            f"{width[side]} {int(mode == 'NORMAL')} {int(clock != ZERO)} {controls} "
            f"{listed(buses[0])} {listed(buses[1])} {listed(outputs)}"
        )
    gates.element(f"block {' '.join(sides)} {' '.join(map(str, _contents(pins)))}")


def _memory_outputs(gates: Elements, pins: Pins, sides: str, control: str) -> list[int]:
    """Nets that the array drives: those of the outputs, or those before their register."""
    outputs = []
    for side in sides:
        has_register = pins.demand(f"REGMODE_{side}", "NOREG", "OUTREG") == "OUTREG"
        enable, reset = pins.get(f"OCE{control}", ONE), pins[f"RST{control}"]
        clears = gates.table(0x8888, enable, reset, ZERO, ZERO) if reset != ZERO else ZERO
        for bit in range(WORD_BITS):
            pin = f"DO{side}{bit}"
            array = gates.fresh() if has_register or not pins.drives(pin) else pins[pin]
            if has_register and pins.drives(pin):
                gates.register(0, array, enable, clears, pins[f"CLK{control}"], pins[pin])
            outputs.append(array)
    return outputs


def _contents(pins: Pins) -> list[int]:
    """Words of 18 bits; each INITVAL has sixteen, every one in 20 bits."""
    rows = [pins.number(f"INITVAL_{row:02X}") for row in range(BLOCK_WORDS // 16)]
    return [rows[word // 16] >> 20 * (word % 16) & 0x3FFFF for word in range(BLOCK_WORDS)]


CELLS: dict[str, Callable[[Elements, Pins], None]] = {
    "LUT4": _lut4,
    "PFUMX": _mux("BLUT", "ALUT", "C0"),
    "L6MUX21": _mux("D0", "D1", "SD"),
    "INV": _inverter,
    "CCU2C": _carry,
    "TRELLIS_FF": _register,
    "TRELLIS_DPR16X4": _small_memory,
    "MULT18X18D": _multiplier,
    "DP16KD": _block_memory,
}
