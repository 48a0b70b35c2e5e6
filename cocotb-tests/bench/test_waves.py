# SPDX-License-Identifier: Apache-2.0
"""What a failure tells, and the waveform that `--waves` leaves of it and of a run that passes, read by another reader of FST."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pylibfst
import pytest
from lib import waves
from lib.broken import Fault, scaled
from lib.core.bench import CoreBench
from lib.core.stimulus import Traffic
from lib.player import RESET_CYCLES

FAULT = Fault("red", "decay-half-a-percent-off", *scaled("decay_onTable_table", 0.995, 18), within=1_000)

needs_lz4 = pytest.mark.skipif(bool(waves.lacking()), reason=waves.lacking())


def bench() -> CoreBench:
    """A thousand arrivals at RED."""
    made = CoreBench("red")
    Traffic(made, random.Random(20260101)).play(FAULT.within)
    return made


def read(fst: Path) -> dict[str, dict[int, int]]:
    """Values of all signals by name, and by the time in ps from which they stand."""
    context = pylibfst.lib.fstReaderOpen(str(fst).encode())
    _, signals = pylibfst.get_scopes_signals2(context)
    found: dict[str, dict[int, int]] = {name.partition(" ")[0]: {} for name in signals.by_name}
    names: dict[int, list[str]] = {}
    for name, signal in signals.by_name.items():
        names.setdefault(signal.handle, []).append(name.partition(" ")[0])

    def changed(_: object, time: int, handle: int, value: bytes) -> None:
        for name in names[handle]:
            found[name][time] = int(pylibfst.string(value), 2)

    pylibfst.lib.fstReaderSetFacProcessMaskAll(context)
    pylibfst.fstReaderIterBlocks(context, changed)
    pylibfst.lib.fstReaderClose(context)
    return found


def value_at(changes: dict[int, int], row: int) -> int:
    """What a signal holds just before the edge within a row."""
    return changes[max(time for time in changes if time <= 1000 * row)]


def test_a_failure_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    """By name and unit, RTL beside model, with the parameters in force and the command that shows it again."""
    monkeypatch.delenv("SLUICE_WAVES", raising=False)
    broken = bench()
    broken.player = FAULT.player()
    with pytest.raises(AssertionError) as told:
        broken.check()
    text = str(told.value)
    lines = dict(re.findall(r"^ +(\w+) +(.*)$", text, re.MULTILINE))
    cycle = int(re.match(r"red differs from its model first in cycle (\d+): ", text)[1])
    [judged] = [j for j in broken.judged if j.cycle == cycle - broken.latency]
    number = broken.judged.index(judged)
    assert f"arrival {number} of {len(broken.judged)}, presented in cycle {judged.cycle}" in text
    model = judged.status["average"]
    unit, rtl, _, shown, word, *mark = lines["status_average"].split()
    assert (unit, float(shown), word) == ("packets", pytest.approx(model / 2**14), f"({model:#x})")
    assert float(rtl) == pytest.approx(model / 2**14, rel=0.01)
    assert float(rtl) != float(shown)
    assert mark == ["<-", "differs"]
    assert "differs" not in lines["verdict_valid"]
    assert lines["queue_bytes"].split() == ["bytes", str(judged.arrival.queue_bytes)]
    assert lines["max"].split() == ["packets", "15", "(0x3c000)", "0x3c000"]
    assert (
        "again, with a waveform: .venv/bin/pytest -n0 'cocotb-tests/bench/test_waves.py::test_a_failure_tells' --waves"
        in text
    )


@needs_lz4
@pytest.mark.parametrize("is_broken", [False, True])
def test_a_waveform_is_of_the_run(is_broken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks around what it is about, every signal that is to be shown, and what the RTL answered."""
    monkeypatch.setenv("SLUICE_WAVES", "")
    run = bench()
    if is_broken:
        run.player = FAULT.player()
        with pytest.raises(AssertionError) as told:
            run.check()
        row = RESET_CYCLES + int(re.search(r"cycle (\d+)", str(told.value))[1])
        assert f"waveform: {waves.place(run.player.name)}" in str(told.value)
    else:
        run.check()
        row = RESET_CYCLES + run.arrived + run.latency
    recording = run.recording()
    fst = waves.place(run.player.name)
    seen, answers = read(fst), run.player.run(recording.inputs)
    rows = waves.rows_around(row, len(recording.inputs["rst"]))
    assert len(rows) == waves.AROUND
    assert row in rows
    for port, column in (recording.inputs | answers).items():
        changes = seen[f"TOP.sluice_core_red.{port}"]
        assert [value_at(changes, r) for r in rows] == column[rows.start : rows.stop].tolist(), port
    times = np.concatenate([list(changes) for changes in seen.values()])
    assert 1000 * rows.start <= times.min()
    assert times.max() < 1000 * rows.stop

    saved, commands = (fst.with_suffix(suffix).read_text() for suffix in (".gtkw", ".sucl"))
    in_gtkwave = re.findall(r"^TOP\.[\w.]+", saved, re.MULTILINE)
    assert in_gtkwave == re.findall(r"^variable_add (\S+)$", commands, re.MULTILINE)
    assert set(in_gtkwave) <= set(seen)
    titles = re.findall(r"^@800200\n-(.*)$", saved, re.MULTILINE)
    assert titles == re.findall(r"^divider_add (.*)$", commands, re.MULTILINE)
    stages = [title for title in titles if title.startswith("stage ")]
    assert stages == [f"stage {number}" for number in range(run.latency + 1)]
    assert "TOP.sluice_core_red.stage20_spacing_TOTAL" in saved.partition("-stage 20\n")[2].partition("-stage 20\n")[0]


@needs_lz4
def test_a_waveform_around_a_given_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_WAVES", "500")
    run = bench()
    run.check()
    seen = read(waves.place(run.player.name))
    assert {time // 1000 for time in seen["TOP.sluice_core_red.clk"]} == set(
        waves.rows_around(500 + RESET_CYCLES, 10_000)
    )
