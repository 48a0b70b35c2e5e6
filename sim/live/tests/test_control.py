# SPDX-License-Identifier: Apache-2.0
"""The server of registers, with a Verilated datapath behind it, and itself watched by sanitizers: each status, and clients that
disturb each other, behave badly or die."""

from __future__ import annotations

import os
import resource
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from registers_host import (
    ACCESS,
    BROKEN_RULES,
    COMMIT,
    DIGEST,
    DONE,
    FORCE,
    GONE,
    HELLO,
    LOCK,
    LOCKED,
    MALFORMED,
    PROTOCOL,
    REFUSED,
    SNAPSHOT,
    UNLOCK,
    Host,
    Serve,
    Wire,
    until,
    write,
)

from sluice.hardware.registers import RegisterMap
from sluice.support import paths

NOWHERE = 0x7FC


def registers(datapath: str = "red-64") -> RegisterMap:
    return RegisterMap.load(paths.made(paths.register_map(datapath)))


MIN, MAX = (registers().parameters[name].address for name in ("min", "max"))
SNAPSHOT_WORDS = [(write(SNAPSHOT), 1)] + [(address, 0) for address in registers().counters.values()]


@pytest.fixture
def host(serve: Serve) -> Host:
    return serve("red-64")


def test_two_directions(serve: Serve) -> None:
    """Each with its own registers; a third one is not there."""
    host = serve("red-64", "red-512")
    with Wire(host.path) as wire:
        assert wire.read(DIGEST) == (registers("red-64").digest,)
        assert wire.read(DIGEST, direction=1) == (registers("red-512").digest,)
        assert wire.ask(ACCESS, [(DIGEST, 0)], direction=2).status == MALFORMED


def test_accesses_run_in_their_order(host: Host) -> None:
    """What is written is read behind it, and not before; an answer has a zero for a write."""
    with Wire(host.path) as wire:
        (before,) = wire.read(MIN)
        assert wire.ask(ACCESS, [(MIN, 0), (write(MIN), before + 1), (MIN, 0)]).words == (before, 0, before + 1)
        assert wire.ask(ACCESS, [(write(MIN), 7), (write(MIN), 8)]).words == (0, 0)
        assert wire.read(MIN) == (8,)
        assert wire.read() == ()


def test_a_refused_access_ends_a_message(host: Host) -> None:
    """What is before it has been done, what is behind it has not."""
    with Wire(host.path) as wire:
        answer = wire.ask(ACCESS, [(write(MIN), 9), (DIGEST, 0), (NOWHERE, 0), (write(MIN), 10)])
        assert (answer.status, answer.words) == (REFUSED, (0, registers().digest))
        assert wire.read(MIN) == (9,)


def test_what_is_no_request(host: Host) -> None:
    """Each is answered, and the connection stays."""
    with Wire(host.path) as wire:
        for message in (
            b"\1",
            b"\1\0\0\0\0\0\0",
            struct.pack("<BBHI", ACCESS, 0, 1, 77),  # too short for its count
            struct.pack("<BBHIII", ACCESS, 0, 0, 77, DIGEST, 0),  # too long
            struct.pack("<BBHIIII", ACCESS, 0, 1, 77, DIGEST, 0, 0),
            struct.pack("<BBHI", 9, 0, 0, 77),  # no such operation
            struct.pack("<BBHI514I", ACCESS, 0, 257, 77, *[0] * 514),  # more accesses than a message may have
            struct.pack("<BBHI", UNLOCK, 0, 0, 77) + bytes(60_000),
            struct.pack("<BBHIII", LOCK, 0, 1, 77, 0, 10_001),  # too much patience
            struct.pack("<BBHI", HELLO, 0, 0, 77),  # without a number
            struct.pack("<BBHIII", HELLO, 0, 1, 77, 0, 1),  # a second time
        ):
            wire.send_raw(message)
            answer = wire.hear()
            assert (answer.op, answer.status, answer.words) == (message[0] | 0x80, MALFORMED, ())
            assert answer.tag == (77 if len(message) >= 8 else 0)
        assert wire.read(DIGEST) == (registers().digest,)


def test_the_greeting_comes_first(host: Host) -> None:
    """And speaks the server's protocol."""
    with Wire(host.path, greets=False) as wire:
        assert wire.ask(ACCESS, [(DIGEST, 0)]).status == MALFORMED
        assert wire.ask(HELLO, [(0, 2)]).status == PROTOCOL
        assert wire.ask(HELLO, [(0, 1)]).status == DONE


