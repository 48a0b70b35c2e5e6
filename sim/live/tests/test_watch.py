# SPDX-License-Identifier: Apache-2.0
"""`sluice watch` beside a live run: what it shows and what it exports is what the run counts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import parser
from prometheus_client.metrics_core import Metric
from registers_host import Serve, until
from test_live import TRAFFIC, live, sluice

from sluice.driver.directions import directions
from sluice.driver.watch.exporter import Looks
from sluice.support import paths

pytestmark = pytest.mark.usefixtures("allowed")

PORT = 9464
"""In the run's own namespace."""

SCRAPE = (
    f"from urllib.request import urlopen; print(urlopen('http://127.0.0.1:{PORT}/metrics').read().decode(), end='')"
)


def exported(text: str) -> dict[str, Metric]:
    """Metrics by name; the text keeps to the format's grammar."""
    return {metric.name: metric for metric in parser.text_string_to_metric_families(text)}


def values(metric: Metric, label: str) -> dict[str, float]:
    return {sample.labels[label]: sample.value for sample in metric.samples}


def counts_are_the_runs(watched: Path) -> None:
    """By reason, to the packet; and says what is in force."""
    metrics = exported((watched / "metrics").read_text())
    forward = json.loads((watched / "run.json").read_text())["forward"]
    for what in ("dropped", "marked"):
        counted = values(metrics[f"sluice_{what}_packets"], "reason")
        assert {f"{name} {what[:4]}".capitalize(): count for name, count in counted.items()} == forward[what]
    assert sum(forward["marked"].values()) > 0
    (received,) = metrics["sluice_received_packets"].samples
    assert 0 <= forward["input_frames"] - received.value < 10, "the kernel's own last ones"
    assert received.labels == {"direction": "forward", "datapath": "red-512"}
    assert values(metrics["sluice_parameter"], "name")["limit"] == 50
    assert metrics["sluice_up"].samples[0].value == 1


def rates_are_the_links(watched: Path) -> None:
    """Rates add up to the link's, the delay is the queue's at that rate, and both stand on the screen."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in (watched / "lines.jsonl").read_text().splitlines()]
    assert len(lines) > 5
    busy = [line for line in lines if line["queue_packets"] > 10]
    assert len(busy) > 3
    assert all(9 < line["out_mbps"] < 11 for line in busy[1:-1])
    assert all(line["wait_ms"] == pytest.approx(line["queue_packets"] * 1538 * 800e-6, rel=0.1) for line in busy)
    screen = (watched / "screen").read_text()
    for shown in ("forward: red-512", "queue packets", "unforced marks per s", "probability now", "█"):
        assert shown in screen


def the_dashboard_asks_for_what_is_exported(watched: Path) -> None:
    """Each metric that docs/simulate/grafana.json names, and each label by which it tells them apart."""
    metrics = exported((watched / "metrics").read_text())
    names = {sample.name for metric in metrics.values() for sample in metric.samples}
    labels = {label for metric in metrics.values() for sample in metric.samples for label in sample.labels}
    dashboard = json.loads((paths.root() / "docs" / "simulate" / "grafana.json").read_text())
    targets = [target for panel in dashboard["panels"] for target in panel["targets"]]
    asked = {name for target in targets for name in re.findall(r"sluice_\w+", target["expr"])}
    assert len(asked) > 8
    assert asked <= names
    text = json.dumps([*targets, dashboard["templating"]])
    told_by = {word for found in re.findall(r"\{\{(\w+)\}\}|(\w+)=~|by \((\w+)\)", text) for word in found if word}
    assert told_by == {"direction", "reason", "kind", "name", "unit"}
    assert told_by <= labels


def test_a_run_that_is_watched(tmp_path: Path) -> None:
    """Beside a TCP connection, by somebody at a terminal and by Prometheus."""
    watch = " ".join(
        sluice("watch", "--metrics", f":{PORT}", "--every", "200ms", "--json", str(tmp_path / "lines.jsonl"))
    )
    script = f"""
        FORCE_COLOR=1 {watch} > {tmp_path}/screen &
        until [ -s {tmp_path}/lines.jsonl ]; do kill -0 $! && sleep 0.1 || exit; done
        {" ".join(TRAFFIC)} tcp 3 1 &&
        {sys.executable} -c "{SCRAPE}" > {tmp_path}/metrics
    """
    settings = ("--set=min=5", "--set=max=60", "--set=probability=0.1", "--set=ecn=1", "--set=limit=50", "--delay=5ms")
    done = live("red-512", *settings, "--quiet", "--json", str(tmp_path / "run.json"), "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    counts_are_the_runs(tmp_path)
    rates_are_the_links(tmp_path)
    the_dashboard_asks_for_what_is_exported(tmp_path)


def test_both_ways(serve: Serve) -> None:
    """Each direction has labels of its own; what does not answer is not up, and nothing else is said of it until it does."""
    host = serve("red-512", "codel-512")
    with directions(f"unix:{host.path}") as found:
        looks = Looks(found)
        at_first = {metric.name: metric for metric in looks.collect()}
        assert values(at_first["sluice_info"], "direction") == {"forward": 1, "backward": 1}
        assert values(at_first["sluice_status"], "name").keys() >= {"average", "dropping"}
        snapshot = "wrote 0x020=0x1"
        assert [host.said() for _ in range(2)] == [snapshot, snapshot]
        host.order("hang 1")
        assert [(metric.name, metric.samples[0].value) for metric in looks.collect()] == [("sluice_up", 0)]
        assert host.said() == snapshot
        host.process.stdin.write("go 1\n")
        until(lambda: len(looks.collect()) > 1)
        assert {metric.name for metric in looks.collect()} == at_first.keys()


def test_mistakes() -> None:
    """One line each."""
    for words, says in (
        (["unix:/nonesuch"], "unix:/nonesuch#0: No such file or directory"),
        (["unix:/nonesuch", "--metrics", "here"], "'here' is no [HOST]:PORT"),
    ):
        done = subprocess.run(sluice("watch", *words), capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert says in done.stderr
