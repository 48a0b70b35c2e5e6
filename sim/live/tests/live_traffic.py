# SPDX-License-Identifier: Apache-2.0
"""Traffic of a live run, as its command: a client in the left namespace, its server in the right one. Prints JSON.

python live_traffic.py echo | tcp SECONDS SKIPPED | mixed SECONDS SKIPPED
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_PORT = 5000
_UDP_BYTES = 1000
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


def mixed(seconds: float, skipped: float) -> dict[str, Any]:
    """25 connections that always have data, and UDP of 1 Mbit/s that heeds nothing: what the receiver got of either."""
    peer = (os.environ["SLUICE_PEER"], _PORT)
    server = _server("_serve_mixed", peer[0], str(skipped))
    data, period_s = bytes(1 << 16), _UDP_BYTES * 8e-6
    with selectors.DefaultSelector() as ready, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        for _ in range(25):
            client = socket.create_connection(peer)
            client.setblocking(False)
            ready.register(client, selectors.EVENT_WRITE)
        begin = due = time.monotonic()
        while (now := time.monotonic()) < begin + seconds:
            if now >= due:
                udp.sendto(bytes(_UDP_BYTES), peer)
                due += period_s
            for key, _ in ready.select(max(0, due - time.monotonic())):
                with contextlib.suppress(BlockingIOError):
                    key.fileobj.send(data)  # type: ignore[union-attr]
        clients = [key.fileobj for key in ready.get_map().values()]
    for each in clients:
        each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # type: ignore[union-attr]
        each.close()  # type: ignore[union-attr]
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


def _serve_mixed(address: str, skipped: str) -> None:
    """Ends when nothing comes any more."""
    totals = {"udp": 0, "tcp": 0}
    with selectors.DefaultSelector() as ready, socket.create_server((address, _PORT), backlog=64) as server:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind((address, _PORT))
        for each, name in ((server, "accept"), (udp, "udp")):
            ready.register(each, selectors.EVENT_READ, name)
        print("ready", flush=True)
        begin = first = last = time.monotonic()
        while events := ready.select(2):
            now = time.monotonic()
            for key, _ in events:
                if key.data == "accept":
                    ready.register(server.accept()[0], selectors.EVENT_READ, "tcp")
                    continue
                try:
                    size = len(key.fileobj.recv(1 << 16))  # type: ignore[union-attr]
                except ConnectionResetError:
                    size = 0
                if size == 0:
                    ready.unregister(key.fileobj)
                elif now < begin + float(skipped):
                    first = now
                else:
                    totals[key.data] += size
                    last = now
    print(json.dumps({f"{name}_mbps": total * 8e-6 / (last - first) for name, total in totals.items()}), flush=True)


def _ce_packets() -> int:
    names, values = (
        line.split() for line in Path("/proc/net/netstat").read_text().splitlines() if line.startswith("IpExt:")
    )
    return int(dict(zip(names, values, strict=True))["InCEPkts"])


if __name__ == "__main__":
    done = globals()[sys.argv[1]](*sys.argv[2:] if sys.argv[1].startswith("_") else map(float, sys.argv[2:]))
    if done:
        print(json.dumps(done), flush=True)
