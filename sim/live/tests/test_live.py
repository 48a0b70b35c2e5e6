# SPDX-License-Identifier: Apache-2.0
"""`sluice live` from the outside: the kernel's own packets through the RTL, in namespaces that the runs make themselves."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from driver_shell import Shell

from sluice.driver import running
from sluice.support import paths
from sluice.support.errors import UserError

TRAFFIC = (sys.executable, str(Path(__file__).with_name("live_traffic.py")))
BEST_MBPS = 9.415
"""TCP's goodput over 10 Mbit/s: 1,448 of 1,538 bytes."""

GENTLE = [f"--set={name}" for name in ("min=20", "max=60", "probability=0.1")]


def sluice(*arguments: str) -> list[str]:
    """The command."""
    return [str(Path(sys.executable).with_name("sluice")), *arguments]


def live(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run to its end."""
    command = sluice("live", *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


pytestmark = pytest.mark.usefixtures("allowed")


def test_frames_of_every_kind() -> None:
    """Both IP versions, frames shorter than a wire has them and the longest: the same there and back, after two delays."""
    done = live("red-512", "--delay", "10ms", "--both-ways", "--quiet", "--", *TRAFFIC, "echo")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["is_same"]
    assert 20 <= result["least_ms"] < 30


def test_a_recording_repeats_verdict_by_verdict(tmp_path: Path) -> None:
    """One TCP connection fills the link; its frames replayed get the same verdicts and leave at the same times."""
    folder = tmp_path / "run"
    options = ("--delay", "10ms", *GENTLE, "--set=ecn=1", "--record", str(folder))
    done = live("red-512", *options, "--", *TRAFFIC, "tcp", "5", "2")
    assert done.returncode == 0, done.stderr
    assert "Mbit/s" in done.stderr.splitlines()[0], "a line a second"
    result = json.loads((folder / "run.json").read_text())
    assert not result["sound"] or json.loads(done.stdout)["mbps"] > 0.97 * BEST_MBPS
    forward = result["forward"]
    assert forward["overrun_frames"] == 0 or "too slow" in result["unsound"]
    assert sum(forward["marked"].values()) > 0

    table = folder / "replayed.tsv"
    again = sluice("replay", str(folder / "forward.pcap"), "--config", "red-512", "--frames", str(table))
    replayed = subprocess.run([*again, "--settings", str(folder / "run.json")], capture_output=True, check=False)
    assert replayed.returncode == 0
    columns = ("verdict", "reason", "departure_ns")
    assert rows(table, columns) == rows(folder / "forward.tsv", columns)
    assert len(rows(table, columns)) == forward["input_frames"] > 1000


def test_registers_while_frames_pass(tmp_path: Path) -> None:
    """Sets of parameters and snapshots through the C driver under load: none is torn, and the run replays with them."""
    folder, path = tmp_path / "run", tmp_path / "socket"
    options = ("--delay", "10ms", "--set=ecn=1", "--record", str(folder), "--socket", str(path), "--quiet")
    command = sluice("live", "red-512", *options, "--", *TRAFFIC, "tcp", "4", "1")
    pairs = [(5, 15), (20, 60), (10, 90)]
    configured = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run, Shell() as shell:
        while shell.ask("open", f"unix:{path}")[0] in ("ENOENT", "ECONNREFUSED"):
            assert run.poll() is None
            time.sleep(0.01)
        shell.get("bind", "red-512")
        assert shell.ask("read", 0x1000)[0] == "EIO"
        assert shell.ask("configure", "min=90 max=20") == ("EINVAL", "red-512 refuses these parameters: min_below_max")
        while True:
            least, most = pairs[configured % len(pairs)]
            told = [
                shell.ask("configure", f"min={least} max={most} probability={0.01 * (1 + configured % 7)}"),
                *(shell.ask(call) for call in ("get min", "get max", "snapshot")),
            ]
            if any(error for error, _ in told):
                break
            assert (told[1][1], told[2][1]) == (str(least), str(most))
            counters = dict(word.split("=") for word in told[3][1].split())
            configured += 1
        assert told[-1][0] == "ENODEV", "the run is over"
        assert run.wait() == 0
    assert configured > 20
    assert int(counters["departed_packets"]) > 500
    written = rows(folder / "forward-writes.tsv", ("time_ns", "address", "word"))
    assert len(written) > 6 * configured

    table = folder / "replayed.tsv"
    again = sluice("replay", str(folder / "forward.pcap"), "--config", "red-512", "--frames", str(table))
    again += ["--settings", str(folder / "run.json"), "--writes", str(folder / "forward-writes.tsv")]
    subprocess.run(again, capture_output=True, check=True)
    columns = ("verdict", "reason", "departure_ns")
    assert rows(table, columns) == rows(folder / "forward.tsv", columns)


def test_a_look_at_the_registers_of_an_idle_run_loses_no_frame(tmp_path: Path) -> None:
    """The time of an idle model stands, for longer than a model that has frames may be behind: the first frames still go in.

    The kernel's own packets end that for some seconds after a device is up, so it takes longer than that."""
    file, path = tmp_path / "run.json", tmp_path / "socket"
    late = f"sleep 4; exec {' '.join(TRAFFIC)} echo"
    options = ("--both-ways", "--json", str(file), "--socket", str(path), "--quiet")
    command = sluice("live", "red-512", *options, "--", "sh", "-c", late)
    quiet = subprocess.DEVNULL  # a server that hears nothing would keep a pipe open
    with subprocess.Popen(command, stdout=quiet, stderr=quiet) as run, Shell() as shell:
        while shell.ask("open", f"unix:{path}")[0] in ("ENOENT", "ECONNREFUSED"):
            assert run.poll() is None
            time.sleep(0.01)
        looks = 0
        while not shell.ask("many", 512)[0]:
            looks += 1
        assert run.wait() == 0
    result = json.loads(file.read_text())
    assert looks > 50
    assert [result[way]["overrun_frames"] for way in ("forward", "backward")] == [0, 0]


def rows(file: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Some columns of a table."""
    with file.open() as text:
        return [tuple(row[column] for column in columns) for row in csv.DictReader(text, delimiter="\t")]


def test_marks_are_what_the_receiver_counts(tmp_path: Path) -> None:
    """The kernel hears of as many CE as the RTL has set."""
    file = tmp_path / "run.json"
    options = (
        "--delay",
        "2ms",
        "--set=min=2",
        "--set=max=20",
        "--set=probability=0.2",
        "--set=ecn=1",
        "--json",
        str(file),
    )
    done = live("red-512", *options, "--quiet", "--", *TRAFFIC, "tcp", "2", "1")
    assert done.returncode == 0, done.stderr
    marked = sum(json.loads(file.read_text())["forward"]["marked"].values())
    assert json.loads(done.stdout)["ce_packets"] == marked > 5


def test_a_command_that_ends() -> None:
    """Its status is the run's; one that is not there is said so in a line; where the namespaces are it is told."""
    assert live("red-512", "--quiet", "--", "sh", "-c", "exit 7").returncode == 7
    missing = live("red-512", "--", "nonesuch-command")
    assert missing.returncode == 2
    assert missing.stderr == "sluice live: cannot run nonesuch-command: No such file or directory\n"
    inside = live("red-512", "--quiet", "--", "sh", "-c", "readlink $SLUICE_RIGHT; readlink /proc/self/ns/net")
    right, left = inside.stdout.splitlines()
    assert right.startswith("net:[")
    assert len({right, left, str(Path("/proc/self/ns/net").readlink())}) == 3


def test_mistakes() -> None:
    """One line each, before anything is made."""
    for arguments, says in (
        (("nonesuch",), "nonesuch"),
        (("red-512", "--set", "min=99"), "min_below_max"),
        (("red-512", "--delay", "soon"), "write it like"),
        (("red-512", "--congestion", "nonesuch", "--", "true"), "congestion control nonesuch"),
    ):
        done = live(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert says in done.stderr


def begun(*arguments: str) -> subprocess.Popen[str]:
    """A run that goes on; its command has said so."""
    command = sluice("live", "red-512", "--quiet", *arguments, "--", "sh", "-c", "echo $$; exec sleep 60")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_end_leaves_nothing_behind() -> None:
    """A signal ends the run with its summary; SIGKILL ends the command too, with which the last of its namespaces goes."""
    for how in (signal.SIGINT, signal.SIGKILL):
        run = begun()
        assert run.stdout
        child = int(run.stdout.readline())
        run.send_signal(how)
        assert run.stderr
        said = run.stderr.read()
        assert run.wait(timeout=10) == (0 if how == signal.SIGINT else -how)
        assert ("ended by a signal" in said) == (how == signal.SIGINT)
        for _ in range(200):
            if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
                break
            time.sleep(0.01)
        else:
            pytest.fail("the command goes on")


def test_runs_are_found_and_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says what it is; a command of another terminal gets into its namespaces; when it ends or is killed it is gone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("SLUICE_SOCKET", raising=False)
    with begun() as one, begun() as other:
        assert one.stdout
        assert other.stdout
        _, child = one.stdout.readline(), other.stdout.readline().strip()
        file = tmp_path / "list.json"
        subprocess.run(sluice("live", "list", "--json", str(file)), check=True, capture_output=True)
        listed = {run["pid"]: run for run in json.loads(file.read_text())["runs"]}
        assert listed.keys() == {one.pid, other.pid}
        for run in listed.values():
            assert run["datapath"] == "red-512"
            assert time.time() - 60 < run["since"] <= time.time()
        with pytest.raises(UserError, match="there are several runs"):
            running.one(None)
        enter = sluice("live", "enter", "left", "--socket", listed[other.pid]["socket"], "--")
        inside = subprocess.run([*enter, "readlink", "/proc/self/ns/net"], capture_output=True, text=True, check=True)
        assert inside.stdout.strip() == str(Path(f"/proc/{child}/ns/net").readlink())
        across = "import socket; socket.create_connection(('10.99.0.1', 9), 5)"  # refused, and not unreachable
        right = running.one(Path(listed[one.pid]["socket"])).entering("right", [sys.executable, "-c", across])
        assert "Refused" in subprocess.run(right, capture_output=True, text=True, check=False).stderr
        other.kill()
        other.wait()
        assert [run.pid for run in running.runs()] == [one.pid]
        one.send_signal(signal.SIGINT)
        one.wait()
        assert running.runs() == []
        left_behind = {f"{other.pid}.json", f"{other.pid}.sock"}
        assert {each.name for each in running.folder().iterdir()} == left_behind, "until the next one begins"
        running.clean()
        assert not any(running.folder().iterdir())


def test_idle_is_free(tmp_path: Path) -> None:
    """Where nothing moves nothing is clocked, and no processor is used."""
    file = tmp_path / "run.json"
    run = begun("--for", "2.5s", "--json", str(file))
    assert run.stdout
    run.stdout.readline()
    time.sleep(0.7)  # the kernel's own first packets are over
    before = ticks(run.pid)
    time.sleep(1.5)
    used = (ticks(run.pid) - before) / os.sysconf("SC_CLK_TCK")
    assert run.wait(timeout=10) == 0
    result: dict[str, Any] = json.loads(file.read_text())
    assert result["ended"] == "the time is over"
    assert used <= 0.03, "of 1.5 s"


def ticks(process: int) -> int:
    """Time of the processor that it has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_who_may_not() -> None:
    """Another user is told what he lacks, in a line."""
    program = str(paths.made(paths.build() / "live" / "sluice-live"))
    if os.geteuid() != 0 or not os.access("/dev/net/tun", os.R_OK) or Path("/dev/net/tun").stat().st_mode & 0o006:
        pytest.skip("everybody may use /dev/net/tun here, or we are nobody ourselves")
    try:
        done = subprocess.run(
            [program, "--congestion", "cubic"], capture_output=True, text=True, check=False, user=65534
        )
    except PermissionError:
        pytest.skip("other users may not run what lies here")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "/dev/net/tun; ask for read and write on it, or run as root" in done.stderr or "namespace" in done.stderr
