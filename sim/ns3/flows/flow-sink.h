/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The receiving end of a flow.
 */

#ifndef FLOW_SINK_H
#define FLOW_SINK_H

#include "ns3/application.h"
#include "ns3/object-factory.h"
#include "ns3/socket.h"

#include <cstdint>
#include <optional>

namespace sluice_ns3
{

constexpr uint16_t SINK_PORT = 5000; //!< port on which every sink listens

/// What the connections of a flow are like; what is not said is as ns-3's defaults have it.
struct TcpManner
{
    ns3::ObjectFactory congestion;         //!< makes the congestion control of each
    uint32_t packetBytes{0};               //!< a full IP packet; less its headers: a segment
    std::optional<bool> ecn;               //!< whether to negotiate ECN
    std::optional<uint32_t> initialWindow; //!< segments before the first acknowledgement
};

/**
 * @brief Make a TCP socket with a congestion control of its own.
 * @param node the node
 * @param manner what its connections are like
 * @return the socket
 */
ns3::Ptr<ns3::Socket> MakeTcpSocket(ns3::Ptr<ns3::Node> node, const TcpManner& manner);

/**
 * @brief Reads everything that arrives, by one UDP socket or by any number of TCP connections.
 */
class FlowSink : public ns3::Application
{
  public:
    /**
     * @brief Take the socket that listens.
     * @param socket a UDP or TCP socket, not bound yet
     */
    void SetSocket(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief Get the application's bytes received so far.
     * @return bytes without any header, each counted once
     */
    uint64_t GetBytes() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;

    /**
     * @brief Empty a socket.
     * @param socket the socket
     */
    void Read(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief Take a connection.
     * @param socket the new socket
     * @param from the other end
     */
    void Accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);

    /**
     * @brief Close this end of a connection when the other end has closed.
     * @param socket the socket
     */
    void Close(ns3::Ptr<ns3::Socket> socket);

    ns3::Ptr<ns3::Socket> m_socket; //!< the socket that listens
    uint64_t m_bytes{0};            //!< application bytes received
};

} // namespace sluice_ns3

#endif /* FLOW_SINK_H */
