# SPDX-License-Identifier: Apache-2.0
"""Register maps as SystemRDL 2.0, and from that as IP-XACT by PeakRDL.

Both follow from `registers.json`, whose words they hold under the same names, with the parameters in force beside. A word is one
register of one field of the same name. What a fraction is and how a tile answers a refused access the standards cannot say:
that stays in the JSON and in the reference pages.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from peakrdl_ipxact import IPXACTExporter
from systemrdl.compiler import RDLCompiler

from sluice.support import paths, templates

ACCESS = {
    "ro": "sw = r; hw = w",
    "rw": "sw = rw; hw = r",
    "wo": "sw = w; hw = r",
    "w1": "sw = rw; hw = rw; onwrite = woset",
    "w1c": "sw = rw; hw = rw; onwrite = woclr",
}
"""How software and hardware see a word of each kind. Writing 1 to `w1` asks for something; its description says what it reads."""

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def name(register_map: dict[str, Any]) -> str:
    """Name of the map, which files and components bear."""
    return paths.module(register_map["config"], "registers")


def words(register_map: dict[str, Any]) -> list[dict[str, Any]]:
    """All words by address: those of the map, and the parameters as they are in force."""
    in_force = [
        word
        | {
            "name": f"{word['name']}_in_force",
            "address": word["address"] + register_map["in_force_offset"],
            "access": "ro",
        }
        for word in register_map["registers"]
        if word["address"] in {parameter["address"] for parameter in register_map["parameters"]}
    ]
    return sorted([*register_map["registers"], *in_force], key=lambda word: int(word["address"]))


def text(register_map: dict[str, Any]) -> str:
    """The map as SystemRDL."""
    return templates.render(
        "registers.rdl.j2",
        map=register_map,
        component=name(register_map),
        words=words(register_map),
        access=ACCESS,
        identifier=_identifier,
        quoted=_quoted,
    )


def ip_xact(register_map: dict[str, Any]) -> str:
    """The map as IP-XACT (IEEE 1685-2014)."""
    with tempfile.TemporaryDirectory() as folder:
        source, written = Path(folder) / "map.rdl", Path(folder) / "map.xml"
        source.write_text(text(register_map))
        compiler = RDLCompiler()
        compiler.compile_file(str(source))
        exporter = IPXACTExporter(vendor="sluice", library="aqm", version=register_map["version"])
        exporter.export(compiler.elaborate().top, str(written))
        head, newline, body = written.read_text().partition("\n")
        return f"{head}{newline}<!-- SPDX-License-Identifier: {register_map['licence']} -->\n{body}"


def _identifier(word: str) -> str:
    """An identifier that may be one of SystemRDL's own words."""
    assert _IDENTIFIER.fullmatch(word), word
    return f"\\{word}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
