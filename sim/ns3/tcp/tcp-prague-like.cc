/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A scalable sender; see the header.
 */

#include "tcp/tcp-prague-like.h"

#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TcpPragueLike);

namespace
{

constexpr double LEAST_WINDOW = 2; //!< segments, after whatever reduction but a timeout

} // namespace

TypeId
TcpPragueLike::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TcpPragueLike")
            .SetParent<TcpDctcp>()
            .SetGroupName("Internet")
            .AddConstructor<TcpPragueLike>()
            .AddAttribute("RttTarget",
                          "Round-trip time that flows of shorter ones are to compete as; 0: none",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&TcpPragueLike::m_rttTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Transition",
                          "Rounds after slow start until RttTarget slows the growth down",
                          UintegerValue(4),
                          MakeUintegerAccessor(&TcpPragueLike::m_transition),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("G",
                          "Weight of a round in the smoothed share of marks",
                          DoubleValue(0.0625),
                          MakeDoubleAccessor(&TcpPragueLike::m_g),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("AlphaOnInit",
                          "Smoothed share of marks before the first one",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&TcpPragueLike::m_alpha),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("Alpha",
                          "Smoothed share of marks now",
                          TypeId::ATTR_GET,
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&TcpPragueLike::m_alpha),
                          MakeDoubleChecker<double>())
            .AddAttribute("Window",
                          "Congestion window with its fraction, in segments",
                          TypeId::ATTR_GET,
                          DoubleValue(0.0),
                          MakeDoubleAccessor(&TcpPragueLike::m_window),
                          MakeDoubleChecker<double>());
    return tid;
}

std::string
TcpPragueLike::GetName() const
{
    return "TcpPragueLike";
}

Ptr<TcpCongestionOps>
TcpPragueLike::Fork()
{
    return CopyObject<TcpPragueLike>(this);
}

void
TcpPragueLike::Init(Ptr<TcpSocketState> tcb)
{
    TcpDctcp::Init(tcb);
    tcb->m_ectCodePoint = TcpSocketState::Ect1;
    tcb->m_pacing = true;
}

// In a recovery the window has been halved already. At a mark the socket asks too, and what it gets
// is written over at the end of the same acknowledgement.
uint32_t
TcpPragueLike::GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight [[maybe_unused]])
{
    Begin(tcb);
    const bool isHalved = tcb->m_congState == TcpSocketState::CA_RECOVERY;
    const double segments = isHalved ? m_window : std::max(m_window / 2, LEAST_WINDOW);
    return static_cast<uint32_t>(segments * tcb->m_segmentSize);
}

void
TcpPragueLike::CongestionStateSet(Ptr<TcpSocketState> tcb,
                                  const TcpSocketState::TcpCongState_t newState)
{
    Begin(tcb);
    if (newState == TcpSocketState::CA_RECOVERY)
    {
        if (!m_isLosing)
        {
            Lose(tcb);
        }
        Publish(tcb);
    }
    else if (newState == TcpSocketState::CA_LOSS)
    {
        if (tcb->m_congState != TcpSocketState::CA_LOSS)
        {
            Lose(tcb);
        }
        m_window = 1; // the socket's is, too
        m_alpha = 1;
    }
}

void
TcpPragueLike::IncreaseWindow(Ptr<TcpSocketState> tcb [[maybe_unused]],
                              uint32_t segmentsAcked [[maybe_unused]])
{
}

void
TcpPragueLike::PktsAcked(Ptr<TcpSocketState> tcb [[maybe_unused]],
                         uint32_t segmentsAcked [[maybe_unused]],
                         const Time& rtt [[maybe_unused]])
{
}

bool
TcpPragueLike::HasCongControl() const
{
    return true;
}

void
TcpPragueLike::CongControl(Ptr<TcpSocketState> tcb,
                           const TcpRateOps::TcpRateConnection& rc [[maybe_unused]],
                           const TcpRateOps::TcpRateSample& rs)
{
    Begin(tcb);
    const bool isMarked = tcb->m_ecnState == TcpSocketState::ECN_ECE_RCVD;
    FollowLosses(tcb, rs.m_bytesLoss);
    if (isMarked)
    {
        ReduceForMark();
    }
    else
    {
        Grow(tcb);
    }
    Observe(tcb, isMarked);
    Publish(tcb);
}

