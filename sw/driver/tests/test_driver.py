# SPDX-License-Identifier: Apache-2.0
"""The C driver over the socket of Verilated registers, by every compiler that is here, with sanitizers where that is GCC."""

from __future__ import annotations

import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from built import built
from driver_shell import COMPILERS, Shell
from registers_host import Host, Serve, until

from sluice.hardware.registers import RegisterMap
from sluice.support import paths


def registers(datapath: str = "red-64") -> RegisterMap:
    return RegisterMap.load(paths.made(paths.register_map(datapath)))


@pytest.fixture
def host(serve: Serve) -> Host:
    return serve("red-64")


def test_the_program_of_the_page(serve: Serve, tmp_path: Path) -> None:
    """As docs/driver.md has it, it compiles without a warning, sets what it says, and prints all counters."""
    source, program = tmp_path / "program.c", tmp_path / "program"
    page = (paths.root() / "docs" / "driver.md").read_text()
    source.write_text(page.partition("```c\n")[2].partition("```")[0])
    library = built(paths.build() / "driver" / "libsluice.a")
    flags = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    includes = (f"-I{paths.root()}/sw/driver", f"-I{paths.build()}/rtl")
    subprocess.run(["cc", *flags, *includes, source, library, "-o", program], check=True)
    host, other = serve("red-512"), serve("red-64")
    done = subprocess.run([program, f"unix:{host.path}"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(registers("red-512").counters)
    with Shell().open(host.path, "red-512") as shell:
        assert shell.get("get", "max") == "60"
    refused = subprocess.run([program, f"unix:{other.path}"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "the hardware has other registers" in refused.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_session(host: Host, compiler: str) -> None:
    """As C11 and as C++: who is there, a set by name in units, what is in force, all counters."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    with Shell(compiler) as shell:
        name, version, digest, ring, latency, queues, beat = shell.get("open", f"unix:{host.path}").split()
        its = registers()
        assert (name, int(digest), int(ring)) == ("red", its.digest, 1024)
        assert (int(queues), int(beat)) == (1, 8)
        assert int(version) > 0
        assert int(latency) > 0
        shell.get("bind", "red-64")
        assert shell.get("configure", "min=20 max=60.5 probability=0.1 ecn=1") == "0"
        in_force = {name: float(shell.get("get", name)) for name in ("min", "max", "probability", "ecn")}
        assert in_force == {"min": 20, "max": 60.5, "probability": round(0.1 * 2**31) / 2**31, "ecn": 1}
        assert float(shell.get("status", "average")) == 0
        assert [word.partition("=")[0] for word in shell.get("snapshot").split()] == list(its.counters)


def test_a_refused_set_changes_nothing(host: Host) -> None:
    """Its rules are named, what is in force stays, and nothing of it is staged any more."""
    with Shell().open(host.path) as shell:
        before = shell.get("get", "min")
        error, says = shell.ask("configure", "min=60 max=20")
        assert (error, says) == ("EINVAL", "red-64 refuses these parameters: min_below_max")
        assert shell.get("get", "min") == before
        shell.get("stage", "min=60")
        assert shell.ask("commit")[0] == "EINVAL"
        shell.get("stage", "max=80")
        assert shell.get("commit") == "0"
        assert (shell.get("get", "min"), shell.get("get", "max")) == (before, "80")


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        ("configure limit=5 nonesuch=1", "ENOENT", "red-64 has no parameter 'nonesuch'"),
        ("configure limit=5 ecn=2", "ERANGE", "ecn=2 is outside 0..1 "),
        ("configure min=nan", "ERANGE", "min=nan is outside"),
        ("stage min=-1", "ERANGE", "min=-1 is outside"),
        ("stage limit=1e300", "ERANGE", "limit=1e+300 is outside"),
        ("get nonesuch", "ENOENT", "no parameter 'nonesuch'"),
        ("status nonesuch", "ENOENT", "no status 'nonesuch'"),
        ("read 0x7fc", "EIO", "the registers refuse the read at address 0x7fc"),
        ("write 0x24 1", "EIO", "the registers refuse the write at address 0x024"),
        ("many 513", "E2BIG", "513 accesses are more than 512"),
        ("bind red-512", "ENOEXEC", "the hardware has other registers, 0x"),
    ],
)
def test_errors_by_name(host: Host, call: str, error: str, says: str) -> None:
    """Each is told in words, has written nothing, and the handle is as good as before."""
    with Shell().open(host.path) as shell:
        before = shell.get("read", registers().parameters["limit"].address)
        told = shell.ask(call)
        assert told[0] == error
        assert says in told[1]
        assert shell.get("read", registers().parameters["limit"].address) == before


def test_nobody_there(tmp_path: Path) -> None:
    """No such path, none that listens, and what is no place at all."""
    with Shell() as shell:
        assert shell.ask("open", f"unix:{tmp_path}/nothing")[0] == "ENOENT"
        assert shell.ask("open", "unix:" + "x" * 200)[0] == "ENAMETOOLONG"
        for where in ("nonesuch", "tty:/dev/null", "unix:/tmp/x#1000", "pci:0000:00:00.0+y"):
            assert shell.ask("open", where)[0] == "EINVAL"


def test_a_direction_that_is_not_there(host: Host) -> None:
    """The error says where to look."""
    with Shell() as shell:
        assert shell.ask("open", f"unix:{host.path}#1")[0] == "EPROTO"


def test_without_a_map(host: Host) -> None:
    """Words can be read, names cannot."""
    with Shell() as shell:
        shell.get("open", f"unix:{host.path}")
        assert int(shell.get("read", "0x24")) == registers().digest
        for call in ("get min", "commit", "configure min=1", "snapshot", "status average", "secret " + 80 * "0"):
            assert shell.ask(call) == ("ENOTCONN", "no register map is bound")


def test_many_accesses_at_once(host: Host) -> None:
    """More than fit into a message."""
    with Shell().open(host.path) as shell:
        assert shell.get("many", 512) == "512"


def test_many_accesses_at_once_leave_the_callers_lock(host: Host) -> None:
    """They have one of their own only where there is none."""
    with Shell().open(host.path) as one, Shell().open(host.path) as other:
        one.get("lock", 0)
        assert one.get("many", 512) == "512"
        assert other.ask("commit")[0] == "EBUSY"
        one.get("unlock")
        assert one.get("many", 512) == "512"
        other.get("commit")


def test_a_bus_of_ones_own(host: Host) -> None:
    """Its functions get what they were given, nothing for instance, and it needs no lock."""
    with Shell() as shell:
        shell.get("open", f"bus:unix:{host.path}")
        shell.get("bind", "red-64")
        shell.get("lock", 0)
        shell.get("configure", "min=7 max=21")
        shell.get("unlock")
        assert (shell.get("get", "min"), shell.get("get", "max")) == ("7", "21")
        assert shell.ask("read", 0x7FC)[0] == "EIO"


def test_two_clients_at_once(host: Host) -> None:
    """Each sets pairs of its own: what is in force is always a pair, whoever of them comes first."""
    with Shell().open(host.path) as one, Shell().open(host.path) as other, Shell().open(host.path) as looks:
        sets = {one: "configure min=10 max=30", other: "configure min=40 max=90"}

        def pair() -> tuple[float, float]:
            looks.get("lock", 1000)
            seen = float(looks.get("get", "min")), float(looks.get("get", "max"))
            looks.get("unlock")
            return seen

        one.get(sets[one])
        assert pair() == (10, 30)
        other.get(sets[other])
        assert pair() == (40, 90)
        for _ in range(100):
            for shell, words in sets.items():
                shell.tell(words)
            assert pair() in {(10, 30), (40, 90)}
            for shell, words in sets.items():
                while shell.hear()[0] == "EBUSY":  # the lock was another's
                    shell.tell(words)


def test_a_client_that_dies_inside_a_set(host: Host) -> None:
    """Its lock is free, and nothing that it staged comes into force with another's set."""
    with Shell().open(host.path) as stays, Shell().open(host.path) as dies:
        before = [stays.get("get", name) for name in ("min", "max")]
        dies.get("lock", 0)
        dies.get("stage", "min=33")
        assert stays.ask("commit") == ("EBUSY", "another client has the lock, or there are too many clients")
        dies.process.send_signal(signal.SIGKILL)
        dies.process.wait()
        stays.get("lock", 5000)
        stays.get("configure", "limit=500")
        assert [stays.get("get", name) for name in ("min", "max")] == before
        assert stays.get("get", "limit") == "500"


def test_a_simulation_that_goes_away(host: Host) -> None:
    """The next call says so, and so does every one behind it."""
    with Shell().open(host.path) as shell:
        host.process.kill()
        host.process.wait()
        for call in ("get min", "configure min=1", "snapshot", "read 0x24"):
            assert shell.ask(call) == ("ENODEV", "the simulation has ended")
        assert shell.ask("open", f"unix:{host.path}")[0] == "ECONNREFUSED"


def test_a_model_that_hangs(host: Host) -> None:
    """A second, and an error that names it; then it goes on."""
    with Shell().open(host.path) as shell:
        host.order("hang 0")
        assert shell.ask("get", "min") == ("ENODEV", "the simulation's model is stuck, or has ended")
        host.order("go 0")
        until(lambda: not shell.ask("get", "min")[0])
        host.order("end 0")
        until(lambda: shell.ask("get", "min")[0] == "ENODEV")


def test_a_secret(host: Host) -> None:
    """Ten words, first byte in the high one, and it is in force when the call returns."""
    secret = bytes(range(100, 140))
    with Shell().open(host.path) as shell:
        shell.get("secret", secret.hex())
        assert shell.get("read", registers().addresses["SECRET0"]) == "0"
    written = [host.said() for _ in range(10)]
    assert written == [
        f"wrote 0x{registers().addresses[f'SECRET{i}']:03x}=0x{int.from_bytes(secret[4 * i : 4 * i + 4]):x}"
        for i in range(10)
    ]