def test_most_clients(host: Host) -> None:
    """The seventeenth is told so, and when one goes there is a place again."""
    wires = [Wire(host.path) for _ in range(16)]
    with Wire(host.path, greets=False) as more:
        assert more.hear().status == LOCKED
        with pytest.raises((EOFError, ConnectionResetError)):
            more.hear()
    wires.pop().close()
    wires.append(Wire(host.path))
    for wire in wires:
        assert wire.read(DIGEST) == (registers().digest,)
        wire.close()


def test_no_room_for_another_descriptor(host: Host) -> None:
    """Who cannot be accepted waits, at no cost, and is heard as soon as there is room."""
    process = host.process.pid
    most = resource.prlimit(process, resource.RLIMIT_NOFILE)
    with Wire(host.path) as one:
        descriptors = len(list(Path(f"/proc/{process}/fd").iterdir()))
        resource.prlimit(process, resource.RLIMIT_NOFILE, (descriptors, most[1]))
        with Wire(host.path, greets=False) as other:
            tag = other.send(HELLO, [(0, 1)])
            before = processor_ticks(process)
            time.sleep(0.3)
            assert processor_ticks(process) - before < 4, "of 30"
            assert one.read(DIGEST) == (registers().digest,)
            one.close()
            assert (other.hear().tag, other.read(DIGEST)) == (tag, (registers().digest,))


def processor_ticks(process: int) -> int:
    """Time of the processor that it has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_a_commit_is_one_message(host: Host) -> None:
    """The read of COMMIT says that it is over; refused sets name their rules and change nothing."""
    with Wire(host.path) as wire:
        in_force = wire.read(MIN + FORCE, MAX + FORCE)
        for words, is_refused in (((30 << 14, 90 << 14), False), ((90 << 14, 30 << 14), True)):
            message = [(write(BROKEN_RULES), 0xFFFFFFFF), (write(MIN), words[0]), (write(MAX), words[1])]
            answer = wire.ask(ACCESS, [*message, (write(COMMIT), 1), (COMMIT, 0), (BROKEN_RULES, 0)])
            assert (answer.status, answer.words[4]) == (DONE, 0)
            rules = registers().broken_rules(answer.words[5])
            assert rules == (["min_below_max"] if is_refused else [])
            in_force = in_force if is_refused else words
            assert wire.read(MIN + FORCE, MAX + FORCE) == in_force


def test_two_clients_at_once(host: Host) -> None:
    """Messages of one have none of the other's between their accesses: each finds at once what it wrote."""
    with Wire(host.path) as one, Wire(host.path) as other:
        for round_ in range(400):
            for wire, word in ((one, 2 * round_), (other, 2 * round_ + 1)):
                wire.send(ACCESS, [(write(MIN), word), *SNAPSHOT_WORDS, (MIN, 0)])
            assert (one.hear().words[-1], other.hear().words[-1]) == (2 * round_, 2 * round_ + 1)


def test_requests_of_a_client_in_their_order(host: Host) -> None:
    """Also where it sends many before it hears of the first."""
    with Wire(host.path) as wire:
        tags = [wire.send(ACCESS, [(DIGEST, 0)]) for _ in range(60)]
        assert [wire.hear().tag for _ in tags] == tags


def test_lock(host: Host) -> None:
    """Others read, and wait for it as long as they want; it goes to who waits when it is given back."""
    with Wire(host.path) as holder, Wire(host.path) as other:
        assert holder.ask(LOCK, [(0, 0)]).status == DONE
        assert holder.ask(LOCK, [(0, 0)]).status == DONE
        assert other.read(DIGEST) == (registers().digest,)
        assert other.ask(ACCESS, [(write(MIN), 5)]).status == LOCKED
        assert other.ask(ACCESS, SNAPSHOT_WORDS).status == LOCKED
        assert other.ask(UNLOCK).status == LOCKED
        begin = time.monotonic()
        assert other.ask(LOCK, [(0, 30)]).status == LOCKED
        assert time.monotonic() - begin >= 0.03
        tag = other.send(LOCK, [(0, 10_000)])
        holder.write((MIN, 5))
        assert holder.ask(UNLOCK).status == DONE
        assert (other.hear().tag, holder.ask(ACCESS, [(write(MIN), 6)]).status) == (tag, LOCKED)
        assert other.ask(UNLOCK).status == DONE
        assert other.ask(UNLOCK).status == DONE


