# SPDX-License-Identifier: Apache-2.0
"""Paths that many designs have: what is slow in one of them, and stands in a part that others are made of too.

A path is known by the lines of Scala that declare its first and its last register. Each look at a design's paths leaves them
beside its other synthesis files, with the digest of the RTL they are of; who looks later is told of those that still hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sluice import synthesis
from sluice.hardware import designs
from sluice.hardware.designs import Design
from sluice.support import paths

_FILE = "paths.json"


def keep(design: Design, target: str, slowest: Sequence[Mapping[str, Any]]) -> None:
    """Leave the paths of a design for others to be held against."""
    ends = [list(found) for path in slowest if (found := ends_of(path))]
    file = synthesis.work_folder(design.name, target) / _FILE
    file.write_text(json.dumps({"rtl": design.rtl, "ends": ends}))


def looked_at(target: str) -> dict[str, set[tuple[str, str]]]:
    """The paths that were kept of each design whose RTL is still the same."""
    found, known = {}, designs.load()
    for file in (paths.build() / "synth" / target).glob(f"*/{_FILE}"):
        design, kept = known.get(file.parent.name), json.loads(file.read_text())
        if design and design.rtl == kept["rtl"]:
            found[design.name] = {(first, last) for first, last in kept["ends"]}
    return found


def ends_of(path: Mapping[str, Any]) -> tuple[str, str] | None:
    """Where the first and the last register of a path are declared; nothing where a source is not known."""
    first, last = path["steps"][0]["scala"], path["steps"][-1]["scala"]
    return (first, last) if first and last else None
