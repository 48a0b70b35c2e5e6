# SPDX-License-Identifier: Apache-2.0
"""Servers for the tests of this folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from built import built
from registers_host import Host, Serve

from sluice import paths


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server with these datapaths; it must end without a fault."""
    with ExitStack() as stack:

        def start(*datapaths: str) -> Host:
            # Not tmp_path: an address has room for 107 characters.
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sluice-")))
            program = built(paths.build() / "sanitize" / "live" / "registers-host")
            libraries = [built(paths.models() / name / "libsluice_datapath.so") for name in datapaths]
            host = Host(program, folder / "socket", libraries)
            stack.callback(lambda: _end(host))
            return host

        yield start


def _end(host: Host) -> None:
    assert host.process.poll() is not None or host.close() == 0
