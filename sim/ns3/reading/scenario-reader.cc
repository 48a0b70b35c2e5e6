/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The scenario as a Python dictionary; see the header.
 */

#include "reading/scenario-reader.h"

#include "flows/udp-source.h"
#include "reading/dict-reader.h"
#include "reading/hop-reader.h"

#include "ns3/ipv4-header.h"

#include <array>
#include <map>
#include <set>
#include <stdexcept>

namespace sluice_ns3
{

namespace
{

constexpr DictReader::Range PARETO_SHAPE{1.0001};    //!< shapes that have a mean
constexpr double NO_SHAPE{0};                        //!< no Pareto distribution
constexpr DictReader::Range PACKET_BYTES{64, 65000}; //!< room for headers and one byte
constexpr DictReader::Range QUEUES{0, 4095};         //!< of the largest tile
constexpr DictReader::Range DSCPS{0, 63};            //!< six bits
constexpr DictReader::Range INITIAL_WINDOW{1, 1000}; //!< segments

/**
 * @brief Find a kind of flow by name.
 * @param name the name
 * @return the kind
 */
FlowKind
FindKind(const std::string& name)
{
    static const std::map<std::string, FlowKind> KINDS{{"tcp", FlowKind::TCP},
                                                       {"tcp_onoff", FlowKind::TCP_ONOFF},
                                                       {"udp_cbr", FlowKind::UDP_CBR},
                                                       {"udp_onoff", FlowKind::UDP_ONOFF},
                                                       {"web", FlowKind::WEB},
                                                       {"short", FlowKind::SHORT},
                                                       {"incast", FlowKind::INCAST}};
    const auto found = KINDS.find(name);
    if (found == KINDS.end())
    {
        throw std::invalid_argument(
            "unknown kind of flow '" + name +
            "'; there are tcp, tcp_onoff, udp_cbr, udp_onoff, web, short and incast");
    }
    return found->second;
}

/**
 * @brief Read the ECN field of a flow's packets, from the number of the ECN-capable transport.
 * @param dict the flow's dictionary
 * @return the field: 0 for packets that are not ECN-capable
 */
uint8_t
ReadEcnField(DictReader& dict)
{
    constexpr uint32_t NONE = 2;
    const std::array<uint8_t, 3> fields{ns3::Ipv4Header::ECN_ECT0,
                                        ns3::Ipv4Header::ECN_ECT1,
                                        ns3::Ipv4Header::ECN_NotECT};
    return fields.at(dict.Integer("ect", {0, 1}, NONE));
}

/**
 * @brief Read how a flow's connections are made.
 * @param dict the flow's dictionary
 * @param flow the flow
 */
void
ReadTcp(DictReader& dict, FlowSpec& flow)
{
    constexpr uint32_t NONE = 2;
    const uint32_t ecn = dict.Integer("ecn", {0, 1}, NONE);
    const uint32_t window = dict.Integer("initial_window", INITIAL_WINDOW, 0);
    flow.congestion = dict.Text("congestion", "ns3::TcpNewReno");
    flow.ecn = ecn == NONE ? std::nullopt : std::optional<bool>(ecn == 1);
    flow.initialWindow = window == 0 ? std::nullopt : std::optional<uint32_t>(window);
}

/**
 * @brief Read a flow's direction.
 * @param dict the flow's dictionary
 * @return whether it goes against the direction of the chain
 */
bool
ReadIsBack(DictReader& dict)
{
    const std::string direction = dict.Text("direction", "forth");
    if (direction != "forth" && direction != "back")
    {
        throw std::invalid_argument("unknown direction of a flow '" + direction +
                                    "'; there are forth and back");
    }
    return direction == "back";
}

/// What flows inherit from the scenario.
struct FlowDefaults
{
    double durationS;     //!< latest end
    double accessMbps;    //!< rate of access links
    uint32_t packetBytes; //!< size of a full IP packet
    uint32_t lastHop;     //!< index of the last bottleneck
};

/**
 * @brief Read one flow.
 * @param dict its dictionary
 * @param common what it inherits
 * @return the flow
 */
FlowSpec
ReadFlow(DictReader dict, const FlowDefaults& common)
{
    FlowSpec flow{};
    flow.id = dict.Text("id");
    flow.kindName = dict.Text("kind");
    flow.kind = FindKind(flow.kindName);
    flow.subscriber = dict.Text("subscriber", "");
    flow.queue = dict.Integer("queue", QUEUES, 0);
    flow.dscp = dict.Integer("dscp", DSCPS, 0);
    flow.startS = dict.Number("start_s", NOT_NEGATIVE, 0);
    flow.stopS = dict.Number("stop_s", {flow.startS}, common.durationS);
    flow.accessMbps = dict.Number("access_mbps", POSITIVE, common.accessMbps);
    flow.sourceDelayMs = dict.Number("source_delay_ms", NOT_NEGATIVE);
    flow.sinkDelayMs = dict.Number("sink_delay_ms", NOT_NEGATIVE);
    flow.toHop = dict.Integer("to_hop", {0, double(common.lastHop)}, common.lastHop);
    flow.fromHop = dict.Integer("from_hop", {0, double(flow.toHop)}, 0);
    flow.isBack = ReadIsBack(dict);
    flow.packetBytes = dict.Integer("packet_bytes", PACKET_BYTES, common.packetBytes);
    flow.rttError = dict.Number("rtt_error", NOT_NEGATIVE, 1);

    const bool isUdp = flow.kind == FlowKind::UDP_CBR || flow.kind == FlowKind::UDP_ONOFF;
    if (isUdp)
    {
        flow.rateMbps = dict.Number("rate_mbps", POSITIVE);
        flow.ecnField = ReadEcnField(dict);
        flow.ports = dict.Integer("ports", {1, UdpSource::MOST_PORTS}, 1);
    }
    else
    {
        ReadTcp(dict, flow);
    }
    if (flow.kind == FlowKind::TCP_ONOFF || flow.kind == FlowKind::UDP_ONOFF)
    {
        flow.burstS = dict.Number("burst_s", POSITIVE);
        flow.idleS = dict.Number("idle_s", POSITIVE);
        flow.shape = dict.Number("shape", PARETO_SHAPE, NO_SHAPE);
    }
    if (flow.kind == FlowKind::WEB)
    {
        flow.meanBytes = dict.Number("mean_bytes", {1});
        flow.thinkS = dict.Number("think_s", POSITIVE);
        flow.shape = dict.Number("shape", PARETO_SHAPE, 1.2);
    }
    if (flow.kind == FlowKind::SHORT)
    {
        flow.meanBytes = dict.Number("mean_bytes", {1});
        flow.perS = dict.Number("per_s", POSITIVE);
        flow.shape = dict.Number("shape", PARETO_SHAPE, NO_SHAPE);
    }
    if (flow.kind == FlowKind::INCAST)
    {
        flow.meanBytes = dict.Integer("bytes", {1});
        flow.everyS = dict.Number("every_s", POSITIVE);
    }
    dict.Finish();
    return flow;
}

/**
 * @brief Read the defaults of ns-3 attributes.
 * @param dict their dictionary
 * @return values by path
 */
std::map<std::string, std::string>
ReadDefaults(DictReader dict)
{
    std::map<std::string, std::string> defaults;
    for (const auto& path : dict.Keys())
    {
        if (path == "ns3::TcpSocket::SegmentSize")
        {
            throw std::invalid_argument("defaults: the segment size follows from packet_bytes");
        }
        defaults[path] = dict.Text(path);
    }
    return defaults;
}

/**
 * @brief Refuse two flows of one name.
 * @param flows the flows
 */
void
CheckIds(const std::vector<FlowSpec>& flows)
{
    std::set<std::string> ids;
    for (const auto& flow : flows)
    {
        if (!ids.insert(flow.id).second)
        {
            throw std::invalid_argument("two flows are called '" + flow.id + "'");
        }
    }
}

} // namespace

Scenario
ReadScenario(const pybind11::handle& object)
{
    DictReader dict(object, "scenario");
    Scenario scenario{};
    scenario.seed = dict.Integer("seed", {1});
    scenario.durationS = dict.Number("duration_s", {0.001, 1e6});
    scenario.warmupS = dict.Number("warmup_s", NOT_NEGATIVE, 0);
    if (scenario.warmupS >= scenario.durationS)
    {
        throw std::invalid_argument("scenario.warmup_s must be less than duration_s");
    }
    scenario.sampleIntervalS =
        dict.Number("sample_interval_s", {scenario.durationS / 1e6, scenario.durationS}, 0.1);
    scenario.defaults = ReadDefaults(dict.Dict("defaults"));
    for (auto& hop : dict.Dicts("hops"))
    {
        scenario.hops.push_back(ReadHop(hop));
    }

    DictReader access = dict.Dict("access");
    const FlowDefaults common{.durationS = scenario.durationS,
                              .accessMbps = access.Number("rate_mbps", POSITIVE, 100),
                              .packetBytes = dict.Integer("packet_bytes", PACKET_BYTES, 1000),
                              .lastHop = static_cast<uint32_t>(scenario.hops.size() - 1)};
    scenario.accessQueuePackets = access.Integer("queue_packets", {1}, 10000);
    access.Finish();
    for (auto& flow : dict.Dicts("flows"))
    {
        scenario.flows.push_back(ReadFlow(flow, common));
    }
    CheckIds(scenario.flows);
    dict.Finish();
    return scenario;
}

} // namespace sluice_ns3
