# SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
"""What a model's driver says where it cannot do what it is asked for, and where its code lies."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sluice.hardware.datapaths import find
from sluice.packets.datapath import Datapath
from sluice.support import paths

LOAD = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
reason = (ctypes.c_char * 64)()  # a string's place; only who fails writes there
library.SluiceCreateTile.restype = ctypes.c_void_p
assert library.SluiceCreateTile(reason)
print("memfd:model-code" in open("/proc/self/maps").read())
"""


def with_placement(word: str, *command: str) -> subprocess.CompletedProcess[str]:
    """A command where the environment says this of the placement of code."""
    environment = os.environ | {"SLUICE_CODE_PLACEMENT": word}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("word", "is_placed"), [("on", True), ("off", False)])
def test_code_is_placed_where_it_may(word: str, is_placed: bool) -> None:
    """In pages of a file of its own, or where it was loaded."""
    tile = str(paths.made(paths.model("droptail")))
    assert with_placement(word, sys.executable, "-c", LOAD, tile).stdout == f"{is_placed}\n"


def test_a_word_that_says_nothing_of_placement() -> None:
    """One line, status 2."""
    tile = str(paths.made(paths.model("droptail")))
    done = with_placement("maybe", str(paths.made(paths.tile_bench())), tile, "1")
    assert done.returncode == 2
    assert done.stderr == f"tile-bench: no tile in {tile}: SLUICE_CODE_PLACEMENT is on or off, not 'maybe'\n"


def test_a_register_that_is_not_there() -> None:
    """An access that is refused is an error with its address."""
    model = Datapath(find("red-64").library)
    with pytest.raises(ValueError, match="the registers refuse a read at address 0x7fc"):
        model.read(0x7FC)
    with pytest.raises(ValueError, match="the registers refuse a write at address 0x000"):
        model.write(0, 1)
    model.close()
