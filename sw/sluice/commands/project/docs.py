# SPDX-License-Identifier: Apache-2.0
"""`sluice docs`: what of the pages follows from the generator's JSON, the scenario format and measured results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rich_click as click

from sluice.hardware import catalog, counters, datapaths, shells
from sluice.loop.reports import scenario_page
from sluice.pages import result_tables
from sluice.pages.tables import parameters
from sluice.support import paths, templates
from sluice.support.output import console, write_text


@click.command(name="docs")
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write README.md and docs into; the project's otherwise.",
)
def command(output: Path | None) -> None:
    """Write the register maps of configurations and datapaths, the table of all algorithms, the scenario format, and
    the tables of measured results.

    The pages are `registers/<config>.md`, `registers/datapath-<config>.md` and `catalogue.md` in `docs/reference`. They
    follow from build/rtl only, so the same RTL always gives the same text, and pages of configurations that are gone
    are removed. `simulate/scenarios.md` and `reference/scenario.schema.json` follow from the declaration of the format. In README
    and other pages the tables of fpga/results are renewed where comments mark their places, and what was measured on
    other RTL than that in build/rtl is marked.
    """
    top = output or paths.root()
    docs = top / "docs"
    folder = docs / "reference"
    found = catalog.load()
    registers = folder / "registers"
    registers.mkdir(parents=True, exist_ok=True)
    for old in registers.glob("*.md"):
        old.unlink()
    for name in found.config_names:
        write_text(registers / f"{name}.md", _registers(paths.register_map(name), f"`{name}`"))
    wrapped = datapaths.load()
    for datapath in {d.config: d for d in wrapped}.values():
        page = _registers(datapath.register_map, f"datapaths around `{datapath.config}`", _OF_ONE_WIDTH)
        write_text(registers / f"datapath-{datapath.config}.md", page)
    page = templates.render(
        "catalogue.md.j2",
        catalog=found,
        datapaths=wrapped,
        counters=counters.load(),
        shells=shells.load(),
        names=_names,
        settings=_settings,
    )
    write_text(folder / "catalogue.md", page)
    write_text(folder / "scenario.schema.json", scenario_page.schema_text())
    write_text(docs / "simulate" / "scenarios.md", scenario_page.page())
    for place, text in _with_tables():
        write_text(top / place, text)
    console.print(
        f"{len(list(registers.iterdir()))} register maps and the catalogue are in {folder}, scenarios.md in {docs}"
    )


def _with_tables() -> Iterator[tuple[Path, str]]:
    """README and hand-written pages in which a table of results has its place, as they should be."""
    root = paths.root()
    for page in sorted([root / "README.md", *(root / "docs").rglob("*.md")]):
        if page.exists() and result_tables.BEGIN in (text := page.read_text()):
            yield page.relative_to(root), result_tables.rewritten(page, text)


_OF_ONE_WIDTH = frozenset({"CAPS", "DIGEST"})
"""Words that differ between the datapaths of a page, which is for all widths."""


def _registers(file: Path, title: str, differing: frozenset[str] = frozenset()) -> str:
    register_map = json.loads(paths.made(file).read_text())
    return templates.render(
        "registers.md.j2",
        map=register_map,
        title=title,
        control=_control(register_map),
        differing=differing,
        hex=_hex,
        code=_code,
        number=_number,
        follows=parameters.follows,
    )


def _control(register_map: dict[str, Any]) -> list[dict[str, Any]]:
    """The registers that the other tables of a page do not show."""
    shown = {entry["address"] for table in ("parameters", "status") for entry in register_map[table]}
    shown |= {entry["address"] + offset for entry in register_map["counters"] for offset in (0, 4)}
    return [register for register in register_map["registers"] if register["address"] not in shown]


def _hex(value: int) -> str:
    return f"0x{value:03X}"


def _code(name: str) -> str:
    return f"`{name}`" if name else ""


def _number(value: float) -> str:
    return f"{value:.12g}"


def _names(reasons: list[Any]) -> str:
    return ", ".join(reason["name"] if isinstance(reason, dict) else str(reason) for reason in reasons)


def _settings(settings: dict[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in settings.items())
