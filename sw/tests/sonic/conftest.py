# SPDX-License-Identifier: Apache-2.0
"""The generated hardware in place of the small catalogue that other commands are tested with."""

from __future__ import annotations

from pathlib import Path

import pytest

from sluice.support import paths


@pytest.fixture
def project() -> Path:
    return paths.root()
