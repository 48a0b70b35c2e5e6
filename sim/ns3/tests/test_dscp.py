# SPDX-License-Identifier: GPL-2.0-only
"""The DSCP of each packet reaches the tile, beside its ECN field. Needs the model of wred-1k."""

from __future__ import annotations

import pytest

from sluice.hardware.registers import RegisterMap
from sluice.support import paths

DELAYS = {"source_delay_ms": 2, "sink_delay_ms": 2}
YELLOW, RED = 12, 14
COLOURS = {"dscp_colours0": 1 << 2 * YELLOW | 2 << 2 * RED}
NOTHING = {"enable": 0, "ecn": 0}
DROPS_ALL = {"enable": 1, "min_threshold": 1, "max_threshold": 1, "ecn": 0}
"""But for what finds an empty queue."""
MARKS = {"enable": 0, "ecn": 1, "ecn_min_threshold": 10_000, "ecn_max_threshold": 10_000}

KINDS = [
    {"kind": "tcp"},
    {"kind": "tcp_onoff", "burst_s": 1, "idle_s": 0.2, "shape": 1.5},
    {"kind": "udp_cbr", "rate_mbps": 0.5},
    {"kind": "udp_onoff", "rate_mbps": 0.5, "burst_s": 0.2, "idle_s": 0.2},
    {"kind": "web", "mean_bytes": 3000, "think_s": 0.2},
    {"kind": "short", "mean_bytes": 3000, "per_s": 5},
    {"kind": "incast", "bytes": 3000, "every_s": 0.5},
]


def words(*profiles, colours=None):
    """The colours, profiles from number 1 on, and queue 0 with the first for green packets, the second for yellow ones."""
    registers = RegisterMap.load(paths.made(paths.register_map("wred-1k")))
    where = registers.addresses | {name: field.address for name, field in registers.parameters.items()}
    chosen = sum(number << 4 * place for place, number in enumerate(range(1, 1 + len(profiles))))
    sets = [COLOURS if colours is None else colours, *({"profile": i} | its for i, its in enumerate(profiles, 1))]
    written = [pair for its in sets for pair in [*its.items(), ("COMMIT", 1)]]
    written += [("QUEUE_SELECT", 0), ("SELECTED_PROFILE", chosen)]
    return ",".join(f"{where[name]:x}={word:x}" for name, word in written)


def tile(text, *attributes):
    model = f"Model={paths.made(paths.model('wred-1k'))}"
    return f"ns3::SluiceQueueDisc[{'|'.join([model, 'Parameters=enable=false', *attributes, f'Words={text}'])}]"


def by_name(result):
    return {flow["id"]: flow | result["hops"][0]["by_flow"][flow["id"]] for flow in result["flows"]}


@pytest.mark.parametrize("colour", ["yellow", "red"])
def test_each_kind_of_flow_has_its_colour(simulate, dumbbell, colour):
    """Where green flows fill the link and nothing else overflows, packets of one colour are dropped, and of like flows none."""
    profiles = {"yellow": [NOTHING, DROPS_ALL, NOTHING], "red": [NOTHING, NOTHING, DROPS_ALL]}[colour]
    scenario = dumbbell(tile(words(*profiles), "MaxSize=4000p"), duration_s=10)
    scenario["defaults"] |= {"ns3::TcpSocket::ConnTimeout": "500ms", "ns3::TcpSocket::SndBufSize": "20000"}
    loud = {"id": "loud", "kind": "udp_cbr", "rate_mbps": 9.9} | DELAYS
    scenario["flows"] = [
        loud,
        *({"id": f"green-{kind['kind']}", "start_s": 1} | kind | DELAYS for kind in KINDS),
        *(
            {"id": f"{name}-{kind['kind']}", "start_s": 1, "dscp": dscp} | kind | DELAYS
            for name, dscp in (("yellow", YELLOW), ("red", RED))
            for kind in KINDS
        ),
    ]
    flows = by_name(simulate(scenario))
    for name, flow in flows.items():
        assert flow["arrived"] > 1, name
        assert flow["dropped"] == (flow["arrived"] if name.startswith(f"{colour}-") else 0), name


@pytest.mark.parametrize("congestion", ["ns3::TcpNewReno", "ns3::TcpDctcp", "ns3::TcpPragueLike"])
def test_ecn_is_the_same_beside_a_dscp(simulate, dumbbell, congestion):
    """Each packet fares as it does without, where the colour of both is green; some are marked, and none is dropped."""

    def run(more):
        scenario = dumbbell(tile(words(MARKS), "MaxSize=4000p"), ecn=True)
        udp = {"id": "udp", "kind": "udp_cbr", "rate_mbps": 1, "ect": 1, "start_s": 1} | DELAYS
        scenario["flows"] = [
            flow | more for flow in [*({**f, "congestion": congestion} for f in scenario["flows"]), udp]
        ]
        result = simulate(scenario)
        hop = result["hops"][0]
        return result["flows"], hop["by_flow"], hop["marks"], hop["drops"]

    without, with_one = run({}), run({"dscp": 10})
    assert without == with_one
    assert sum(without[2].values()) > 100
    assert without[3] == {}


def test_the_colour_decides_who_is_marked(simulate, dumbbell):
    """By a profile that only yellow packets have: those of green flows pass as they came."""
    marks = []
    for dscp in (10, YELLOW):
        scenario = dumbbell(tile(words(NOTHING, MARKS), "MaxSize=4000p"), ecn=True)
        for flow in scenario["flows"]:
            flow["dscp"] = dscp
        marks.append(sum(simulate(scenario)["hops"][0]["marks"].values()))
    assert marks[0] == 0
    assert marks[1] > 100


def test_acknowledgements_have_none(simulate, dumbbell):
    """Of a flow that goes back they alone meet the AQM, which drops nothing of theirs."""
    scenario = dumbbell(tile(words(NOTHING, NOTHING, DROPS_ALL), "MaxSize=4000p"))
    loud = {"id": "loud", "kind": "udp_cbr", "rate_mbps": 10.5} | DELAYS
    scenario["flows"] = [loud, {"id": "back", "kind": "tcp", "dscp": RED, "direction": "back"} | DELAYS]
    back = by_name(simulate(scenario))["back"]
    assert back["arrived"] > 100
    assert back["dropped"] == 0


@pytest.mark.parametrize("dscp", [64, -1, 1.5, "AF11"])
def test_a_wrong_dscp(refusal, dumbbell, dscp):
    scenario = dumbbell("ns3::FifoQueueDisc[MaxSize=50p]")
    scenario["flows"][1]["dscp"] = dscp
    assert "scenario.flows[1].dscp must be" in refusal(scenario)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("30", "words: '30' is not ADDRESS=WORD in hexadecimal"),
        ("30=0,,34=0", "words: '' is not ADDRESS=WORD in hexadecimal"),
        ("30=few", "words: '30=few' is not ADDRESS=WORD in hexadecimal"),
        ("30=100000000", "words: '30=100000000' is not ADDRESS=WORD in hexadecimal"),
        ("30=-1", "words: '30=-1' is not ADDRESS=WORD in hexadecimal"),
        ("0x4=0", "the registers refuse a write at address 0x004"),
        ("31=0", "the registers refuse a write at address 0x031"),
        (
            words(NOTHING, NOTHING | {"min_threshold": 20, "max_threshold": 10}),
            "words: the model refused what was committed as number 3: min_threshold_within_max",
        ),
    ],
)
def test_wrong_words(refusal, dumbbell, text, reason):
    assert reason in refusal(dumbbell(tile(text)))
