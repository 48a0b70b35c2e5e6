# SPDX-License-Identifier: Apache-2.0
"""A built file that is there is taken, unless it is a model of other RTL."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from sluice.support import paths
from sluice.support.errors import UserError


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


def test_a_model_of_other_rtl_is_built_anew(model: Path, project: Path) -> None:
    """Whatever the times of the files: RTL that was copied here may be older than the model."""
    rtl = project / "build/rtl/red/sluice_tile_red.sv"
    rtl.write_text("module sluice_tile_red; // changed")
    os.utime(rtl, (0, 0))
    recipe = "echo another model >$@; sha256sum build/rtl/red/sluice_tile_red.sv >$@.rtl"
    (project / "Makefile").write_text(
        f"build/model/red/libsluice_tile.so: build/rtl/red/sluice_tile_red.sv\n\t{recipe}\n"
    )
    assert paths.made(model).read_text() == "another model\n"


def test_a_model_of_other_rtl_does_not_pass_for_this_ones(model: Path, project: Path) -> None:
    """Where it cannot be built, and where a build leaves it as it is. The error says what shows why."""
    (project / "build/rtl/red/sluice_tile_red.sv").write_text("module sluice_tile_red; // changed")
    for makefile in ("", "build/model/red/libsluice_tile.so: ;\n"):
        (project / "Makefile").write_text(makefile)
        with pytest.raises(UserError, match=r"`make build/model/red/libsluice_tile\.so` in .* shows why"):
            paths.made(model)


def test_a_model_whose_rtl_is_gone(model: Path, project: Path) -> None:
    (project / "build/rtl/red/sluice_tile_red.sv").unlink()
    with pytest.raises(UserError, match="cannot build build/model/red"):
        paths.made(model)


def test_a_model_of_unknown_rtl(model: Path) -> None:
    model.with_name("libsluice_tile.so.rtl").unlink()
    with pytest.raises(UserError, match="cannot build build/model/red"):
        paths.made(model)