DIE = """
import sys
from pathlib import Path
from registers_host import *
wire = Wire(Path(sys.argv[1]))
assert wire.ask(LOCK, [(0, 0)]).status == DONE
wire.write((int(sys.argv[2]), 1234), (int(sys.argv[3]), 99), (BROKEN_RULES, 0))
print("staged", flush=True)
sys.stdin.read()
"""


def test_a_client_that_is_killed(host: Host) -> None:
    """Its lock is free, and of what it had staged nothing comes into force with the next set."""
    with Wire(host.path) as other:
        min_force, max_force = other.read(MIN + FORCE, MAX + FORCE)
        command = [sys.executable, "-c", DIE, host.path, str(MIN), str(MAX)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        with subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as client:
            assert client.stdout.readline() == "staged\n"
            assert other.read(MIN, MAX) == (1234, 99)
            assert other.ask(ACCESS, [(write(MIN), 1)]).status == LOCKED
            client.send_signal(signal.SIGKILL)
            client.wait()
        limit = registers().parameters["limit"].address
        other.write((limit, 500), (COMMIT, 1))
        assert other.read(limit + FORCE, MIN + FORCE, MAX + FORCE) == (500, min_force, max_force)
        said = [host.said().removeprefix("wrote ") for _ in range(7)]
        assert said[:3] == [f"0x{MIN:03x}=0x4d2", f"0x{MAX:03x}=0x63", "0x01c=0x0"]
        assert said[3:5] == [f"0x{MIN:03x}=0x{min_force:x}", f"0x{MAX:03x}=0x{max_force:x}"], "set back at once"
        assert said[5:] == [f"0x{limit:03x}=0x1f4", "0x018=0x1"]


def test_words_that_were_committed_or_staged_again_stay(host: Host) -> None:
    """Only what a client that goes has staged itself, last, and since the last commit, is set back."""
    with Wire(host.path) as stays:
        force = stays.read(MAX + FORCE)
        with Wire(host.path) as goes:
            goes.write((MIN, 3 << 14), (COMMIT, 1), (MIN, 4 << 14), (MAX, 100 << 14))
            stays.write((MAX, 200 << 14))
        assert stays.read(MIN, MAX, MIN + FORCE, MAX + FORCE) == (3 << 14, 200 << 14, 3 << 14, *force)


def test_a_model_that_hangs(host: Host) -> None:
    """Its clients are told after a second, and everyone at once from then on; when it goes on, so do they."""
    with Wire(host.path) as one, Wire(host.path) as other:
        host.order("hang 0")
        begin = time.monotonic()
        tag = one.send(ACCESS, [(DIGEST, 0)])
        answer = one.hear()
        assert (answer.status, answer.tag, answer.words) == (GONE, tag, ())
        assert time.monotonic() - begin >= 1
        assert other.ask(ACCESS, [(DIGEST, 0)]).status == GONE
        host.order("go 0")
        until(lambda: one.ask(ACCESS, [(DIGEST, 0)]).status != GONE)
        assert one.read(DIGEST) == (registers().digest,)


def test_a_model_that_ends(serve: Serve) -> None:
    """Its registers are gone, those of the other one are not."""
    host = serve("red-64", "red-512")
    with Wire(host.path) as wire:
        host.order("end 0")
        until(lambda: wire.ask(ACCESS, [(DIGEST, 0)]).status == GONE)
        assert wire.ask(ACCESS, [(write(MIN), 0)]).status == GONE
        assert wire.read(DIGEST, direction=1) == (registers("red-512").digest,)
        with Wire(host.path) as late:
            assert late.ask(ACCESS, [(DIGEST, 0)]).status == GONE


def test_a_server_that_is_killed(serve: Serve) -> None:
    """Its clients hear the end; what it leaves behind is replaced by the next one, and a living one's socket is not."""
    host = serve("red-64")
    with Wire(host.path) as wire:
        arguments = host.process.args
        living = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert living.returncode == 1
        assert "Address already in use" in living.stderr
        assert wire.read(DIGEST) == (registers().digest,)
        host.process.kill()
        host.process.wait()
        with pytest.raises((EOFError, ConnectionResetError)):
            wire.hear()
    assert host.path.is_socket()
    again = Host(arguments[0], arguments[1], arguments[2:])
    with Wire(host.path) as wire:
        assert wire.read(DIGEST) == (registers().digest,)
        assert host.path.stat().st_mode & 0o777 == 0o600
    assert again.close() == 0
    assert not host.path.exists()
