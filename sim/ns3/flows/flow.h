/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One flow at work: its source and sink, and what arrives.
 */

#ifndef FLOW_H
#define FLOW_H

#include "flows/flow-sink.h"
#include "flows/tcp-source.h"
#include "measurement/result.h"
#include "network/topology.h"
#include "reading/scenario.h"

#include "ns3/ipv4-header.h"

namespace sluice_ns3
{

/**
 * @brief Starts the applications of a flow and counts what its sink receives.
 */
class Flow
{
  public:
    /**
     * @brief Install source and sink.
     * @param spec what to send
     * @param ends the hosts
     */
    Flow(const FlowSpec& spec, const FlowEnds& ends);

    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;

    /// @brief End the warm-up.
    void StartMeasuring();

    /**
     * @brief Close an interval of the series.
     * @param intervalS its length
     */
    void Sample(double intervalS);

    /**
     * @brief Get what was measured up to now. Once, at the end.
     * @param measuredS time since the warm-up
     * @return the result
     */
    FlowResult Finish(double measuredS);

    /**
     * @brief Get the round-trip time that a tile is told of.
     * @return the source's smoothed round-trip time in microseconds, times the error that the
     * scenario gives it; 0 before the first sample, where the scenario lets it be unknown, and for
     * UDP
     */
    uint32_t GetRttUs() const;

  private:
    /// @brief Install the source.
    void InstallSource();

    /**
     * @brief Make the source of a flow over TCP.
     * @return the source
     */
    ns3::Ptr<TcpSource> MakeTcpSource() const;

    /**
     * @brief Make the source of a flow over UDP.
     * @return the source
     */
    ns3::Ptr<ns3::Application> MakeUdpSource() const;

    /// @brief Install the sink and count the packets that its host delivers.
    void InstallSink();

    /**
     * @brief A packet has reached the sink's host.
     * @param header its IP header
     * @param packet the rest of it
     * @param interface where it came in
     */
    void PacketArrived(const ns3::Ipv4Header& header,
                       ns3::Ptr<const ns3::Packet> packet,
                       uint32_t interface);

    const FlowSpec& m_spec;           //!< what to send
    const FlowEnds& m_ends;           //!< the hosts
    ns3::Ptr<FlowSink> m_sink;        //!< the sink
    ns3::Ptr<TcpSource> m_tcp;        //!< the source, if it sends over TCP
    ns3::Time m_warmupEnd;            //!< when the warm-up ended
    double m_rttUs{0};                //!< the source's smoothed round-trip time
    uint64_t m_ipBytes{0};            //!< IP bytes that reached the sink
    uint64_t m_warmupIpBytes{0};      //!< the same at the end of the warm-up
    uint64_t m_warmupBytes{0};        //!< application bytes at the end of the warm-up
    uint64_t m_sampledIpBytes{0};     //!< IP bytes at the last sample
    std::vector<double> m_throughput; //!< the series, Mbit/s
};

} // namespace sluice_ns3

#endif /* FLOW_H */
