/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over TCP: one endless transfer, or short ones with pauses between them.
 */

#ifndef TCP_SOURCE_H
#define TCP_SOURCE_H

#include "ns3/application.h"
#include "ns3/ipv4-address.h"
#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>

namespace sluice_ns3
{

/**
 * @brief One TCP connection at a time, fed with as many bytes as it takes.
 */
class TcpSource : public ns3::Application
{
  public:
    /// Called with the smoothed round-trip time whenever it changes.
    using RttSink = std::function<void(ns3::Time)>;

    /**
     * @brief Say where and how to send.
     * @param sink address of the sink
     * @param congestion makes the congestion control of each connection
     * @param packetBytes size of a full IP packet
     * @param rttSink told of every new round-trip time
     */
    void Configure(ns3::Ipv4Address sink,
                   const ns3::ObjectFactory& congestion,
                   uint32_t packetBytes,
                   RttSink rttSink);

  protected:
    void DoDispose() override;

    /**
     * @brief Open a connection and send.
     * @param bytes how much to send before closing it
     */
    void Transfer(uint64_t bytes);

    void StopApplication() override;

  private:
    void StartApplication() override;

    /**
     * @brief Choose when and how much to send after a connection has ended. By default the next
     * endless transfer starts at once: a connection only ends because it failed.
     */
    virtual void Continue();

    /**
     * @brief Give the socket what it takes; close it when all is given.
     * @param socket the socket
     * @param room bytes that it takes
     */
    void Feed(ns3::Ptr<ns3::Socket> socket, uint32_t room);

    /**
     * @brief The connection is established.
     * @param socket the socket
     */
    void Connected(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief The connection is over: closed by the other end too, failed or refused.
     * @param socket the socket
     */
    void Ended(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief Pass the round-trip time on.
     * @param before the old value
     * @param now the new value
     */
    void RttChanged(ns3::Time before, ns3::Time now);

    ns3::Ipv4Address m_sink;         //!< where to send
    ns3::ObjectFactory m_congestion; //!< makes the congestion control
    uint32_t m_packetBytes{0};       //!< size of a full IP packet
    RttSink m_rttSink;               //!< told of round-trip times
    ns3::Ptr<ns3::Socket> m_socket;  //!< the connection
    uint64_t m_bytesLeft{0};         //!< bytes of this transfer not yet given to the socket
};

/**
 * @brief Transfers of Pareto size one after the other, with exponential pauses.
 */
class WebSource : public TcpSource
{
  public:
    /**
     * @brief Say what to send.
     * @param meanBytes mean size of a transfer
     * @param shape shape of the Pareto distribution of sizes, more than 1
     * @param thinkS mean pause between the end of one transfer and the start of the next
     */
    void SetLoad(double meanBytes, double shape, double thinkS);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Continue() override;

    /// @brief Start the next transfer.
    void TransferNext();

    ns3::Ptr<ns3::ParetoRandomVariable> m_bytes;       //!< sizes
    ns3::Ptr<ns3::ExponentialRandomVariable> m_pauses; //!< pauses in seconds
    ns3::EventId m_next;                               //!< end of the pause
};

} // namespace sluice_ns3

#endif /* TCP_SOURCE_H */
