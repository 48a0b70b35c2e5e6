/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Binomial congestion control; see the header.
 */

#include "tcp/tcp-binomial.h"

#include "ns3/double.h"
#include "ns3/enum.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpBinomial);

TypeId
TcpBinomial::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpBinomial")
            .SetParent<TcpNewReno>()
            .SetGroupName("Internet")
            .AddConstructor<TcpBinomial>()
            .AddAttribute("Alpha",
                          "Increase per round trip, times w^k, in segments",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&TcpBinomial::m_alpha),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("Beta",
                          "Decrease per loss event as a factor of w^l, or one minus that",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&TcpBinomial::m_beta),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("K",
                          "Exponent of the increase",
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&TcpBinomial::m_k),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("L",
                          "Exponent of the decrease",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&TcpBinomial::m_l),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute(
                "Reading",
                "Whether Beta is the part of w^l lost (Lost) or one minus that (Kept)",
                EnumValue(DecreaseReading::LOST),
                MakeEnumAccessor<DecreaseReading>(&TcpBinomial::m_reading),
                MakeEnumChecker(DecreaseReading::LOST, "Lost", DecreaseReading::KEPT, "Kept"));
    return tid;
}

std::string
TcpBinomial::GetName() const
{
    return "TcpBinomial";
}

Ptr<TcpCongestionOps>
TcpBinomial::Fork()
{
    return CopyObject<TcpBinomial>(this);
}

WindowRule
TcpBinomial::GetRule() const
{
    return {.alpha = m_alpha, .beta = WindowRule::LostPart(m_beta, m_reading), .k = m_k, .l = m_l};
}

} // namespace ns3
