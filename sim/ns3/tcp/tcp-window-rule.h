/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Congestion avoidance by a rule w += alpha / w^k per round trip, w -= beta w^l per loss event:
 * what AIMD and the binomial algorithms have in common, with ns-2's exceptions.
 */

#ifndef TCP_WINDOW_RULE_H
#define TCP_WINDOW_RULE_H

#include "ns3/tcp-congestion-ops.h"

namespace ns3
{

/**
 * @brief What the decrease parameter of a published source means.
 */
enum class DecreaseReading
{
    LOST, //!< the part of w^l that a loss event takes away, as most papers have it
    KEPT  //!< one minus that part, as in ns-2's decrease_num_
};

/**
 * @brief The rule of one source; windows are in segments.
 */
struct WindowRule
{
    double alpha;    //!< increase per round trip, times w^k
    double beta;     //!< the part of w^l lost per loss event
    double k;        //!< exponent of the increase
    double l;        //!< exponent of the decrease
    double least{2}; //!< the window is no less after a loss event

    /**
     * @brief Get the increase per acknowledgement.
     * @param window the window
     * @return alpha / w^(k+1)
     */
    double IncreasePerAck(double window) const;

    /**
     * @brief Get the window after a loss event.
     * @param window the window
     * @return w - beta w^l
     */
    double AfterLoss(double window) const;

    /**
     * @brief Convert a decrease parameter to the part that is lost.
     * @param value the parameter
     * @param reading what it means
     * @return beta
     */
    static double LostPart(double value, DecreaseReading reading);
};

/**
 * @brief TCP with a window rule; slow start and recovery are TcpNewReno's.
 *
 * As in ns-2, the window halves instead of following the rule at the first loss event, in slow
 * start, and when the last event was a timeout. The decrease starts from the congestion window. An
 * acknowledgement counts once, however many segments it covers; parts of a byte are carried to the
 * next one.
 */
class TcpWindowRule : public TcpNewReno
{
  public:
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override;

  protected:
    void CongestionAvoidance(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;

  private:
    /**
     * @brief Get the rule as the attributes have it.
     * @return the rule
     */
    virtual WindowRule GetRule() const = 0;

    double m_carriedBytes{0};     //!< part of a byte that the window has yet to grow
    bool m_hasDecreased{false};   //!< whether there was a loss event before
    bool m_wasLastTimeout{false}; //!< whether the last loss event was a timeout
};

} // namespace ns3

#endif /* TCP_WINDOW_RULE_H */
