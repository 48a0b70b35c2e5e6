# SPDX-License-Identifier: Apache-2.0
"""The generated C headers: all of them in one program, without floating point, in a kernel, and true to the register maps."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lib.simulation import RTL, catalog, registers

from sluice.support import paths

NAMES = [entry["name"] for key in ("configs", "datapaths") for entry in catalog()[key]]
COMMON = {"ID", "VERSION", "CAPS", "NAME0", "NAME1", "NAME2", "COMMIT", "REFUSED", "SNAPSHOT", "DIGEST", "FAULTS"}
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror")


def header(name: str) -> Path:
    return RTL / name / f"{paths.module(name)}_registers.h"


INCLUDES = "".join(f'#include "{header(name)}"\n' for name in NAMES)


def gcc(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "all.c").write_text(source)
    command = ["gcc", *STRICT, *options, "all.c"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_all_headers_compile_together(tmp_path: Path) -> None:
    """Each of them twice, as programs of many files do."""
    done = gcc(tmp_path, INCLUDES + INCLUDES, "-ffreestanding", "-c")
    assert done.returncode == 0, done.stderr


def test_all_headers_compile_in_a_kernel(tmp_path: Path) -> None:
    """A kernel has no header of the C library."""
    (tmp_path / "linux").mkdir()
    (tmp_path / "linux" / "types.h").write_text("typedef unsigned int uint32_t;\n")
    done = gcc(tmp_path, INCLUDES, "-ffreestanding", "-nostdinc", "-D__KERNEL__", "-I.", "-c")
    assert done.returncode == 0, done.stderr


def test_no_header_has_floating_point(tmp_path: Path) -> None:
    done = gcc(tmp_path, INCLUDES, "-ffreestanding", "-E", "-P")
    assert done.returncode == 0, done.stderr
    code = re.sub(r'"[^"]*"', "", done.stdout)
    assert "sluice_red_parameters" in code
    assert re.findall(r"\b(?:float|double)\b|\d\.|\.\d", code) == []


def test_what_headers_share_is_the_same_text() -> None:
    shared = (RTL / "sluice_registers.h").read_text().partition(" */\n")[2].strip()
    assert "struct sluice_map {" in shared
    assert [name for name in NAMES if shared not in header(name).read_text()] == []


def test_headers_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    """Of two releases with other types."""
    done = gcc(tmp_path, f"#define SLUICE_REGISTERS 0\n{INCLUDES}", "-c")
    assert done.returncode != 0
    assert "do not fit together" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_header_has_every_word(name: str) -> None:
    """Those that every map has under names that all share, the others under names of their own."""
    declared = registers(name)
    prefixes = ("SLUICE_", f"{paths.module(name).upper()}_")
    found = re.findall(r"#define (\w+)\s+0x([0-9a-f]+)u", header(name).read_text())
    assert {macro: int(address, 16) for macro, address in found} == {
        "SLUICE_IN_FORCE_OFFSET": declared["in_force_offset"],
        **{
            prefixes[word["name"] not in COMMON] + word["name"].upper(): word["address"]
            for word in declared["registers"]
        },
        **{f"SLUICE_FAULT_{fault['name'].upper()}": 1 << fault["bit"] for fault in declared["faults"]},
    }


PRINT = """
#include <stdio.h>
static const struct sluice_map *maps[] = {%s};
int main(void) {
  for (unsigned m = 0; m < sizeof maps / sizeof *maps; m++) {
    const struct sluice_map *map = maps[m];
    printf("map|%%s|%%u|%%u|%%u\\n", map->config, map->digest, map->latency_cycles, map->lead_cycles);
    printf("secret|%%u|%%u\\n", map->secret_address, map->secret_count);
    for (unsigned i = 0; i < map->parameter_count; i++) {
      const struct sluice_parameter *p = &map->parameters[i];
      printf("parameter|%%s|%%s|%%s|%%u|%%u|%%u|%%u\\n", p->name, p->ns3_name, p->unit, p->address, p->width, p->fraction,
             p->default_raw);
    }
    for (unsigned i = 0; i < map->rule_count; i++)
      printf("rule|%%s|%%u\\n", map->rules[i].name, map->rules[i].bit);
    for (unsigned i = 0; i < map->reason_count; i++) {
      const struct sluice_reason *r = &map->reasons[i];
      printf("reason|%%s|%%u|%%s|%%u\\n", r->name, r->code, r->is_mark ? "mark" : "drop", r->address);
    }
    for (unsigned i = 0; i < map->counter_count; i++)
      printf("counter|%%s|%%u\\n", map->counters[i].name, map->counters[i].address);
    for (unsigned i = 0; i < map->status_count; i++) {
      const struct sluice_status *s = &map->status[i];
      printf("status|%%s|%%s|%%u|%%u|%%u\\n", s->name, s->unit, s->address, s->width, s->fraction);
    }
  }
}
"""


def rows(declared: dict[str, Any]) -> list[list[Any]]:
    """What the program prints of a map."""
    raw = {p["name"]: round(p["default"] * (1 << p["fraction"])) for p in declared["parameters"]}
    secret = [word["address"] for word in declared["registers"] if word["name"].startswith("SECRET")]
    return [
        ["map", *(declared[key] for key in ("config", "digest", "latency_cycles", "lead_cycles"))],
        ["secret", min(secret, default=0), len(secret)],
        *(
            ["parameter", *(p[key] for key in ("name", "ns3", "unit", "address", "width", "fraction")), raw[p["name"]]]
            for p in declared["parameters"]
        ),
        *(["rule", r["name"], r["bit"]] for r in declared["rules"]),
        *(["reason", r["name"], r["code"], r["action"], r["address"]] for r in declared["reasons"]),
        *(["counter", c["name"], c["address"]] for c in declared["counters"]),
        *(["status", s["name"], s["unit"], s["address"], s["width"], s["fraction"]] for s in declared["status"]),
    ]


def test_the_tables_are_those_of_the_register_maps(tmp_path: Path) -> None:
    """One program with the tables of all configurations prints what their registers.json say."""
    maps = ", ".join(f"&{paths.module(name)}_map" for name in NAMES)
    built = gcc(tmp_path, INCLUDES + PRINT % maps, "-o", "print")
    assert built.returncode == 0, built.stderr
    printed = subprocess.run([tmp_path / "print"], capture_output=True, text=True, check=True).stdout
    expected = [row for name in NAMES for row in rows(registers(name))]
    assert printed.splitlines() == ["|".join(map(str, row)) for row in expected]
