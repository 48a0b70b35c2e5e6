# SPDX-License-Identifier: Apache-2.0
"""What a tile of lists takes with other numbers of queues and of packets than its configuration has.

The generator makes each size as a configuration that stands in no file of the project, and Yosys counts it. A row bears the
digest of the configuration's own RTL: where that is another now, so are the sizes.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
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


def rows(
    config: str, sizes: Sequence[Size], target: str, done: Callable[[], None] = lambda: None
) -> Iterator[dict[str, Any]]:
    """A row for each size; `done` follows the generator and each size."""
    own, family = designs.find(config), synthesis.TARGETS[target]
    work = paths.build() / "sizes" / config
    named = {f"{config}-{size.queues}-{size.entries}": size for size in sizes}
    _generate(config, named, work)
    done()
    for name, size in named.items():
        module = paths.tile_module(name)
        folder = work / target / name
        folder.mkdir(parents=True, exist_ok=True)
        area = synthesis.area(family, work / name / f"{module}.sv", module, folder)
        done()
        yield {
            "config": config,
            "target": target,
            "queues": size.queues,
            "entries": size.entries,
            "rtl": own.rtl,
            **{resource: f"{count:g}" for resource, count in area.items()},
            "yosys": synthesis.tool_versions(family)["yosys"],
        }


def _generate(config: str, named: dict[str, Size], work: Path) -> None:
    """The RTL of the sizes, each in a folder of its name."""
    document = yaml.safe_load((paths.root() / "rtl" / "configs.yaml").read_text())
    own = document["configs"].get(config)
    if not own or own["queues"] <= 8:
        raise UserError(f"{config} has no queues as lists; those of rtl/configs.yaml with more than eight have")
    for name, size in named.items():
        options = own["options"] | ({"queues": str(size.queues)} if "queues" in own["options"] else {})
        document["configs"][name] = own | {"queues": size.queues, "ring_packets": size.entries, "options": options}
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
