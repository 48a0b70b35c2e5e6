# SPDX-License-Identifier: Apache-2.0
"""Upsets that a tile mends and that would last without what mends them, and some of a datapath that last: the tool sees the
difference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sluice.faults.upsets import campaign
from sluice.faults.upsets.outcome import HARMFUL
from sluice.faults.upsets.player import Upset
from sluice.faults.upsets.program import Subject

CONFIG = "droptail"
MEND = re.compile(r"(assign when_Occupancy_l\d+(?:_\d+)? = ).*;")
"""When a count of what is queued begins anew."""

UPSETS = (
    ("onVerdict_admission_ofPackets_taken", 5),
    ("onVerdict_admission_ofPackets_taken", 17),
    ("onVerdict_admission_ofBytes_taken", 25),
    ("onVerdict_admission_ofPackets_returned", 0),
    ("descriptorRing.addresses_tail_value", 8),
    ("descriptorRing.addresses_head_value", 3),
    ("descriptorRing.fetched_rValid", 0),
    ("onArrival_time_latest", 55),
)


DATAPATH = "red-64"
PASSING = (
    ("buffer_1.io_input_payload_data_regNext", 9),
    ("buffer_1.marker.onLocate_arriving_payload_mark_checksum", 3),
    ("buffer_1.marker.onLocate_located_payload_isService", 1),
)
LASTING = (("buffer_1.onTake_pointer", 2), ("buffer_1.onWrite_pointer", 5))


def outcomes(config: str, subject: Subject, name: str, flipped: Sequence[tuple[str, int]]) -> list[str]:
    player = campaign.player(config, subject, name)
    items = {item.name: item for item in player.items}
    clock = player.begin + (player.end - player.begin) // 3
    upsets = [Upset(items[register], 0, bit, clock + 7 * i, False) for i, (register, bit) in enumerate(flipped)]
    return [judged.outcome for judged in campaign.judge(player, config, subject, upsets).judged]


def test_what_is_mended_lasts_without() -> None:
    tile = Subject.tile(CONFIG)
    mended = outcomes(CONFIG, tile, f"test-{CONFIG}", UPSETS)
    assert not set(mended) & set(HARMFUL), dict(zip(UPSETS, mended, strict=True))
    cut, places = MEND.subn(r"\g<1>1'b0;", tile.verilog)
    assert places == 2, "the counts of packets and of bytes"
    lasting = outcomes(CONFIG, replace(tile, verilog=cut), f"test-{CONFIG}-cut", UPSETS)
    assert sum(outcome in HARMFUL for outcome in lasting) >= 5, dict(zip(UPSETS, lasting, strict=True))
    assert {"lost", "leak"} <= set(lasting)


def test_upsets_are_drawn_by_their_seed() -> None:
    player = campaign.player(CONFIG, Subject.tile(CONFIG), f"test-{CONFIG}")
    drawn = campaign.draw(player, 200, 1)
    assert drawn == campaign.draw(player, 200, 1) != campaign.draw(player, 200, 2)
    strata = [campaign.stratum(upset.item, "tile") for upset in drawn]
    assert strata.count("tile") / len(drawn) == pytest.approx(0.38 / 0.94, abs=0.01), "DropTail has no tables"
    assert all(player.begin < upset.clock < player.end for upset in drawn)


def test_a_datapath_that_reads_elsewhere_is_seen() -> None:
    """What is on its way is over with its frame; an address of the packet buffer is wrong until a reset."""
    found = outcomes(DATAPATH, Subject.datapath(DATAPATH), f"test-{DATAPATH}", [*PASSING, *LASTING])
    assert not set(found[: len(PASSING)]) & set(HARMFUL), dict(zip(PASSING, found, strict=False))
    assert set(found[len(PASSING) :]) == {"order"}
