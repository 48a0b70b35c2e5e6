# SPDX-License-Identifier: Apache-2.0
"""The command line as users meet it: results in the promised shapes, mistakes in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import rich_click as click

from sluice.commands import cli

Sluice = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("name", cli.cli.list_commands(click.Context(cli.cli)))
def test_every_command_explains_itself(sluice: Sluice, name: str) -> None:
    status, out, _ = sluice(name, "--help")
    assert status == 0
    assert "Usage" in out
    assert len(out.splitlines()) > 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("nonsense", "No such command 'nonsense'"),
        ("list --nonsense", "No such option"),
        ("run", "Missing argument 'SCENARIO'"),
        ("run main", "Missing option '--aqm'"),
        ("run maine --aqm red", "did you mean main?"),
        ("run nowhere.yaml --aqm red", "cannot read scenario nowhere.yaml"),
        ("run main --aqm rde", "did you mean red"),
        ("run main --aqm red --seed 0", "'--seed'"),
        ("run main --aqm red --duration soon", "'--duration'"),
        ("run main --aqm red --set min", "--set takes key=value, not 'min'"),
        ("run main --aqm red --set minimum=3", "red has no parameter 'minimum'"),
        ("run main --aqm red --set min=few", "'few' is not a number"),
        ("run main --aqm red --set probability=7", "probability=7 is outside 0..2"),
        ("run main --aqm red --set ecn=nan", "ecn=nan is not a finite number"),
        ("run main --aqm red --set min=inf", "min=inf is not a finite number"),
        ("run main --aqm red --set limit=1e400", "limit=inf is not a finite number"),
        ("run main --aqm red --set limit=1e308", "limit=1e+308 is outside 0.."),
        ("run main --aqm red --set limit=1" + "0" * 400, "is not a finite number"),
        ("run main --aqm ns3-red --set min=nan", "min=nan is not a finite number"),
        ("run main --aqm red --duration nan", "nan is not a finite number"),
        ("compare --aqm red --duration inf", "inf is not a finite number"),
        ("bench --duration inf", "inf is not a finite number"),
        ("reproduce care-table6 --duration inf", "inf is not a finite number"),
        ("sweep care-table6 --param limit=nan,3", "limit=nan is not a finite number"),
        ("red-auto --rate 1" + "0" * 400 + "M", "write it like 10Mbps"),
        ("run main --aqm red --set weight=0", "weight=0 is not within 0..1"),
        ("run main --aqm red --set min=99", "the model refused the parameters: min_below_max"),
        ("run main --aqm ns3-red --set nope=1", "ns3-red has no parameter 'nope'"),
        ("run main --aqm ns3-red --set min=few", "min: 'few' is not a number"),
        ("run main --aqm ns3-fq-codel --set quantum=few", "quantum: 'few' is not a number"),
        ("run main --aqm ns3-codel --set quantum=1514", "ns3-codel has no parameter 'quantum'"),
        ("compare --aqm red,rde", "did you mean red"),
        ("compare --aqm red,", "--aqm takes names with commas between them"),
        ("compare maine", "did you mean main?"),
        ("compare red", "'red' is an AQM, not a scenario; name it by --aqm"),
        ("compare --seeds 0", "'--seeds'"),
        ("reproduce care-tabel6", "did you mean care-table6"),
        ("reproduce care-table6 --seeds none", "'--seeds'"),
        ("sweep purge-fig5", "purge-fig5 is not run with ns-3"),
        ("synth purple", "unknown configuration 'purple'; known: "),
        ("synth red --target ice40", "'--target'"),
        ("soak purple", "unknown configuration 'purple'; known: "),
        ("soak red --arrivals 5", "'--arrivals'"),
        ("oracle purple --kernel /bin/true", "unknown discipline 'purple'; known: "),
        ("oracle red --kernel /nowhere", "no /nowhere here; on Debian: apt-get install user-mode-linux"),
        ("oracle red --kernel /bin/true", "has no modules in "),
        ("oracle red --kernel /etc/passwd", "/etc/passwd does not say its version, so it is no kernel"),
        ("bitstream lattice-versa", "unknown board 'lattice-versa'; did you mean lattice-versa-ecp5?"),
        ("board lattice-versa /dev/null", "unknown board 'lattice-versa'; did you mean lattice-versa-ecp5?"),
        ("run main --aqm red --duration 1 --json /proc/nope/x.json", "cannot write /proc/nope/x.json"),
    ],
)
def test_a_mistake_is_one_line_and_status_2(sluice: Sluice, arguments: str, says: str) -> None:
    status, _, err = sluice(*arguments.split())
    assert status == 2
    assert len(err.splitlines()) == 1
    assert err.startswith("sluice: ")
    assert says in err


@pytest.mark.parametrize(
    "arguments",
    [
        "run main --aqm red --duration 1",
        "compare --aqm red --duration 1",
        "reproduce cared-table6-7 --quick",
        "bench --repeats 2 --duration 1",
        "red-auto --rate 10M",
    ],
)
def test_a_result_that_cannot_be_written_is_one_line_and_status_2(sluice: Sluice, arguments: str) -> None:
    status, _, err = sluice(*arguments.split(), "--json", "/dev/full")
    assert (status, err) == (2, "sluice: cannot write /dev/full: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ("compare --aqm red --duration 1", "build/report/index.html"),
        ("reproduce cared-fig4 --quick", "build/report/cared-fig4.html"),
        ("sweep care-table6 --quick --aqm red --seeds 1", "build/sweep/care-table6.csv"),
        ("docs", "docs/reference/catalogue.md"),
    ],
)
def test_so_is_a_page_and_a_table(sluice: Sluice, project: Path, arguments: str, file: str) -> None:
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/dev/full")
    status, _, err = sluice(*arguments.split())
    assert (status, err) == (2, f"sluice: cannot write {path}: No space left on device\n")


def test_a_missing_build_says_what_to_make(sluice: Sluice, project: Path) -> None:
    (project / "build/rtl/catalog.json").unlink()
    status, _, err = sluice("list")
    begun, said = err.splitlines()
    assert (status, begun) == (2, "building build/rtl/catalog.json, which may take minutes")
    assert "make build/rtl/catalog.json" in said


def test_list_json(sluice: Sluice) -> None:
    status, out, _ = sluice("list", "--json")
    listed = json.loads(out)
    assert status == 0
    assert listed["cores"] == [{"name": name, "latency_cycles": 23} for name in ("red", "fred")]
    assert listed["configs"][:2] == ["red", "red-half-weights"]
    assert listed["counters"] == ["mincount-64"]
    assert listed["shells"] == ["opennic-tx-red"]
    assert listed["boards"] == ["lattice-versa-ecp5"]
    assert {"care-table6", "cared-table6-7"} <= set(listed["experiments"])


def test_list_names_everything(sluice: Sluice) -> None:
    _, out, _ = sluice("list")
    assert all(name in out for name in ("red", "red-512", "mincount-64", "lattice-versa-ecp5", "main", "care-table6"))


def test_run_json(sluice: Sluice, project: Path) -> None:
    file = project / "run.json"
    status, out, _ = sluice(*f"run main --aqm red --seed 3 --duration 6 --set min=7 --json {file}".split())
    result = json.loads(file.read_text())
    assert status == 0
    assert "Unforced drop" in out
    assert {"version", "command", "wall_s", "jain", "norm_kbps", "utilisation"} <= set(result)
    assert (result["aqm"], result["scenario"], result["seed"], result["duration_s"]) == ("red", "main", 3, 6)
    assert result["parameters"]["min"] == 7
    assert set(result["flows"][0]) >= {
        "id",
        "kind",
        "direction",
        "throughput_mbps",
        "goodput_mbps",
        "arrived",
        "dropped",
    }
    assert result["jain"] == pytest.approx(1)
    assert set(result["queue_packets"]) == {"mean", "std", "p99"}
    assert set(result["queue_delay_ms"]) == {"mean", "p99"}
    assert (result["drops"], result["marks"]) == ({"Unforced drop": 50}, {})
    assert (project / "build/report/main-red-seed3.html").exists()


def test_compare_writes_a_report_that_needs_nothing_else(sluice: Sluice, project: Path) -> None:
    status, out, _ = sluice("compare", "--aqm", "red,ns3-red")
    page = (project / "build/report/index.html").read_text()
    assert status == 0
    assert str(project / "build/report/index.html") in out.replace("\n", "")
    assert page.count("<svg") == 4
    assert not any(word in page for word in ("<script src", "<link", "<img"))


def test_compare_over_seeds_prints_intervals(sluice: Sluice, project: Path) -> None:
    file = project / "runs.json"
    status, out, _ = sluice(*f"compare --aqm red,ns3-fifo --seeds 3 --seed 4 --duration 2 --json {file}".split())
    assert status == 0
    assert "mean ± 95 % interval over 3 seeds" in out
    assert out.count("±0.000") == 6
    assert "…" not in out
    assert "0.400 ±0.000" in (project / "build/report/index.html").read_text()
    assert "mean ± 95 % interval over the seeds 4 to 6" in (project / "build/report/index.html").read_text()
    runs = [(run["aqm"], run["seed"]) for run in json.loads(file.read_text())]
    assert runs == [(aqm, seed) for aqm in ("red", "ns3-fifo") for seed in (4, 5, 6)]


def test_reproduce_json(sluice: Sluice, project: Path) -> None:
    file = project / "table.json"
    status, out, _ = sluice(*f"reproduce cared-table6-7 --quick --json {file}".split())
    result = json.loads(file.read_text())
    assert status == 0
    assert "published" in out
    assert result["experiment"] == "cared-table6-7"
    assert "buffer" in result["settings"]
    assert len(result["rows"]) == 5 * 3 * 2
    row = result["rows"][0]
    assert {"aqm", "point", "metric", "published", "mean", "ci95", "seeds"} <= set(row)
    assert (row["point"], row["metric"], row["published"], row["seeds"]) == ("5 flows", "drop_percent", 0.22, 2)
    assert row["mean"] == pytest.approx(5.0)
    assert row["ns2_mean"] == pytest.approx((0.15 + 0.19 + 0.18) / 3)
    assert {row["against"] for row in result["differences"]} == {"ared"}
    assert (project / "build/report/cared-table6-7.html").exists()


def test_reproduce_a_figure(sluice: Sluice, project: Path) -> None:
    status, out, _ = sluice("reproduce", "cared-fig4", "--quick")
    assert status == 0
    assert "never" in out
    assert (project / "build/report/cared-fig4.html").read_text().count("<svg") == 2


def test_bench_prints_a_ratio(sluice: Sluice) -> None:
    status, out, _ = sluice("bench", "--repeats", "2", "--duration", "1")
    assert status == 0
    assert "red takes 1.00 times the wall time of ns3-red" in out
    assert "bare tile: 2,000 packets/s, 26.0 simulated clock cycles per packet" in out
    assert "2,000 to 2,000 in 8 copies of the model, within 20 % wherever the heap puts it" in " ".join(out.split())


def test_docs_are_the_same_twice(sluice: Sluice, project: Path) -> None:
    page = project / "docs/reference/registers/red.md"
    sluice("docs")
    first = page.read_text()
    sluice("docs")
    assert page.read_text() == first
    assert "| 0x064 | `avpkt` | `MeanPktSize` | 16 | 0 | packets | 1000 | `packet_bytes` | a parameter |" in first
    assert "| 4 | `min_below_max` | min < max |" in first
    catalogue = (project / "docs/reference/catalogue.md").read_text()
    assert "[`red-512`](registers/datapath-red.md)" in catalogue
    assert (project / "docs/reference/registers/datapath-red.md").exists()
