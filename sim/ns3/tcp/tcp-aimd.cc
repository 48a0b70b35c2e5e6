/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * AIMD(a, b); see the header.
 */

#include "tcp/tcp-aimd.h"

#include "ns3/double.h"
#include "ns3/enum.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpAimd);

TypeId
TcpAimd::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpAimd")
            .SetParent<TcpNewReno>()
            .SetGroupName("Internet")
            .AddConstructor<TcpAimd>()
            .AddAttribute("A",
                          "Increase per round trip, in segments",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&TcpAimd::m_a),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("B",
                          "The part of the window that a loss event takes away or leaves",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&TcpAimd::m_b),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute(
                "Reading",
                "Whether B is the part lost (Lost) or the part kept (Kept)",
                EnumValue(DecreaseReading::LOST),
                MakeEnumAccessor<DecreaseReading>(&TcpAimd::m_reading),
                MakeEnumChecker(DecreaseReading::LOST, "Lost", DecreaseReading::KEPT, "Kept"))
            .AddAttribute(
                "Least",
                "Least window after a loss event or mark, in segments: 2 by RFC 5681, 1 in ns-2",
                DoubleValue(2.0),
                MakeDoubleAccessor(&TcpAimd::m_least),
                MakeDoubleChecker<double>(1.0));
    return tid;
}

std::string
TcpAimd::GetName() const
{
    return "TcpAimd";
}

Ptr<TcpCongestionOps>
TcpAimd::Fork()
{
    return CopyObject<TcpAimd>(this);
}

WindowRule
TcpAimd::GetRule() const
{
    return {.alpha = m_a,
            .beta = WindowRule::LostPart(m_b, m_reading),
            .k = 0,
            .l = 1,
            .least = m_least};
}

} // namespace ns3
