# SPDX-License-Identifier: Apache-2.0
"""`sluice sizes`: which sizes it takes, what it asks the generator for, and how its rows look in a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sluice import synthesis
from sluice.hardware import designs
from sluice.pages import result_tables
from sluice.support import results_table
from sluice.support.errors import UserError
from sluice.synthesis import sizes

Sluice = Callable[..., tuple[int, str, str]]

LISTS = {"algorithm": "red", "queues": 1024, "ring_packets": 4096, "options": {"queues": "1024", "list": "table"}}
RINGS = {"algorithm": "red", "queues": 8, "ring_packets": 1024, "options": {}}
PAGE = "<!-- table sizes ecp5 red -->\n<!-- end of table -->\n"


@pytest.fixture
def lists(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose `red` has a thousand queues; a generator that writes nothing, and look-up tables as many as queues."""
    (project / "rtl").mkdir(exist_ok=True)
    (project / "rtl" / "configs.yaml").write_text(yaml.safe_dump({"configs": {"red": LISTS, "fred": RINGS}}))
    for name in ("red", "fred"):
        verilog = designs.find(name).verilog
        verilog.parent.mkdir(parents=True, exist_ok=True)
        verilog.write_text("module tile; endmodule\n")
    (project / "Makefile").write_text("rtl-from:\n\t@test -f $(FROM)\n")

    def area(_target: synthesis.Target, verilog: Path, _top: str, _work: Path) -> dict[str, float]:
        queues = verilog.parent.name.split("-")[1]
        if queues == "4096":
            raise UserError("Yosys has not the memory")
        return dict.fromkeys(("lut", "carry", "ff", "bram", "dsp"), float(queues))

    monkeypatch.setattr(synthesis, "area", area)
    return project


def test_each_size_is_a_configuration_and_a_row(sluice: Sluice, lists: Path) -> None:
    status, out, _ = sluice("sizes", "red", "--size", "1024x4096", "--size", "64x256")
    assert status == 0
    assert out.index("64") < out.index("1024")
    asked: dict[str, Any] = yaml.safe_load((lists / "build/sizes/red/configs.yaml").read_text())["configs"]
    few = asked["red-64-256"]
    assert (few["queues"], few["ring_packets"]) == (64, 256)
    assert few["options"] == {"queues": "64", "list": "table"}, "what a core is told of the queues goes along"
    assert asked["red"] == LISTS
    kept = {(row["queues"], row["entries"]): row for row in results_table.read(sizes.table())}
    assert set(kept) == {("1024", "4096"), ("64", "256")}
    assert (kept["64", "256"]["lut"], kept["64", "256"]["rtl"]) == ("64", designs.find("red").rtl)


def test_a_size_that_cannot_be_mapped_keeps_no_other_from_its_row(sluice: Sluice, lists: Path) -> None:
    asked = [word for size in ("64x256", "4096x8192", "2048x8192") for word in ("--size", size)]
    status, out, err = sluice("sizes", "red", *asked, "--json", str(lists / "sizes.json"))
    assert (status, err) == (2, "sluice: Yosys has not the memory\n")
    assert "2048" in out
    assert {row["queues"] for row in results_table.read(sizes.table())} == {"64", "2048"}
    assert [size["queues"] for size in json.loads((lists / "sizes.json").read_text())["sizes"]] == [64, 2048]


def test_a_row_of_earlier_rtl_bears_a_dagger(sluice: Sluice, lists: Path) -> None:
    assert sluice("sizes", "red", "--size", "1024x4096", "--size", "64x256")[0] == 0
    page = result_tables.rewritten(lists / "page.md", PAGE)
    assert "†" not in page
    assert page.index("| `red` | 64 | 256 |") < page.index("| `red` | 1,024 | 4,096 |")
    designs.find("red").verilog.write_text("module tile; wire more; endmodule\n")
    assert "| `red` † | 64 | 256 |" in result_tables.rewritten(lists / "page.md", PAGE)


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("red", "--size", "1024"), "--size 1024: say it as 1024x4096"),
        (("red", "--size", "-1x64"), "-1x64"),
        (("fred",), "fred has no queues as lists"),
        (("nobody",), "nobody"),
    ],
)
def test_wrong_words(sluice: Sluice, lists: Path, arguments: tuple[str, ...], wrong: str) -> None:
    """One line, and nothing is written."""
    status, _, err = sluice("sizes", *arguments)
    assert (status, len(err.splitlines())) == (2, 1)
    assert wrong in err
    assert not results_table.read(lists / "fpga/results/sizes.csv")


def test_what_the_generator_refuses(sluice: Sluice, lists: Path) -> None:
    (lists / "Makefile").write_text('rtl-from:\n\t@echo "[error] error: too many queues"; false\n')
    status, _, err = sluice("sizes", "red", "--size", "5000x8192")
    assert (status, err) == (2, "sluice: too many queues\n")
