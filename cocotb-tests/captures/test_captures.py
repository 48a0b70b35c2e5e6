# SPDX-License-Identifier: Apache-2.0
"""The RTL parser against other dissectors, field by field: against scapy on a capture that is made here, and where they are
at hand against tshark on every capture of a reference folder, which SLUICE_CAPTURES names.

Frames of these classes are left out, because tshark and the parser mean to differ there:
  other link types, and frames longer than the datapath takes;
  encapsulations that the parser does not know: FabricPath, VN-Tag, E-Tag, NSH, MACsec, more than two VLAN tags, more than four
    MPLS labels, VXLAN or Geneve inside another tunnel;
  IP headers that are cut or contradict themselves, of which tshark shows the part that is there; IPv6 with a payload
    length of 0 that tshark does not believe;
  transport headers that tshark does not look into because it calls the packet malformed.
Of all others every field must be the same.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from datapath.frames import dissected
from lib.simulation import ROOT

from sluice.hardware.datapaths import find
from sluice.packets import capture, frame_table
from sluice.packets.datapath import Datapath
from sluice.support.errors import UserError
from sluice_golden.packets.frame_parser import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(os.environ.get("SLUICE_CAPTURES", ROOT.parent / "shared" / "reference" / "pcaps" / "open"))
MOST_EXCLUDED = 0.01
UNKNOWN = {"cfp", "vntag", "etag", "nsh", "erspan", "ieee8021ah", "macsec"}
COLUMNS = tuple(
    name for name in frame_table.COLUMNS[: frame_table.COLUMNS.index("time_epoch")] if name not in {"file", "frame"}
)


Truth = dict[str, dict[str, dict[str, str]]]
"""A dissection by file and frame."""


def tsharks() -> Iterator[dict[str, str]]:
    """tshark's rows."""
    with gzip.open(FOLDER / "frames.tsv.gz", "rt") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


@pytest.fixture(params=["scapy", *(["tshark"] if FOLDER.is_dir() else [])])
def judged(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Truth]:
    """Captures in a folder, and what a dissector says of them."""
    truth: Truth = defaultdict(dict)
    folder = tmp_path if request.param == "scapy" else FOLDER
    for row in dissected.rows(tmp_path, 400) if request.param == "scapy" else tsharks():
        truth[row["file"]][row["frame"]] = row
    return folder, truth


def is_ethernet(frames: dict[str, dict[str, str]]) -> bool:
    """Whether a capture has any frame for a datapath."""
    return any(row["protocols"].startswith("eth") for row in frames.values())


def excluded(seen: dict[str, str], shown: dict[str, str]) -> str:
    """The class of a frame that is left out, or nothing."""
    layers = shown["protocols"].split(":")
    if seen.get("reason") == "Oversize drop":
        return "longer than the datapath takes"
    if UNKNOWN & set(layers):
        return "unknown encapsulation"
    if seen["outcome"] == "deep":
        return "deeper than the parser looks"
    if seen["outcome"] in {"cut", "bad_ip"}:
        return "cut or bad header"
    if "ipv6.plen_zero" in shown["expert"]:
        return "IPv6 without a length"
    if seen.get("sport") and not shown["sport"]:
        return "malformed to tshark"
    if ("vxlan" in layers and "vxlan_vni" in seen) or layers.count("udp") > 1:
        return "" if shown["vxlan_vni"] == seen.get("vxlan_vni", "") else "tunnel inside a tunnel"
    return ""


def equal(column: str, seen: dict[str, str], shown: dict[str, str]) -> bool:
    """Whether a field is the same, or one that only one side has by design."""
    if column == "l4_off" and not shown["sport"]:
        return True  # tshark also has it for ICMP
    if column == "ip_id" and shown["ip_version"] == "6":
        return True  # tshark shows the fragment header's
    if column == "ip_totlen" and seen.get("ip_totlen") == "0":
        return True  # left to the hardware by the sender; tshark takes the frame's
    if column == "ethertype" and shown["ethertype"] == "0x0000":
        return True  # to the parser a length
    return seen.get(column, "") == shown[column]


def test_every_field(judged: tuple[Path, Truth]) -> None:
    """All frames of all captures; each leaves byte for byte as it came."""
    folder, truth = judged
    library = find("red-512").library
    classes: Counter[str] = Counter()
    differing: list[str] = []
    for name, frames in sorted(truth.items()):
        if not is_ethernet(frames):
            with pytest.raises(UserError, match="Ethernet"):
                capture.read(folder / name)
            continue
        came = capture.read(folder / name)
        model = Datapath(library)
        outcome = model.replay(came, np.zeros(len(came), np.uint64), lambda _: None)
        model.close()
        for i, seen in enumerate(frame_table.rows(came, outcome, {})):
            shown = frames[seen["frame"]]
            part = slice(int(came.offset[i]), int(came.offset[i]) + int(came.length[i]))
            if seen["verdict"] == "pass":
                assert np.array_equal(came.data[part], outcome.output[part]), f"{name} frame {seen['frame']}"
            # The golden parser, written from the standards alone, must call the frame the same before it may be left out.
            assert seen.get("outcome", "") in {"", parse(came.data[part].tobytes()).outcome}, (
                f"{name} frame {seen['frame']}"
            )
            reason = excluded(seen, shown)
            classes[reason] += 1
            if not reason:
                differing += [
                    f"{name} frame {seen['frame']} {column}: {seen.get(column, '')!r} instead of {shown[column]!r}"
                    for column in COLUMNS
                    if not equal(column, seen, shown)
                ]
    assert not differing, "\n".join(differing[:20])
    left_out = sum(count for reason, count in classes.items() if reason)
    print(dict(classes))
    assert left_out < MOST_EXCLUDED * sum(classes.values()), classes
