/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over UDP and do not care for congestion: constant bit rate, and bursts.
 */

#ifndef UDP_SOURCE_H
#define UDP_SOURCE_H

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace sluice_ns3
{

/**
 * @brief One packet every packet time of the rate, each from the next of some ports.
 *
 * It writes the UDP header itself, since a socket has one port and many sockets are slow to make.
 */
class UdpSource : public ns3::Application
{
  public:
    /// Source ports that there are: those which ns-3 gives to sockets.
    static constexpr uint32_t MOST_PORTS = 16382;

    /**
     * @brief Say where and how to send.
     * @param sink address of the sink
     * @param rateMbps IP packets times their size
     * @param packetBytes size of an IP packet
     */
    void Configure(ns3::Ipv4Address sink, double rateMbps, uint32_t packetBytes);

    /**
     * @brief Say what is in the headers.
     * @param dsField DSCP and ECN field
     * @param ports number of source ports
     */
    void SetHeaders(uint8_t dsField, uint32_t ports);

  protected:
    void DoDispose() override;

    /**
     * @brief Get the time from one packet to the next at the rate.
     * @return packet size over rate
     */
    ns3::Time GetPacketTime() const;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /**
     * @brief Choose the time from the start to the first packet.
     * @return zero
     */
    virtual ns3::Time FirstGap();

    /**
     * @brief Choose the time from the packet just sent to the next.
     * @return the packet time of the rate
     */
    virtual ns3::Time NextGap();

    /// @brief Send a packet and schedule the next.
    void SendNext();

    ns3::Ipv4Address m_sink;   //!< where to send
    double m_rateMbps{0};      //!< rate
    uint32_t m_packetBytes{0}; //!< size of an IP packet
    uint8_t m_dsField{0};      //!< DSCP and ECN field
    uint32_t m_ports{1};       //!< source ports
    uint32_t m_port{0};        //!< number of the next packet's
    ns3::Ptr<ns3::Ipv4> m_ip;  //!< what sends
    ns3::Ipv4Address m_source; //!< from where
    ns3::EventId m_next;       //!< the next packet
};

/**
 * @brief ns-2's Pareto and exponential on/off sources: bursts at the rate, with idle times between
 * them.
 *
 * A burst has max(1, round(X)) packets, where X has a mean of burst time over packet time; X and
 * the idle time before the burst are of one kind of distribution. The source starts idle.
 */
class BurstSource : public UdpSource
{
  public:
    /**
     * @brief Say how bursts go. After Configure().
     * @param burstS mean length of a burst
     * @param idleS mean idle time
     * @param shape shape of both Pareto distributions, more than 1; 0: exponential ones
     */
    void SetBursts(double burstS, double idleS, double shape);

  private:
    ns3::Time FirstGap() override;
    ns3::Time NextGap() override;

    ns3::Ptr<ns3::RandomVariableStream> m_burst; //!< packets in a burst
    ns3::Ptr<ns3::RandomVariableStream> m_idle;  //!< idle times in seconds
    uint64_t m_packetsLeft{0};                   //!< packets of this burst after the next one
};

} // namespace sluice_ns3

#endif /* UDP_SOURCE_H */
