# SPDX-License-Identifier: Apache-2.0
"""Tiles that tell a witness something wrong, or do not do what it says: the tile's random traffic must notice each.

One build of a tile has all of its faults, and a run chooses one.
"""

from __future__ import annotations

import pytest
from lib.broken import Choice, told, with_choices
from lib.simulation import RTL, copy_of, outcome

from sluice.support import paths

FAULTS = {
    "head-witness": (
        Choice("refused told as over the limit", told("settled_fate"), "{0} == 2'd1 ? 2'd2 : {0}"),
        Choice(
            "departed told a clock early",
            r"(\.departed_valid +\()(\S+)( *\), //i)",
            "onVerdict_admission_departed_valid",
        ),
        Choice("dropped at the head told as sent", told("departed_is_sent"), "1'b1"),
        Choice("tag without its lowest bit in the ring", told("io_push_payload_tag"), "{} & 9'h1fe"),
        Choice("restart ignored", told("io_restart_valid"), "1'b0"),
        Choice("restart from the packet itself", told("io_restart_payload"), "{} - 7'd1"),
        Choice("head counts itself as behind", told("head_queue_packets"), "{} + 18'd1"),
        Choice("head's mark lost", told("io_resolved_payload_descriptor_isCe"), "1'b0"),
        Choice("limit with another lowest bit", told("arrival_limit"), "{} ^ 18'd1"),
    ),
    "out-witness": (
        Choice("pushed out told as refused", told("pushed_out_fate"), "2'd1"),
        Choice("pushed out not told", told("pushed_out_valid"), "1'b0"),
        Choice("tombstone told as departed", r"(&& )(\(! \w+_payload_isTombstone\))(\);)", "1'b1"),
        Choice("tombstone still counted", r"(\()(onVerdict_thrown_valid_regNext)( \? \w+_ofPackets_\w+)", "1'b0"),
        Choice("wrong victim", r"(case\()(core_verdict_victim_payload)(\))", "~{}"),
        Choice("sample of nothing", told("arrival_samples_0_valid"), "1'b1"),
        Choice("tag without its lowest bit", told("settled_packet_tag"), "{} & 5'h1e"),
    ),
}


@pytest.mark.parametrize("config", FAULTS)
def test_faults_are_noticed(config: str) -> None:
    """And a copy without any passes."""
    top, bench, faults = paths.module("tile", config), f"broken-{config}", FAULTS[config]
    copy = copy_of(RTL / config / f"{top}.sv", bench, with_choices(RTL / config / f"{top}.sv", faults))

    def is_noticed(number: int) -> bool:
        ran, failed, log = outcome(
            copy,
            "tile.tile_contract",
            bench=bench,
            parameters={"SLUICE_CONFIG": config},
            inside=("core",),
            only="random_traffic",
            plusargs=[f"+fault={number}"],
        )
        assert ran == 1, log
        return failed == 1

    assert not is_noticed(0)
    missed = [fault.name for number, fault in enumerate(faults, 1) if not is_noticed(number)]
    assert not missed
