# SPDX-License-Identifier: Apache-2.0
"""Generated modules as programs: Verilated and compiled, unless that has been done.

To compile a model takes longer than to run it. So all of it is one file, and little optimized; what runs once, Verilator's
"Slow", not at all, as is what runs for a moment only. Of a large module of which there is more than one instance each part is
compiled once. Verilator's own part of every model, and its header with all that this includes, are compiled once for all.
"""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lib.files import kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LARGE = 100_000  # characters of a module
_DEFINES = ("VERILATOR=1", "VM_SC=0", "VM_COVERAGE=0", "VM_TIMING=0", "VM_TRACE_SAIF=0")
_MEMORY = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=65535:glibc.malloc.hugetlb=1"}
"""With which Verilator takes two thirds of its time, see build.mk."""


def program(
    sources: Sequence[Path],
    main: Path,
    folder: Path,
    *,
    verilate: Sequence[str] = (),
    runtime: Sequence[str] = ("verilated", "verilated_threads"),
    link: Sequence[str] = (),
    level: int = 1,
    is_traced: bool = False,
) -> Path:
    """The program `folder`/<module>: the module that is named like the first source, and `main`, which drives it as `Vtop`.

    The sources are Verilog and Verilator's control files, `verilate` Verilator's further options, `runtime` the parts of its
    library, `link` what else is linked, and `level` g++'s of optimization. The run-time library lies beside the folder, for all
    folders there. One that `is_traced` can write waveforms, of all signals.
    """
    if is_traced:
        verilate, runtime, link = (*verilate, "--trace-fst"), (*runtime, "verilated_fst_c"), (*link, "-lz", "-llz4")
    top = sources[0].stem
    binary, made = folder / top, folder / "verilated"
    with _locked(folder):
        made_of = (*sources, main, Path(__file__))
        if binary.exists() and binary.stat().st_mtime > max(file.stat().st_mtime for file in made_of):
            return binary
        shutil.rmtree(made, ignore_errors=True)
        lines = [f'no_inline -module "{name}"' for name in _repeated(sources)]
        kept_whole = kept(folder / "repeated.vlt", "\n".join(("`verilator_config", *lines)) + "\n")
        _call(
            *(_verilator(), "--cc", "-O3", "--output-split", "0", "-Wno-fatal", "-Wno-lint", *verilate),
            *("--prefix", "Vtop", "--top-module", top, "--Mdir", made, *sources, kept_whole),
            **_MEMORY,
        )
        files = sorted(made.glob("Vtop*.cpp"))
        once = [file for file in files if file.stem.endswith("Slow")]
        lines = [f'#include "{file}"' for file in [main, *(file for file in files if file not in once)]]
        lines += ['#pragma GCC optimize("O0")', *(f'#include "{file}"' for file in once)]
        whole = made / "all.cc"
        whole.write_text("\n".join(lines) + "\n")
        flags = _flags(level, is_traced)
        shared = f"runtime-{level}{'-traced' * is_traced}"
        header, objects = _runtime(folder.parent / shared, runtime, flags)
        _call(
            *("g++", *flags, "-include", header, f"-I{made}", f"-I{folder}", *_includes(), whole, *objects),
            *(*link, "-o", binary),
        )
    return binary


def _repeated(sources: Sequence[Path]) -> list[str]:
    """Large modules of which there is more than one instance."""
    text = "".join(source.read_text() for source in sources if source.suffix == ".sv")
    instances = Counter(re.findall(r"^  (\w+) \w+ \($", text, re.MULTILINE))
    modules = (module.group() for module in re.finditer(r"^module .*?^endmodule", text, re.MULTILINE | re.DOTALL))
    return [name for module in modules if len(module) > _LARGE and instances[name := module.split()[1]] > 1]


def _flags(level: int, is_traced: bool) -> list[str]:
    defines = (*_DEFINES, f"VM_TRACE={is_traced:d}", f"VM_TRACE_FST={is_traced:d}")
    return ["-std=c++20", f"-O{level}", "-w", "-pthread", *(f"-D{define}" for define in defines)]


def _runtime(folder: Path, parts: Sequence[str], flags: Sequence[str]) -> tuple[Path, list[Path]]:
    """A header, of which g++ takes the compiled form beside it where it comes first, and parts of Verilator's library."""
    library = Path(_includes()[0].removeprefix("-I"))
    header, objects = folder / "first.h", [folder / f"{part}.o" for part in parts]
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        kept(header, '#include "verilated.h"\n')
        compiled = {header.with_suffix(".h.gch"): (header, library / "verilated.h")}
        for made, sources in (compiled | {made: (library / f"{made.stem}.cpp",) for made in objects}).items():
            if not made.exists() or made.stat().st_mtime < max(source.stat().st_mtime for source in sources):
                _call("g++", *flags, *_includes(), "-c", sources[0], "-o", made)
    return header, objects


def _call(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        list(map(str, command)), env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stdout}{done.stderr}"
    return done.stdout


def _verilator() -> str:
    found = shutil.which("verilator")
    assert found, "no Verilator on the path"
    return found


@functools.cache
def _includes() -> list[str]:
    root = Path(_call(_verilator(), "--getenv", "VERILATOR_ROOT").strip())
    return [f"-I{root / 'include'}", f"-I{root / 'include' / 'vltstd'}"]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Two workers may want the same thing made."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
