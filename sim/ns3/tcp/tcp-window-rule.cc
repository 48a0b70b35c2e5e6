/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion avoidance by a window rule; see the header.
 */

#include "tcp/tcp-window-rule.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

double
WindowRule::IncreasePerAck(double window) const
{
    return alpha / std::pow(window, k + 1);
}

double
WindowRule::AfterLoss(double window) const
{
    return window - beta * std::pow(window, l);
}

double
WindowRule::LostPart(double value, DecreaseReading reading)
{
    return reading == DecreaseReading::LOST ? value : 1 - value;
}

void
TcpWindowRule::CongestionAvoidance(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked)
{
    if (segmentsAcked == 0)
    {
        return;
    }
    const double segment = tcb->m_segmentSize;
    m_carriedBytes += segment * GetRule().IncreasePerAck(tcb->m_cWnd / segment);
    const double wholeBytes = std::floor(m_carriedBytes);
    m_carriedBytes -= wholeBytes;
    tcb->m_cWnd += static_cast<uint32_t>(wholeBytes);
}

uint32_t
TcpWindowRule::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight [[maybe_unused]])
{
    const double segment = tcb->m_segmentSize;
    const double window = tcb->m_cWnd / segment;
    const bool isSlowStart = tcb->m_cWnd < tcb->m_ssThresh;
    const bool isHalved = !m_hasDecreased || isSlowStart || m_wasLastTimeout;
    const WindowRule rule = GetRule();
    const double reduced = isHalved ? window / 2 : rule.AfterLoss(window);

    m_hasDecreased = true;
    m_wasLastTimeout = false;
    return static_cast<uint32_t>(std::lround(segment * std::max(reduced, rule.least)));
}

void
TcpWindowRule::CongestionStateSet(Ptr<TcpSocketState> tcb [[maybe_unused]],
                                  const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_LOSS)
    {
        m_wasLastTimeout = true;
    }
}

} // namespace ns3
