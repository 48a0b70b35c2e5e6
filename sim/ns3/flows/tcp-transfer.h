/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One TCP connection that carries a number of bytes.
 */

#ifndef TCP_TRANSFER_H
#define TCP_TRANSFER_H

#include "flows/flow-sink.h"

#include "ns3/ipv4-address.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace sluice_ns3
{

/// Where a transfer goes, and how.
struct TcpPath
{
    ns3::Ptr<ns3::Node> node; //!< the host that sends
    ns3::Ipv4Address sink;    //!< address of the sink
    TcpManner manner;         //!< what the connection is like
};

/**
 * @brief Opens a connection, feeds it, closes it, and knows how long that took.
 *
 * The socket calls back, so the transfer must outlive the simulation.
 */
class TcpTransfer
{
  public:
    /// Called with the smoothed round-trip time whenever it changes.
    using RttSink = std::function<void(ns3::Time)>;

    /// Called when the connection is over.
    using Done = std::function<void()>;

    /**
     * @brief Open the connection now.
     * @param path where to send, and how
     * @param bytes how much to send before closing it
     * @param rttSink told of every new round-trip time
     * @param done told of the end: closed by the other end too, failed or refused
     */
    TcpTransfer(const TcpPath& path, uint64_t bytes, RttSink rttSink, Done done);

    TcpTransfer(const TcpTransfer&) = delete;
    TcpTransfer& operator=(const TcpTransfer&) = delete;

    /**
     * @brief Have nothing more to send for a while, or something again. From the first time on,
     * before the connection is established, the socket is given only a little more than it has
     * sent, so that it soon has nothing either.
     * @param isHeld whether there is nothing
     */
    void Hold(bool isHeld);

    /// @brief Let go of the socket.
    void Release();

    /**
     * @brief Get the time of the start.
     * @return when the connection was opened
     */
    ns3::Time GetBegin() const;

    /**
     * @brief Get the time from the start until the other end has closed too.
     * @return the duration; nothing before that
     */
    std::optional<ns3::Time> GetDuration() const;

  private:
    /**
     * @brief Give the socket what it takes; close it when all is given.
     * @param socket the socket
     * @param room bytes that it takes
     */
    void Feed(ns3::Ptr<ns3::Socket> socket, uint32_t room);

    /**
     * @brief The socket has sent something for the first time.
     * @param socket the socket
     * @param bytes how much
     */
    void Sent(ns3::Ptr<ns3::Socket> socket, uint32_t bytes);

    /**
     * @brief The connection is established.
     * @param socket the socket
     */
    void Connected(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief The connection is over.
     * @param socket the socket
     */
    void Ended(ns3::Ptr<ns3::Socket> socket);

    /**
     * @brief Pass the round-trip time on.
     * @param before the old value
     * @param now the new value
     */
    void RttChanged(ns3::Time before, ns3::Time now);

    RttSink m_rttSink;                   //!< told of round-trip times
    Done m_done;                         //!< told of the end
    ns3::Ptr<ns3::Socket> m_socket;      //!< the connection, null when it is over
    uint64_t m_bytesLeft;                //!< bytes not yet given to the socket
    uint64_t m_ahead;                    //!< bytes that the socket may be given before it sends
    uint64_t m_unsent{0};                //!< bytes that it was given and has not sent
    uint64_t m_aheadWhenHeld;            //!< what is ahead for a transfer that is held at times
    bool m_isConnected{false};           //!< whether the connection is established
    bool m_isHeld{false};                //!< whether there is nothing to send
    ns3::Time m_begin;                   //!< when the connection was opened
    std::optional<ns3::Time> m_duration; //!< how long it lasted
};

} // namespace sluice_ns3

#endif /* TCP_TRANSFER_H */
