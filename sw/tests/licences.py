# SPDX-License-Identifier: Apache-2.0
"""Which licence the files of each folder are under, and what a file says of it."""

from __future__ import annotations

import re
from pathlib import Path

LICENCES = [
    ("sim/ns3/", "GPL-2.0-only"),
    ("rtl/", "Apache-2.0 OR GPL-2.0-only"),
    ("sim/model/", "Apache-2.0 OR GPL-2.0-only"),
    ("", "Apache-2.0"),
]
"""What the files of a folder are under; the first that fits. ns-3 is GPL-2.0-only and runs what rtl and sim/model become."""

HEAD = 300
"""Characters of a file in which its licence stands."""


def licence(file: Path) -> str | None:
    """The SPDX expression in the head of a file, without what ends a comment or follows in its line."""
    found = re.search(r"SPDX-License-Identifier: ([\w.-]+(?: (?:OR|AND) [\w.-]+)*)", file.read_text()[:HEAD])
    return found[1].rstrip(".") if found else None
