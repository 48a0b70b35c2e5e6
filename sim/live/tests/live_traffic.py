# SPDX-License-Identifier: Apache-2.0
"""Traffic of a live run, as its command: a client in the left namespace, its server in the right one. Prints JSON.

python live_traffic.py echo | tcp SECONDS SKIPPED
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PORT = 5000
_SIZES = (0, 1, 17, 18, 19, 500, 1452)
"""Bytes of UDP: frames of 42 and more bytes, and, in IPv6, as long as they may be."""


def echo() -> dict[str, Any]:
    """UDP of both versions, there and back again; how long it took, in ms, and whether it was the same."""
    times = []
    is_same = True
    for family, address in ((socket.AF_INET, os.environ["SLUICE_PEER"]), (socket.AF_INET6, os.environ["SLUICE_PEER6"])):
        server = _server("_serve_echo", address)
        with socket.socket(family, socket.SOCK_DGRAM) as client:
            client.settimeout(5)
            client.connect((address, _PORT))
            for size in _SIZES:
                sent, begin = os.urandom(size), time.monotonic()
                client.send(sent)
                is_same &= client.recv(2000) == sent
                times.append((time.monotonic() - begin) * 1e3)
        server.terminate()
        server.wait()
    return {"least_ms": min(times), "most_ms": max(times), "is_same": is_same}


def tcp(seconds: float, skipped: float) -> dict[str, Any]:
    """One connection that always has data: what the receiver got per second, and packets that came with CE."""
    server = _server("_serve_tcp", os.environ["SLUICE_PEER"], str(skipped))
    with socket.create_connection((os.environ["SLUICE_PEER"], _PORT)) as client:
        data, end = bytes(1 << 16), time.monotonic() + seconds
        while time.monotonic() < end:
            client.send(data)
    assert server.stdout
    result: dict[str, Any] = json.loads(server.stdout.readline())
    server.wait()
    return result


def _server(name: str, *arguments: str) -> subprocess.Popen[str]:
    """A function of this file in the right namespace, ready."""
    command = ["nsenter", f"--net={os.environ['SLUICE_RIGHT']}", sys.executable, __file__, name, *arguments]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout
    assert server.stdout.readline() == "ready\n"
    return server


def _serve_echo(address: str) -> None:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((address, _PORT))
        print("ready", flush=True)
        while True:
            data, sender = server.recvfrom(2000)
            server.sendto(data, sender)


def _serve_tcp(address: str, skipped: str) -> None:
    """Counts between two reads, the first one when the beginning is over."""
    with socket.create_server((address, _PORT)) as server:
        print("ready", flush=True)
        connection, _ = server.accept()
    room = bytearray(1 << 16)
    begin = first = last = time.monotonic()
    total = 0
    while size := connection.recv_into(room):
        last = time.monotonic()
        if last < begin + float(skipped):
            first = last
        else:
            total += size
    print(json.dumps({"mbps": total * 8e-6 / (last - first), "ce_packets": _ce_packets()}), flush=True)


def _ce_packets() -> int:
    names, values = (
        line.split() for line in Path("/proc/net/netstat").read_text().splitlines() if line.startswith("IpExt:")
    )
    return int(dict(zip(names, values, strict=True))["InCEPkts"])


if __name__ == "__main__":
    done = globals()[sys.argv[1]](*sys.argv[2:] if sys.argv[1].startswith("_") else map(float, sys.argv[2:]))
    if done:
        print(json.dumps(done), flush=True)
