/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Plays a script to a congestion control; see the header.
 */

#include "tcp/congestion-script.h"

#include "reading/object-text.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/tcp-congestion-ops.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

/**
 * @brief Let a congestion control see an acknowledgement of one segment, as the socket does.
 * @param control the congestion control
 * @param tcb its connection
 * @param isMarked whether the acknowledgement echoes a mark
 */
void
Acknowledge(TcpCongestionOps& control, Ptr<TcpSocketState> tcb, bool isMarked)
{
    const uint32_t segment = tcb->m_segmentSize;
    tcb->m_ecnState = isMarked ? TcpSocketState::ECN_ECE_RCVD : TcpSocketState::ECN_IDLE;
    tcb->m_highTxMark = std::max(tcb->m_highTxMark.Get(), tcb->m_lastAckedSeq + tcb->m_cWnd.Get());
    tcb->m_lastAckedSeq += segment;
    tcb->m_lastAckedSackedBytes = segment;
    control.PktsAcked(tcb, 1, tcb->m_srtt);
    if (control.HasCongControl())
    {
        control.CongControl(tcb, TcpRateOps::TcpRateConnection(), TcpRateOps::TcpRateSample());
    }
    else if (isMarked)
    {
        throw std::invalid_argument("'e' is for what answers marks itself, not " +
                                    control.GetName());
    }
    else
    {
        control.IncreaseWindow(tcb, 1);
    }
}

/**
 * @brief Let a congestion control see a loss event, in the socket's order.
 * @param control the congestion control
 * @param tcb its connection
 * @param isTimeout whether the retransmission timer found the loss
 */
void
Lose(TcpCongestionOps& control, Ptr<TcpSocketState> tcb, bool isTimeout)
{
    if (isTimeout)
    {
        tcb->m_ssThresh = control.GetSsThresh(tcb, tcb->m_cWnd);
        control.CongestionStateSet(tcb, TcpSocketState::CA_LOSS);
        tcb->m_cWnd = tcb->m_segmentSize;
    }
    else
    {
        const uint32_t bytesInFlight = tcb->m_cWnd;
        control.CongestionStateSet(tcb, TcpSocketState::CA_RECOVERY);
        tcb->m_congState = TcpSocketState::CA_RECOVERY;
        tcb->m_ssThresh = control.GetSsThresh(tcb, bytesInFlight);
        tcb->m_cWnd = tcb->m_ssThresh.Get();
    }
    control.CongestionStateSet(tcb, TcpSocketState::CA_OPEN);
    tcb->m_congState = TcpSocketState::CA_OPEN;
}

/**
 * @brief Let time pass.
 * @param time how much
 */
void
Wait(Time time)
{
    Simulator::Stop(time);
    Simulator::Run();
}

} // namespace

std::vector<double>
PlayCongestionScript(const std::string& congestion,
                     const CongestionStart& start,
                     const std::string& script,
                     const std::string& watched)
{
    auto control =
        ParseObjectText(congestion, TcpCongestionOps::GetTypeId()).Create<TcpCongestionOps>();
    auto tcb = CreateObject<TcpSocketState>();
    tcb->m_segmentSize = start.segmentBytes;
    tcb->m_cWnd = static_cast<uint32_t>(std::lround(start.windowSegments * start.segmentBytes));
    tcb->m_ssThresh =
        static_cast<uint32_t>(std::lround(start.thresholdSegments * start.segmentBytes));
    tcb->m_srtt = MicroSeconds(std::llround(start.rttMs * 1000));
    tcb->m_highTxMark = tcb->m_lastAckedSeq + tcb->m_cWnd.Get();
    control->Init(tcb);

    std::vector<double> values;
    for (const char letter : script)
    {
        switch (letter)
        {
        case 'a':
        case 'e':
            Acknowledge(*control, tcb, letter == 'e');
            break;
        case 'l':
        case 't':
            Lose(*control, tcb, letter == 't');
            break;
        case 'r':
            Wait(tcb->m_srtt);
            break;
        default:
            throw std::invalid_argument(std::string("unknown letter '") + letter + "'");
        }
        DoubleValue value(static_cast<double>(tcb->m_cWnd.Get()) / start.segmentBytes);
        if (!watched.empty() && !control->GetAttributeFailSafe(watched, value))
        {
            throw std::invalid_argument(control->GetName() + " has no number '" + watched + "'");
        }
        values.push_back(value.Get());
    }
    Simulator::Destroy();
    return values;
}

} // namespace sluice_ns3
