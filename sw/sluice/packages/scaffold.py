# SPDX-License-Identifier: Apache-2.0
"""The files of a new core, from templates: a threshold drop that builds, passes its tests and lints, to begin with."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

import yaml

from sluice.loop.ns3_disciplines import NS3
from sluice.loop.scenario import ALL
from sluice.support import paths, templates
from sluice.support.errors import UserError
from sluice.support.output import write_text

MOST_CHARACTERS = 12
"""The registers NAME0 to NAME2 have room for so many."""

CATALOG = Path("rtl/src/main/scala/sluice/Catalog.scala")
"""The list of algorithms."""


def lay_down(name: str) -> list[Path]:
    """Write the files of a core of this name and its line of the catalogue; their paths below the root, the catalogue last.

    A user error, and nothing written, if the name will not do or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) or len(name) > MOST_CHARACTERS:
        raise UserError(
            f"'{name}' is no name of a core: words of lower-case letters and digits with hyphens between them, "
            f"a letter first, at most {MOST_CHARACTERS} characters"
        )
    module, type_name = name.replace("-", "_"), "".join(word.capitalize() for word in name.split("-"))
    files = {
        Path(f"rtl/src/main/scala/sluice/cores/{type_name}Core.scala"): "core.scala",
        Path(f"sim/golden/sluice_golden/{module}.py"): "golden.py",
        Path(f"cocotb-tests/cores/test_{module}.py"): "corners.py",
        Path(f"docs/algorithms/{name}.md"): "page.md",
    }
    if not (paths.root() / CATALOG).is_file():
        raise UserError(f"a new core goes into the project's sources, and {paths.root()} has no {CATALOG}")
    _refuse_what_is_taken(name, type_name, list(files))
    listed = _with_line(type_name)
    for file, template in files.items():
        text = templates.render(f"new/{template}.j2", core=name, module=module, type=type_name)
        write_text(paths.root() / file, text)
    write_text(paths.root() / CATALOG, listed)
    return [*files, CATALOG]


def _refuse_what_is_taken(name: str, type_name: str, files: list[Path]) -> None:
    known = yaml.safe_load((paths.root() / "rtl/configs.yaml").read_text())
    for owner, names in (("configs.yaml", known["configs"]), ("configs.yaml", known["datapaths"]), ("ns-3", NS3)):
        if name in names:
            raise UserError(f"the name '{name}' is taken by {owner}")
    if name == ALL or keyword.iskeyword(name):
        raise UserError(f"the name '{name}' has a meaning of its own in scenarios or in Python")
    for file in files:
        for other in (paths.root() / file.parent).rglob(file.name):
            raise UserError(f"the name '{name}' is taken: there is {other.relative_to(paths.root())}")
    declares = re.compile(rf"^[a-z ]*\b(object|class|trait) ({type_name}|{type_name}Core)\b", re.MULTILINE)
    scala = paths.root() / CATALOG.parent
    for source in [*scala.glob("*.scala"), *scala.glob("contract/*.scala"), *scala.glob("cores/**/*.scala")]:
        if declares.search(source.read_text()):
            raise UserError(f"the name '{name}' is taken: {source.relative_to(paths.root())} has a Scala type like it")


def _with_line(type_name: str) -> str:
    """The text of the catalogue with a line more at the end of its list."""
    text = (paths.root() / CATALOG).read_text()
    listed, found = re.subn(r"(Seq\[Algorithm\] = Seq\(\n(?: +\w+,\n)+)(?= +\)\n)", rf"\g<1>    {type_name},\n", text)
    if not found:
        raise UserError(f"{CATALOG} has no list of algorithms with one in each line and a comma behind each")
    return listed
