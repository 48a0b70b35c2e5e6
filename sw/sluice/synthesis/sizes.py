# SPDX-License-Identifier: Apache-2.0
"""What a tile of lists takes with other numbers of queues and of packets than its configuration has.

The generator makes each size as a configuration that stands in no file of the project, and Yosys counts it. A row bears the
digest of the configuration's own RTL: where that is another now, so are the sizes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sluice import synthesis
from sluice.hardware import designs
from sluice.support import paths
from sluice.support.errors import UserError
from sluice.support.output import write_text

_SAID = "[error] error: "
"""Before what the generator has against a configuration, as sbt prints it."""
KEY = ("config", "target", "queues", "entries")


@dataclass(frozen=True, order=True)
class Size:
    """So many queues, which share room for so many packets, a power of two."""

    queues: int
    entries: int


def table() -> Path:
    """The results that are under version control."""
    return synthesis.table("sizes")


def row(config: str, size: Size, target: str) -> dict[str, Any]:
    """What Yosys counts of a size that has been generated."""
    family, name = synthesis.TARGETS[target], _name(config, size)
    module, work = paths.module("tile", name), _folder(config)
    folder = work / target / name
    folder.mkdir(parents=True, exist_ok=True)
    area = synthesis.area(family, work / name / f"{module}.sv", module, folder)
    return {
        "config": config,
        "target": target,
        "queues": size.queues,
        "entries": size.entries,
        "rtl": designs.find(config).rtl,
        **{resource: f"{count:g}" for resource, count in area.items()},
        "yosys": synthesis.tool_versions(family)["yosys"],
    }


def _name(config: str, size: Size) -> str:
    return f"{config}-{size.queues}-{size.entries}"


def _folder(config: str) -> Path:
    """Where the RTL of a configuration's sizes is, and Yosys' files."""
    return paths.build() / "sizes" / config


def generate(config: str, sizes: Sequence[Size]) -> None:
    """The RTL of the sizes, each in a folder of its name."""
    designs.find(config)  # it is known
    document = yaml.safe_load((paths.root() / "rtl" / "configs.yaml").read_text())
    own = document["configs"].get(config)
    if not own or own["queues"] <= 8:
        raise UserError(f"{config} has no queues as lists; those of rtl/configs.yaml with more than eight have")
    named = {_name(config, size): size for size in sizes}
    for name, size in named.items():
        options = own["options"] | ({"queues": str(size.queues)} if "queues" in own["options"] else {})
        document["configs"][name] = own | {"queues": size.queues, "ring_packets": size.entries, "options": options}
    work = _folder(config)
    source = work / "configs.yaml"
    write_text(source, yaml.safe_dump(document))
    asked = [f"FROM={source}", f"INTO={work}", f"ONLY={','.join(named)}"]
    made = subprocess.run(
        ["make", "-s", "rtl-from", *asked],
        cwd=paths.root(),
        env=paths.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        said = [line for line in (made.stdout + made.stderr).splitlines() if line.startswith(_SAID)]
        raise UserError(said[0].removeprefix(_SAID) if said else f"the generator failed on {source}")
