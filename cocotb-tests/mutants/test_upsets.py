# SPDX-License-Identifier: Apache-2.0
"""Upsets that a tile mends and that would last without what mends them: the tool sees the difference."""

from __future__ import annotations

import re

import pytest

from sluice.faults.upsets import campaign
from sluice.faults.upsets.outcome import HARMFUL
from sluice.faults.upsets.player import Upset
from sluice.support import paths

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


def outcomes(verilog: str, name: str) -> list[str]:
    player = campaign.player(CONFIG, verilog, name)
    items = {item.name: item for item in player.items}
    clock = player.begin + (player.end - player.begin) // 3
    upsets = [Upset(items[register], 0, bit, clock + 7 * i, False) for i, (register, bit) in enumerate(UPSETS)]
    return [judged.outcome for judged in campaign.judge(player, CONFIG, verilog, upsets).judged]


def test_what_is_mended_lasts_without() -> None:
    tile = paths.tile_verilog(CONFIG).read_text()
    mended = outcomes(tile, f"test-{CONFIG}")
    assert not set(mended) & set(HARMFUL), dict(zip(UPSETS, mended, strict=True))
    cut, places = MEND.subn(r"\g<1>1'b0;", tile)
    assert places == 2, "the counts of packets and of bytes"
    lasting = outcomes(cut, f"test-{CONFIG}-cut")
    assert sum(outcome in HARMFUL for outcome in lasting) >= 5, dict(zip(UPSETS, lasting, strict=True))
    assert {"lost", "leak"} <= set(lasting)


def test_upsets_are_drawn_by_their_seed() -> None:
    player = campaign.player(CONFIG, paths.tile_verilog(CONFIG).read_text(), f"test-{CONFIG}")
    drawn = campaign.draw(player, 200, 1)
    assert drawn == campaign.draw(player, 200, 1) != campaign.draw(player, 200, 2)
    shares = {name: sum(campaign.stratum(u.item) == name for u in drawn) / len(drawn) for name in campaign.SHARES}
    assert shares["tile"] == pytest.approx(0.38 / 0.94, abs=0.01), "DropTail has no tables"
    assert all(player.begin < upset.clock < player.end for upset in drawn)
