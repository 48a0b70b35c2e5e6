# SPDX-License-Identifier: Apache-2.0
"""Whatever a scenario file says, it is a scenario or is refused in one line: no traceback, and no long time."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from sluice.loop import scenario
from sluice.support.errors import UserError

MOST_LINE = 4000
"""Characters; who lists what is known in a line lists no more than this."""

VALID: dict[str, Any] = yaml.safe_load(scenario.text("main"))
KEYS = sorted(
    {*VALID, *VALID["hops"][0], *VALID["flows"][0], "kind", "steps", "count", "stop_s", "rtt", "red", "min", "all"}
)

numbers = st.integers() | st.floats() | st.sampled_from([0, 1, -1, 1e308, 2**64, 10**299, 0.001])
words = st.sampled_from(KEYS) | st.text(max_size=12)
scalars = st.none() | st.booleans() | numbers | words | st.dates() | st.binary(max_size=8)
keys = words | st.integers() | st.booleans() | st.none()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=10
)


def judged(text: str) -> None:
    """A scenario, or one line that says where and what."""
    said, found = "", None
    try:
        found = scenario.parse("any", text)
    except UserError as refusal:
        said = refusal.message
    if found is None:
        assert said.startswith("scenario any")
        assert len("scenario any: ") < len(said) < MOST_LINE
    else:
        assert found.duration_s > found.warmup_s >= 0
        assert found.hops
        assert found.flows


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values in a tree."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in inner for place in places(value, (*path, key)))]


@given(text=st.text(max_size=200) | st.text("[]{}:,-&*!?|>'\"%@`#\n ab01.~<", max_size=60))
@example(text="[" * 2000)
@example(text="{a: " * 2000)
@example(text="limit: 0x" + "f" * 5000)
@example(text="? 1\n: 2\n2020-01-01: 3\n~: 4\n.nan: 5\n")
@example(text="\x00")
@example(text="!!set {a, b}")
@example(text="flows: [&a {kind: tcp}, *a, {<<: *a}]")
def test_any_text(project: Path, text: str) -> None:
    judged(text)


@given(value=values)
def test_any_value(project: Path, value: Any) -> None:
    judged(yaml.safe_dump(value))


@given(data=st.data())
def test_a_scenario_with_anything_in_one_place(project: Path, data: st.DataObject) -> None:
    """In place of a value, or under another key beside it."""
    changed = copy.deepcopy(VALID)
    *outer, last = data.draw(st.sampled_from(places(VALID)[1:]), "place")
    there = changed
    for key in outer:
        there = there[key]
    value = data.draw(values, "value")
    if isinstance(there, dict) and data.draw(st.booleans(), "under another key"):
        there[data.draw(keys, "key")] = value
    else:
        there[last] = value
    judged(yaml.safe_dump(changed))


@pytest.mark.parametrize(
    "number", ["-0x" + "f" * 5000, "0b1" + "0" * 20_000, "1" + "0" * 5000, "0x" + "f" * 250, "1:1:1"]
)
@pytest.mark.parametrize("key", ["limit", "duration_s"])
def test_long_numbers(project: Path, key: str, number: str) -> None:
    judged(re.sub(rf"^{key}:.*$", f"{key}: {number}", scenario.text("main"), flags=re.MULTILINE))


@given(data=st.binary(max_size=200))
def test_any_file(project: Path, tmp_path: Path, data: bytes) -> None:
    """What is no text is refused too."""
    path = tmp_path / "any.yaml"
    path.write_bytes(data)
    with pytest.raises(UserError, match="scenario"):
        scenario.load(str(path))
