# SPDX-License-Identifier: Apache-2.0
"""`sluice replay` as a function."""

from __future__ import annotations

import pytest

from sluice.cli import main


def run(*arguments: str) -> int:
    """Exit status of the command."""
    with pytest.raises(SystemExit) as end:
        main(["replay", *arguments])
    return int(end.value.code or 0)
