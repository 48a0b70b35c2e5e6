/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * One TCP connection that carries a number of bytes; see the header.
 */

#include "flows/tcp-transfer.h"

#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/// What an acknowledgement may let go at once, with room to spare.
constexpr uint32_t PACKETS_AHEAD = 4;

} // namespace

TcpTransfer::TcpTransfer(const TcpPath& path, uint64_t bytes, RttSink rttSink, Done done)
    : m_rttSink(std::move(rttSink)),
      m_done(std::move(done)),
      m_socket(MakeTcpSocket(path.node, path.manner)),
      m_bytesLeft(bytes),
      m_ahead(std::numeric_limits<uint64_t>::max()),
      m_aheadWhenHeld(uint64_t{PACKETS_AHEAD} * path.manner.packetBytes),
      m_begin(Simulator::Now())
{
    m_socket->TraceConnectWithoutContext("RTT", MakeCallback(&TcpTransfer::RttChanged, this));
    m_socket->SetConnectCallback(MakeCallback(&TcpTransfer::Connected, this),
                                 MakeCallback(&TcpTransfer::Ended, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpTransfer::Ended, this),
                                MakeCallback(&TcpTransfer::Ended, this));
    m_socket->SetSendCallback(MakeCallback(&TcpTransfer::Feed, this));
    m_socket->Bind();
    m_socket->Connect(InetSocketAddress(path.sink, SINK_PORT));
}

void
TcpTransfer::Hold(bool isHeld)
{
    m_isHeld = isHeld;
    m_ahead = m_aheadWhenHeld;
    if (!m_socket)
    {
        return;
    }
    m_socket->SetDataSentCallback(MakeCallback(&TcpTransfer::Sent, this));
    if (m_isConnected)
    {
        Feed(m_socket, m_socket->GetTxAvailable());
    }
}

void
TcpTransfer::Release()
{
    m_socket = nullptr;
}

Time
TcpTransfer::GetBegin() const
{
    return m_begin;
}

std::optional<Time>
TcpTransfer::GetDuration() const
{
    return m_duration;
}

void
TcpTransfer::Feed(Ptr<Socket> socket, uint32_t room)
{
    constexpr uint64_t LARGEST_WRITE = 65536;

    while (room > 0 && m_bytesLeft > 0 && !m_isHeld && m_unsent < m_ahead)
    {
        const uint64_t size =
            std::min({uint64_t{room}, m_bytesLeft, LARGEST_WRITE, m_ahead - m_unsent});
        if (socket->Send(Create<Packet>(static_cast<uint32_t>(size))) <= 0)
        {
            return;
        }
        m_bytesLeft -= size;
        m_unsent += size;
        room = socket->GetTxAvailable();
        if (m_bytesLeft == 0)
        {
            socket->Close();
        }
    }
}

void
TcpTransfer::Sent(Ptr<Socket> socket, uint32_t bytes)
{
    m_unsent -= std::min(m_unsent, uint64_t{bytes});
    Feed(socket, socket->GetTxAvailable());
}

void
TcpTransfer::Connected(Ptr<Socket> socket)
{
    m_isConnected = true;
    Feed(socket, socket->GetTxAvailable());
}

void
TcpTransfer::Ended(Ptr<Socket> socket)
{
    if (socket == m_socket)
    {
        m_socket = nullptr;
        m_duration = Simulator::Now() - m_begin;
        m_done();
    }
}

void
TcpTransfer::RttChanged(Time before [[maybe_unused]], Time now)
{
    m_rttSink(now);
}

} // namespace sluice_ns3
