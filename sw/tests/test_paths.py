# SPDX-License-Identifier: Apache-2.0
"""A built file that is there is taken, unless it is a model of other RTL."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from sluice import paths
from sluice.errors import UserError


@pytest.fixture
def model(project: Path) -> Path:
    """A model that was made of the RTL that is there."""
    rtl = project / "build/rtl/red/sluice_tile_red.sv"
    rtl.write_text("module sluice_tile_red;")
    digest = hashlib.sha256(rtl.read_bytes()).hexdigest()
    model = paths.model("red")
    model.with_name("libsluice_tile.so.rtl").write_text(f"{digest}  build/rtl/red/sluice_tile_red.sv\n")
    return model


def test_a_model_of_this_rtl(model: Path) -> None:
    assert paths.made(model) == model


def test_a_model_of_other_rtl(model: Path, project: Path) -> None:
    """The error says what builds it anew."""
    (project / "build/rtl/red/sluice_tile_red.sv").write_text("module sluice_tile_red; // changed")
    with pytest.raises(UserError, match=r"`make build/model/red/libsluice_tile\.so` builds it anew"):
        paths.made(model)


def test_a_model_whose_rtl_is_gone(model: Path, project: Path) -> None:
    (project / "build/rtl/red/sluice_tile_red.sv").unlink()
    with pytest.raises(UserError, match="was not made of the RTL"):
        paths.made(model)


def test_a_model_of_unknown_rtl(model: Path) -> None:
    model.with_name("libsluice_tile.so.rtl").unlink()
    with pytest.raises(UserError, match="was not made of the RTL"):
        paths.made(model)
