# SPDX-License-Identifier: Apache-2.0
"""A wrong scenario file is refused in one line that names the key, its line, and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sluice.loop import scenario
from sluice.loop.reports import scenario_page
from sluice.support.errors import UserError

TEXT = """\
summary: three kinds of flows
duration_s: 60
warmup_s: 10
packet_bytes: 1000
limit: 50
hops:
  - rate_mbps: 10
    delay_ms: 2
    steps:
      - { at_s: 20, rate_mbps: 5 }
      - { at_s: 40, rate_mbps: 10 }
access: { rate_mbps: 100, delay_ms: 3 }
tcp:
  ns3::TcpSocketBase::MinRto: 200ms
flows:
  - kind: tcp
    count: 3
  - kind: udp_cbr
    rate_mbps: 1
  - kind: short
    mean_bytes: 30000
    per_s: 5
  - kind: incast
    bytes: 1000
    every_s: 2
settings:
  red: { min: 5 }
"""

WRONG = [
    ("limit: 50", "limits: 50", "line 5: unknown key 'limits'; did you mean limit? known: summary, duration_s,"),
    ("limit: 50\n", "", "line 1: missing key 'limit'"),
    ("limit: 50", "limit: many", "line 5: limit must be a whole number, not 'many'"),
    ("limit: 50", "limit: 0", "line 5: limit must be greater than or equal to 1, not 0"),
    ("limit: 50", "limit: 50\nlimit: 60", "line 6: the key 'limit' stands twice"),
    ("duration_s: 60", "duration_s: -1", "line 2: duration_s must be greater than or equal to 0.001, not -1"),
    ("duration_s: 60", "duration_s: '60'", "line 2: duration_s must be a number, not '60'"),
    ("duration_s: 60", "duration_s: .inf", "line 2: duration_s must be a finite number, not inf"),
    ("limit: 50", "limit: 50\nrtt: exact", "line 6: rtt must be 'embedded', 'idmaps' or 'unknown', not 'exact'"),
    ("rate_mbps: 1\n", "rate_mbps: 1\n    rtt: unknown\n", "line 20: unknown key 'rtt' in flows[1]"),
    ("warmup_s: 10", "warmup_s: 60", "warmup_s must be less than duration_s"),
    (
        "    delay_ms: 2\n",
        "    delay_ms: 2\n    rate: 3\n",
        "line 9: unknown key 'rate' in hops[0]; did you mean rate_mbps?",
    ),
    ("    delay_ms: 2\n", "", "line 7: missing key 'delay_ms' in hops[0]"),
    ("at_s: 40", "at_s: 10", "line 7: hops[0]: steps must be in order of time"),
    (
        "delay_ms: 2\n",
        "delay_ms: 2\n    repeat_s: 20\n",
        "line 7: hops[0]: repeat_s needs steps that are done within it",
    ),
    ("at_s: 40", "at_s: soon", "line 11: hops[0].steps[1].at_s must be a number, not 'soon'"),
    ("{ rate_mbps: 100, delay_ms: 3 }", "100", "line 12: access must be a table of keys and values, not 100"),
    ("rate_mbps: 100, ", "", "line 12: missing key 'rate_mbps' in access"),
    ("ns3::TcpSocketBase::MinRto", "MinRto", "line 14: tcp.MinRto: 'MinRto' must be ns3::Type::Attribute"),
    (
        "kind: udp_cbr",
        "kind: ftp",
        "line 18: flows[1].kind: 'ftp' must be one of tcp, tcp_onoff, udp_cbr, udp_onoff, web, short, incast",
    ),
    (
        "kind: udp_cbr",
        "name: loud",
        "line 18: missing key 'kind' in flows[1]; one of incast, short, tcp, tcp_onoff, udp_cbr, udp_onoff, web",
    ),
    ("count: 3", "count: 2.5", "line 17: flows[0].count must be a whole number, not 2.5"),
    (
        "count: 3",
        "mean_bytes: 3",
        "line 17: unknown key 'mean_bytes' in flows[0]; did you mean packet_bytes? known: name, count,",
    ),
    ("    per_s: 5\n", "", "line 20: missing key 'per_s' in flows[2]"),
    ("per_s: 5", "per_s: 5\n    shape: 1", "line 23: flows[2].shape must be greater than 1, not 1"),
    ("count: 3", "stop_s: 0", "line 16: flows[0]: stop_s must be more than start_s and start_spread_s together"),
    ("count: 3", "to_hop: 1", "flows: 'tcp' must cross hops from_hop <= to_hop, of which the last is 0"),
    ("kind: udp_cbr", "name: tcp\n    kind: udp_cbr", "flows: 2 groups are called 'tcp'"),
    ("count: 3", "congestion: cubic", "line 17: flows[0].congestion: 'cubic' must be ns3::Type or ns3::Type["),
    ("count: 3", "name: a b", "line 17: flows[0].name: 'a b' must be a word of letters"),
    ("count: 3", "direction: up", "line 17: flows[0].direction must be 'forth' or 'back', not 'up'"),
    ("count: 3", "ecn: 1", "line 17: flows[0].ecn must be a boolean, not 1"),
    ("count: 3", "initial_window: 0", "line 17: flows[0].initial_window must be greater than or equal to 1, not 0"),
    ("count: 3", "dscp: 64", "line 17: flows[0].dscp must be less than or equal to 63, not 64"),
    ("count: 3", "dscp: AF11", "line 17: flows[0].dscp must be a whole number, not 'AF11'"),
    ("limit: 50", "limit: 50\nswitch: db.json", "line 6: switch must be a table of keys and values, not 'db.json'"),
    ("limit: 50", "limit: 50\nswitch: { file: a.json }", "line 6: missing key 'port' in switch"),
    (
        "limit: 50",
        "limit: 50\nswitch: { file: a.json, port: a, yelow: [1] }",
        "line 6: unknown key 'yelow' in switch; did you mean yellow? known: file, port, yellow, red",
    ),
    (
        "limit: 50",
        "limit: 50\nswitch: { file: a.json, port: a, red: [64] }",
        "line 6: switch.red[0] must be less than or equal to 63, not 64",
    ),
    (
        "limit: 50",
        "limit: 50\nswitch: { file: a.json, port: a, yellow: [12, 14], red: [14] }",
        "line 6: switch: DSCP 14 cannot be yellow and red",
    ),
    (
        "limit: 50",
        "limit: 50\nswitch: { file: no.json, port: a }",
        "line 6: switch.file: there is no file no.json",
    ),
    ("rate_mbps: 1\n", "rate_mbps: 1\n    ecn: true\n", "line 20: unknown key 'ecn' in flows[1]"),
    ("    bytes: 1000\n", "    bytes: 0.5\n", "line 24: flows[3].bytes must be a whole number, not 0.5"),
    ("    every_s: 2\n", "", "line 23: missing key 'every_s' in flows[3]"),
    (
        "    delay_ms: 2\n",
        "    delay_ms: 2\n    back: { rate_mbps: 1 }\n",
        "line 9: missing key 'limit' in hops[0].back",
    ),
    (
        "    delay_ms: 2\n",
        "    delay_ms: 2\n    back: { rate_mbps: 1, limit: 5, dealy_ms: 2 }\n",
        "line 9: unknown key 'dealy_ms' in hops[0].back; known: rate_mbps, limit",
    ),
    ("red: { min: 5 }", "rde: { min: 5 }", "line 27: settings: unknown algorithm 'rde'; did you mean red"),
    ("min: 5", "mni: 5", "line 27: settings.red: unknown parameter 'mni'; did you mean min"),
    ("min: 5", "min: few", "line 27: settings.red.min must be a number, not 'few'"),
    ("red: { min: 5 }", "red: 5", "line 27: settings.red must be a table of keys and values, not 5"),
    ("summary:", "summary: [", "line 2: not YAML: "),
    ("summary:", "? [a, b]\n:", "line 1: a key must be a word"),
    ("limit: 50", "limit: &a [*a]", "an alias stands inside what it stands for"),
    ("limit: 50", "limit: 2026-13-45", "month must be in 1..12"),
    ("limit: 50", "limit: !!python/name:os.system", "line 5: could not determine a constructor"),
    (TEXT, "a sentence", "not a table of keys and values"),
    (TEXT, "", "not a table of keys and values"),
]


@pytest.mark.parametrize(("right", "wrong", "says"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_file_is_refused_in_words(project: Path, right: str, wrong: str, says: str) -> None:
    assert right in TEXT
    with pytest.raises(UserError) as refusal:
        scenario.parse("three", TEXT.replace(right, wrong, 1))
    assert refusal.value.message.startswith("scenario three")
    assert says in refusal.value.message


BEYOND_A_SCHEMA = (
    "warmup_s must be less",
    "in order of time",
    "done within it",
    "together",
    "must cross hops",
    "groups are called",
    "cannot be yellow",
    "there is no file",
    "unknown algorithm",
    "unknown parameter",
    "stands twice",
    "not YAML",
    "a key must be",
    "an alias",
    "month must be",
    "determine a constructor",
    "finite number",
)
"""What an editor does not find by the JSON schema: what depends on two keys or on the catalogue, and what is no YAML."""

BY_SCHEMA = [case for case in WRONG if not any(part in case[2] for part in BEYOND_A_SCHEMA)]


@pytest.mark.parametrize(("right", "wrong", "says"), BY_SCHEMA, ids=range(len(BY_SCHEMA)))
def test_an_editor_finds_it_by_the_schema(right: str, wrong: str, says: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(TEXT.replace(right, wrong, 1)), scenario_page.schema())


@pytest.mark.parametrize("name", [*scenario.names(), *scenario.names(scenario.ATLAS)])
def test_the_schema_takes_what_is_shipped(name: str) -> None:
    text = (Path(scenario.__file__).parent / "scenarios" / f"{name}.yaml").read_text()
    jsonschema.validate(yaml.safe_load(text), scenario_page.schema())


def test_the_right_file_is_taken(project: Path) -> None:
    assert len(scenario.expand(scenario.parse("three", TEXT), 1)) == 6


def test_several_mistakes_are_named_unknown_keys_first(project: Path) -> None:
    text = TEXT.replace("warmup_s: 10", "warmup_s: -1").replace("count: 3", "count: no").replace("per_s: 5", "per_s: 0")
    with pytest.raises(UserError) as refusal:
        scenario.parse("three", text.replace("limit", "limits"))
    message = refusal.value.message
    places = [message.index(part) for part in ("line 5: unknown key 'limits'", "line 3: warmup_s", "and 2 more")]
    assert places == sorted(places)


ODD = (None, [None], {"a": {1: 2}}, -1, 10**400)
"""Values that hardly any key takes."""


def paths_in(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value of nested tables and lists."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield (*path, key)
        yield from paths_in(value, (*path, key))


def test_whatever_stands_in_a_file_is_taken_or_refused_with_a_line(project: Path) -> None:
    refusals = []
    for *outer, last in paths_in(yaml.safe_load(TEXT)):
        for odd in ODD:
            data = yaml.safe_load(TEXT)
            table = data
            for key in outer:
                table = table[key]
            table[last] = odd
            try:
                scenario.parse("odd", yaml.safe_dump(data))
            except UserError as refusal:
                refusals.append(refusal.message)
    assert len(refusals) > 100
    assert all(", line " in message for message in refusals)


def test_the_command_line_says_it_in_one_line(sluice: Callable[..., tuple[int, str, str]], project: Path) -> None:
    file = project / "mine.yaml"
    file.write_text(TEXT.replace("rate_mbps: 1\n", "rate: 1\n"))
    status, _, err = sluice("run", str(file), "--aqm", "red")
    assert status == 2
    assert len(err.splitlines()) == 1
    assert "sluice: scenario mine, line 19: unknown key 'rate' in flows[1]; did you mean rate_mbps?" in err
