/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Plays a script to a congestion control; see the header.
 */

#include "tcp/congestion-script.h"

#include "reading/object-text.h"

#include "ns3/tcp-congestion-ops.h"

#include <cmath>
#include <stdexcept>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Let a congestion control see a loss event.
 * @param control the congestion control
 * @param tcb its connection
 * @param isTimeout whether the retransmission timer found the loss
 */
void
Lose(TcpCongestionOps& control, Ptr<TcpSocketState> tcb, bool isTimeout)
{
    tcb->m_ssThresh = control.GetSsThresh(tcb, tcb->m_cWnd);
    const auto state = isTimeout ? TcpSocketState::CA_LOSS : TcpSocketState::CA_RECOVERY;
    control.CongestionStateSet(tcb, state);
    tcb->m_cWnd = isTimeout ? tcb->m_segmentSize : tcb->m_ssThresh.Get();
    control.CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
}

} // namespace

std::vector<double>
PlayCongestionScript(const std::string& congestion,
                     const CongestionStart& start,
                     const std::string& script)
{
    auto control =
        ParseObjectText(congestion, TcpCongestionOps::GetTypeId()).Create<TcpCongestionOps>();
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = start.segmentBytes;
    tcb->m_cWnd = static_cast<uint32_t>(std::lround(start.windowSegments * start.segmentBytes));
    tcb->m_ssThresh =
        static_cast<uint32_t>(std::lround(start.thresholdSegments * start.segmentBytes));
    control->Init(tcb);

    std::vector<double> windows;
    for (const char letter : script)
    {
        switch (letter)
        {
        case 'a':
            control->IncreaseWindow(tcb, 1);
            break;
        case 'l':
        case 't':
            Lose(*control, tcb, letter == 't');
            break;
        default:
            throw std::invalid_argument(std::string("unknown letter '") + letter + "'");
        }
        windows.push_back(static_cast<double>(tcb->m_cWnd.Get()) / start.segmentBytes);
    }
    return windows;
}

} // namespace sluice_ns3