void
TcpPragueLike::Begin(Ptr<const TcpSocketState> tcb)
{
    if (m_window == 0)
    {
        m_window = static_cast<double>(tcb->m_cWnd) / tcb->m_segmentSize;
        m_threshold = static_cast<double>(tcb->m_ssThresh) / tcb->m_segmentSize;
        m_roundEnd = tcb->m_highTxMark;
        m_roundAt = Simulator::Now();
    }
}

void
TcpPragueLike::Observe(Ptr<const TcpSocketState> tcb, bool isMarked)
{
    m_hasMark = m_hasMark || isMarked;
    m_roundBytes += tcb->m_lastAckedSackedBytes;
    m_roundMarked += isMarked ? tcb->m_lastAckedSackedBytes : 0;
    const Time round = std::max(tcb->m_srtt.Get(), m_rttTarget);
    if (tcb->m_lastAckedSeq < m_roundEnd || Simulator::Now() < m_roundAt + round)
    {
        return;
    }
    if (m_hasMark && m_roundBytes > 0)
    {
        const double share = static_cast<double>(m_roundMarked) / static_cast<double>(m_roundBytes);
        m_alpha = (1 - m_g) * m_alpha + m_g * share;
    }
    m_rounds += m_window >= m_threshold ? 1 : 0;
    m_isReduced = false;
    m_roundEnd = tcb->m_highTxMark;
    m_roundAt = Simulator::Now();
    m_roundBytes = 0;
    m_roundMarked = 0;
}

void
TcpPragueLike::FollowLosses(Ptr<const TcpSocketState> tcb, uint32_t bytesLost)
{
    if (bytesLost > 0 && !m_isLosing && tcb->m_congState == TcpSocketState::CA_CWR)
    {
        Lose(tcb);
    }
    // What was lost is repaired by then, and counts as a change of the lost bytes once more.
    if (tcb->m_lastAckedSeq >= m_lossEnd)
    {
        m_isLosing = false;
    }
}

void
TcpPragueLike::ReduceForMark()
{
    if (m_isReduced || m_isLosing)
    {
        return;
    }
    m_window = std::max(m_window * (1 - m_alpha / 2), LEAST_WINDOW);
    m_threshold = m_window;
    m_isReduced = true;
}

void
TcpPragueLike::Lose(Ptr<const TcpSocketState> tcb)
{
    m_window = std::max(m_window / 2, LEAST_WINDOW);
    m_threshold = m_window;
    m_isLosing = true;
    m_lossEnd = tcb->m_highTxMark;
}

void
TcpPragueLike::Grow(Ptr<const TcpSocketState> tcb)
{
    const auto state = tcb->m_congState.Get();
    if (state == TcpSocketState::CA_RECOVERY || state == TcpSocketState::CA_DISORDER)
    {
        return;
    }
    const double acked = static_cast<double>(tcb->m_lastAckedSackedBytes) / tcb->m_segmentSize;
    if (m_window < m_threshold)
    {
        m_window = std::min(m_window + acked, m_threshold);
        return;
    }
    const Time srtt = tcb->m_srtt.Get();
    const bool isSlowed = srtt < m_rttTarget && m_rounds >= m_transition;
    const double ratio = isSlowed ? srtt.GetSeconds() / m_rttTarget.GetSeconds() : 1;
    m_window += ratio * ratio * acked / m_window;
}

// Whole segments are rounded up: what is on its way is the window all the same, by the pacing. The
// socket's timer counts a segment's data alone, so the rate is of data. It is twice as much early
// in slow start, as Linux paces TCP.
void
TcpPragueLike::Publish(Ptr<TcpSocketState> tcb) const
{
    const double segment = tcb->m_segmentSize;
    tcb->m_cWnd = static_cast<uint32_t>(std::ceil(m_window)) * tcb->m_segmentSize;
    tcb->m_ssThresh = static_cast<uint32_t>(m_threshold * segment);

    const double srttS = tcb->m_srtt.Get().GetSeconds();
    if (srttS > 0)
    {
        const double factor = m_window < m_threshold / 2 ? 2 : 1;
        const double bps = factor * m_window * segment * 8 / srttS;
        const auto most = static_cast<double>(tcb->m_maxPacingRate.GetBitRate());
        tcb->m_pacingRate = DataRate(static_cast<uint64_t>(std::min(bps, most)));
    }
}

} // namespace ns3
