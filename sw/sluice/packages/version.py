# SPDX-License-Identifier: Apache-2.0
"""One version everywhere: `make version VERSION=0.4.0` sets it where it stands, and begins its part of the changelog.

The hardware shows it in the register VERSION; `make rtl docs` afterwards puts it into all that is generated.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, date, datetime
from pathlib import Path

from sluice.support import paths
from sluice.support.errors import UserError

PLACES = {
    "rtl/src/main/scala/sluice/tile/registers/RegisterMap.scala": r'(val versionText = ")([^"]+)(")',
    "sw/pyproject.toml": r'(?m)^(version = ")([^"]+)(")',
    "sim/golden/pyproject.toml": r'(?m)^(version = ")([^"]+)(")',
    "fpga/fusesoc/sluice-red.core": r"(name: sluice:aqm:red:)([\d.]+)()",
    "fpga/fusesoc/sluice-rtl.core": r"(name: sluice:aqm:rtl:)([\d.]+)()",
    "docs/simulate/simulators.md": r"(find_package\(sluice )([\d.]+)( )",
    "examples/simulator/CMakeLists.txt": r"(find_package\(sluice )([\d.]+)( )",
    "examples/spinalhdl/build.sbt": r'("sluice" %% "sluice" % ")([^"]+)(")',
}
"""Files of the tree, and what of each is the version, between what stands before and behind it."""

_UNRELEASED = "## [Unreleased]\n"


def found(root: Path) -> dict[str, str]:
    """The version that each place has."""
    versions = {}
    for name, pattern in PLACES.items():
        place = re.search(pattern, (root / name).read_text())
        if place is None:
            raise UserError(f"{name} has no version")
        versions[name] = place[2]
    return versions


def bump(root: Path, version: str, today: date) -> None:
    """Sets all places to a later version, and makes what is unreleased in the changelog its own."""
    now = set(found(root).values())
    if not re.fullmatch(r"\d{1,3}\.\d{1,3}\.\d{1,3}", version):
        raise UserError(f"'{version}' is no version; write it like 0.4.0")
    if any(_number(version) <= _number(old) for old in now):
        raise UserError(f"{version} is not later than {', '.join(sorted(now))}")
    changelog = root / "CHANGELOG.md"
    text = changelog.read_text()
    if _UNRELEASED not in text or not text.partition(_UNRELEASED)[2].partition("\n## ")[0].strip():
        raise UserError("CHANGELOG.md has nothing unreleased")
    for name, pattern in PLACES.items():
        file = root / name
        file.write_text(re.sub(pattern, rf"\g<1>{version}\g<3>", file.read_text(), count=1))
    changelog.write_text(text.replace(_UNRELEASED, f"{_UNRELEASED}\n## [{version}] - {today.isoformat()}\n", 1))


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    try:
        bump(paths.root(), sys.argv[1] if len(sys.argv) > 1 else "", datetime.now(tz=UTC).date())
    except UserError as mistake:
        mistake.show()
        sys.exit(UserError.exit_code)
