# SPDX-License-Identifier: Apache-2.0
"""Every configuration of the catalogue against its golden model, and broken cores that this must tell from whole ones.

The recording of each is left in build/conformance for other tools to replay (:mod:`lib.recording`).
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from lib import moments, stimulus
from lib.broken import Fault, scaled
from lib.core_bench import CoreBench, core_source
from lib.core_cycle import Cycle
from lib.recording import Recording
from lib.simulation import BUILD, catalog
from lib.stimulus import Traffic

import sluice_golden
from sluice.pages.evidence import CONFORMANCE
from sluice_golden import Arrival, models

CONFIGS = [c["name"] for c in catalog()["configs"]]
ARRIVALS = 100_000
WALKS = 300
RESETS = 150
SEED = 20260101
GOLDEN, LIB = Path(sluice_golden.__file__).parent, Path(stimulus.__file__).parent

FAULTS = (
    Fault("red", "decay-half-a-percent-off", *scaled("decay_onTable_table", 0.995, 18), within=1_000),
    Fault("red", "rate-half-a-percent-off", *scaled("derived_decay_table", 0.995, 18), within=1_000),
    Fault(
        "red",
        "product-without-low-bit",
        r"(assign stage20_spacing_TOTAL = )(.*);",
        r"\1(\2) & ~52'd1;",
        within=20_000,
    ),
    Fault(
        "red",
        "draw-compared-inclusively",
        r"(_zz_stage21_spacing_OLDER) < (stage21_spacing_TOTAL)",
        r"\1 <= \2",
        within=20_000,
    ),
    Fault(
        "red",
        "time-without-high-bit",
        r"(stage1_decay_IDLE_NS) >>> 6'd36",
        r"(\1 & ~(64'd1 << 63)) >>> 6'd36",
        within=60_000,
    ),
    Fault(
        "blue",
        "refused-taken-for-overlimit",
        r"(settled_fate == )Fate_OVERLIMIT",
        r"\1Fate_REFUSED",
        within=2_000,
    ),
    Fault(
        "blue",
        "overlimit-not-heard",
        r"(settled_valid && )\(settled_fate == Fate_OVERLIMIT\)",
        r"\1 0",
        within=2_000,
    ),
    Fault("blue", "idle-forgotten", r"(onEvent_isIdle <= )\(idle_valid", r"\1(1'b0", within=2_000),
    Fault("blue", "idle-begun-again", r"(onEvent_isIdleBegun <= )(.*);", r"\1 idle_valid;", within=20_000),
    Fault("blue", "idle-too-long-unseen", r"\|\| onIdle_onDivide_isTooLong", "", within=20_000),
    Fault(
        "choke-3",
        "flow-compared-without-high-bit",
        r"(arrival_samples_\d_payload_flow) == (arrival_packet_flow)",
        r"\1[30:0] == \2[30:0]",
        within=20_000,
    ),
    Fault(
        "choke-3", "victim-of-the-next-packet", r"(assign verdict_victim_payload = stage)23", r"\g<1>22", within=1_000
    ),
    Fault("choke-3", "match-counts", r"&& \(! stage\d+_IS_CAUGHT\)", "", within=1_000),
    Fault("fred", "strikes-never-forgotten", r"(\.io_cleared_valid +\()onFlow_flows_ends", r"\g<1>1'b0", within=60_000),
    Fault(
        "fred",
        "departure-always-sampled-alone",
        r"(assign onSample_hasDeparture = \()onSample_isWaiting",
        r"\g<1>1'b0",
        within=2_000,
    ),
    Fault(
        "fred",
        "old-average-right-after-a-decay",
        r"(stage11_onAverage_AVERAGE = \()onAverage_isJustDecayed",
        r"\g<1>1'b0",
        within=2_000,
    ),
    Fault(
        "fred", "acceptance-beside-a-departure-begins", r"(_zz_onFlow_flows_isSame <= ).*;", r"\1 1'b0;", within=60_000
    ),
    Fault(
        "ured",
        "sample-of-the-clock-before-unseen",
        r"(assign onOwn_averages_isAgain = \().*;",
        r"\1 1'b0);",
        within=2_000,
    ),
    Fault("ured", "four-tunnels-are-few", r"(onFlow_flows_active) < 11'h004", r"\1 < 11'h005", within=20_000),
    Fault(
        "ured",
        "draw-compared-inclusively-by-product",
        r"(_zz_stage31_onTest_IS_HIT) < (stage31_onTest_THRESHOLD)",
        r"\1 <= \2",
        within=20_000,
    ),
    Fault(
        "codel",
        "restart-ignored",
        r"(onDecide_isCounted = \(head3_isValid && )\(! onDecide_isVoid\)",
        r"\1 1'b1",
        within=5_000,
    ),
    Fault(
        "codel", "first-above-inclusively", r"(state_firstAbove\[31 : 0\]) < (head2_NOW)", r"\1 <= \2", within=60_000
    ),
    Fault("codel", "set-a-clock-before", r"(onDecide_isOver = \()onDecide_isSetByLast", r"\1 1'b0", within=5_000),
    Fault(
        "cobalt",
        "overflow-of-the-same-clock-unseen",
        r"(state_isSetToNow <= \(.* \|\| )\w+",
        r"\1 1'b0",
        within=20_000,
    ),
    Fault("cobalt", "begin-of-the-clock-before-unseen", r"(state_isSetToUntil <= )\(.*;", r"\1 1'b0;", within=20_000),
    Fault("cobalt", "step-due-before-an-overflow", r"if\(onStep_isOwed\)", r"if(1'b1)", within=60_000),
    Fault("cobalt", "last-packet-dropped", r"(head5_IS_BLUE && )\(! head5_IS_LAST\)", r"\1 1'b1", within=20_000),
    Fault(
        "sred",
        "zombie-of-the-clock-before-unseen",
        r"(assign stage4_list_IS_PLACE_BEFORES = )\(list_onCompare_isWrite",
        r"\1(1'b0",
        within=60_000,
    ),
    Fault("sred-full", "inverse-half-a-percent-off", *scaled("onFlows_inverse_table", 0.995, 18), within=2_000),
    Fault(
        "sred-full",
        "hit-weighed-inclusively",
        r"(stage23_onHit_WEIGHED) < (stage23_onScale_SCALED)",
        r"\1 <= \2",
        within=60_000,
    ),
    Fault("rem", "draw-compared-inclusively-by-size", r"(_IS_TAKEN = \(\w+) < ", r"\1 <= ", within=60_000),
    Fault("rem", "count-not-begun-anew", r"(state_onCount_count <= \()onTick_tick", r"\g<1>1'b0", within=2_000),
    Fault("rem-head", "marked-by-its-own-draw", r"(head0_\w+_DRAW = )(head_packet_tag)", r"\1~\2", within=20_000),
    Fault("pi", "queue-before-forgotten", r"onQueue_old <= onQueue_now", r"onQueue_old <= 34'd0", within=5_000),
    Fault(
        "step",
        "threshold-compared-inclusively",
        r"(threshold_packets_at0) < (arrival_queue_packets)",
        r"\1 <= \2",
        within=5_000,
    ),
    Fault(
        "wred", "draw-compared-inclusively", r"(stage10_onRamp_test_IS_TAKEN_2)\}\);", r"\1} - 64'd1);", within=100_000
    ),
    Fault(
        "wred",
        "upper-threshold-passed",
        r"(_IS_BEYOND_1\} - \{1'b0,stage6_onProfile_HIGH\})",
        r"\1 - 27'd1",
        within=20_000,
    ),
    Fault(
        "wred",
        "marked-by-the-drops-ramp",
        r"(stage1_onProfile_TOP = \()stage1_onProfile_IS_MARKING",
        r"\g<1>1'b0",
        within=20_000,
    ),
    Fault(
        "wred-1k", "average-blind-to-the-clock-before", r"(onAverage_many_isAgain = ).*;", r"\1 1'b0;", within=20_000
    ),
    Fault(
        "wred-1k",
        "profiles-outlive-a-reset",
        r"(onProfile_profiles_isSet <= )16'h0;",
        r"\1 onProfile_profiles_isSet;",
        within=40_000,
    ),
    Fault("pi2", "lesser-draw-counts", r"(stage0_onDraw_IS_FIRST_LESS = )", r"\1 ! ", within=2_000),
    Fault("pi2-head", "idle-not-heard", r"(head_valid \|\| )idle_valid", r"\1 1'b0", within=20_000),
    Fault("dualpi2", "overload-from-one-on", r"(onCouple_below != 32'h0)", r"1'b1", within=110_000),
    Fault("dualpi2", "who-leaves-nothing-has-waited", r"(waits_leaving_isAlone <= ).*;", r"\1 1'b0;", within=20_000),
    Fault(
        "dualpi2",
        "ramp-compared-inclusively",
        r"({1'b0,stage5_onNative_NATIVE\[31 : 0\]})",
        r"(\1 + 1'b1)",
        within=110_000,
    ),
    Fault("pie", "no-room-not-heard", r"(onArrival_isOver = \(settled_valid && ).*;", r"\1 1'b0);", within=20_000),
    Fault("pie", "tenth-not-halved", r"41'h0199999999a", "41'h00400000000", within=20_000),
    Fault("avq", "refused-counts", r"\(settled_fate != Fate_REFUSED\)", r"1'b1", within=5_000),
    Fault("avq", "capacity-not-begun-anew", r"(onCapacity_restart_valid = )(.*);", r"\1 1'b0;", within=20_000),
    Fault(
        "black",
        "hit-of-the-clock-before-unseen",
        r"(assign when_HbfHits_l\d+ = )stage13_cache_hits_onHit_IS_SAME\[0\]",
        r"\1 1'b0",
        within=2_000,
    ),
    Fault(
        "black",
        "kept-by-one-hit-more",
        r"! \((cache_hits_onSecond_older_hits) < (stage13_PERIOD_least)\)",
        r"\2 < \1",
        within=5_000,
    ),
    Fault(
        "black",
        "flow-that-just-entered-compared-without-high-bit",
        r"(cache_onEnter_last_flow) == (stage7_FLOW)",
        r"\1[30:0] == \2[30:0]",
        within=60_000,
    ),
    Fault(
        "black",
        "draw-compared-inclusively",
        r"(\$signed\(_zz_onDecide_isUnfair\)) < (\$signed\(stage20_onWeigh_EXCESS\))",
        r"\1 <= \2",
        within=20_000,
    ),
    Fault(
        "black",
        "victim-may-go-twice",
        r"(onEnter_victim_isRival = .*)cache_onEnter_victim_isThere",
        r"\1 1'b0",
        within=60_000,
    ),
    Fault(
        "purge",
        "refused-raises-the-price",
        r"(onRem_accepted_valid <= \(settled_valid && \()settled_fate == Fate_ACCEPTED",
        r"\g<1>1'b1",
        within=5_000,
    ),
    Fault(
        "purge",
        "share-compared-inclusively",
        r"(_zz_stage23_onDecide_IS_UNFAIR) < (stage23_onWeigh_WHOLE)",
        r"\1 <= \2",
        within=60_000,
    ),
    Fault(
        "purge",
        "theta-compared-inclusively",
        r"(_zz_stage19_onWeigh_IS_HIGH) < (_zz_stage19_onWeigh_IS_HIGH_1)",
        r"\1 <= \2",
        within=60_000,
    ),
    Fault(
        "purge",
        "persists-an-interval-longer",
        r"(onCongestion_run) < (persistence_at20)",
        r"\1 <= \2",
        within=60_000,
    ),
    Fault(
        "purge",
        "last-sample-of-a-window-forgotten",
        r"(onFlows_before <= )onFlows_counted",
        r"\1onFlows_sampled",
        within=60_000,
    ),
)


def traffic(config: str, arrivals: int) -> Traffic:
    """The traffic that every configuration sees, or its beginning."""
    made = Traffic(CoreBench(config), random.Random(SEED))
    made.play(arrivals)
    return made


def complete(config: str) -> Traffic:
    """All of it: with what chance has not toggled, with resets, and where the model itself leads."""
    made = traffic(config, ARRIVALS)
    made.toggle_the_rest()
    made.be_reset(RESETS)
    made.walk(WALKS)
    return made


def left(config: str) -> Path:
    """Where the recording of that traffic is left."""
    return BUILD / "conformance" / config / "traffic.npz"


def recorded(config: str, arrivals: int) -> Recording:
    """The beginning of that traffic, up to the verdict of the last of so many arrivals: what `test_traffic` has left, or made now
    where that is older than what it hangs on."""
    file = left(config)
    sources = (core_source(config), Path(__file__), *GOLDEN.rglob("*.py"), *LIB.glob("*.py"))
    if not file.exists() or file.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        complete(config).bench.recording().save(file)
    whole = Recording.load(file)
    return whole.until(np.flatnonzero(whole.outputs["verdict_valid"])[arrivals - 1] + 1)


@pytest.mark.parametrize("config", CONFIGS)
def test_traffic(config: str) -> None:
    """Bit-exact over random traffic; and the traffic has been everywhere. What it was is left as evidence."""
    CONFORMANCE.forget(config)
    for table in models()[config].tables:
        table.forget()
    made = complete(config)
    bench = made.bench
    recording = bench.check()
    recording.save(left(config))
    for port, mask in recording.masks.items():
        assert mask.any(), f"nothing was compared with {port}"
    assert not moments.missing(bench), moments.missing(bench)
    for reason in (*bench.model.reasons, *bench.model.head_reasons):
        assert bench.verdicts[reason.reason] >= 20, f"'{reason.reason}' hardly happened"
    assert made.beside >= 500 * bool(bench.model.random_words)
    unread = bench.golden.unread()
    assert not unread, f"of tables {len(unread)} entries were never read: {unread[:10]}"
    CONFORMANCE.leave(config=config, **bench.counted())


@pytest.mark.parametrize("config", CONFIGS)
def test_one_per_clock(config: str) -> None:
    """A thousand arrivals of one flow without a gap, from reset on: a verdict in every clock, at the declared latency."""
    bench, rng = CoreBench(config), random.Random(SEED)
    for i in range(1000):
        words = tuple(rng.getrandbits(32) for _ in range(bench.model.random_words))
        samples = tuple(rng.choice((7, 8, None)) for _ in range(bench.model.samples))
        arrival = Arrival(4 * i, 7, 64, ecn=0, queue_packets=i // 8, queue_bytes=8 * i, random=words, samples=samples)
        bench.step(Cycle(arrival))
    assert bench.check().outputs["verdict_valid"].sum() == 1000


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_noticed(fault: Fault) -> None:
    """In a broken core, within so many arrivals."""
    recording = recorded(fault.config, fault.within)
    assert recording.first_mismatch(fault.player().run(recording.inputs)) is not None


@pytest.mark.parametrize("config", CONFIGS)
def test_a_copy_of_a_model_goes_its_own_way(config: str) -> None:
    """What the bench looks ahead with must not touch the model. Two that have gone one way are equal, which ends a look."""
    bench = traffic(config, 500).bench
    before = bench.golden.fork()
    ahead = [bench.golden.fork() for _ in range(2)]
    arrivals = [judged.arrival for judged in bench.judged[-200:]]
    seen = [[(model.arrive(a), model.status()) for a in arrivals] for model in ahead]
    assert ahead[0] == ahead[1]
    assert seen[0] == seen[1] == [(before.arrive(a), before.status()) for a in arrivals]
