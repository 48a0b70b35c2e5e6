/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * AIMD(a, b): general additive increase, multiplicative decrease.
 */

#ifndef TCP_AIMD_H
#define TCP_AIMD_H

#include "tcp/tcp-window-rule.h"

namespace ns3
{

/**
 * @brief AIMD(a, b): w += a per round trip; per loss event w loses the part b, or keeps it.
 *
 * Attributes: A, B and Reading, which says whether B is the part lost (Lost, most papers) or the
 * part kept (Kept, ns-2's decrease_num_). AIMD(1, 0.5) is TCP.
 */
class TcpAimd : public TcpWindowRule
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    WindowRule GetRule() const override;

    double m_a;                //!< increase per round trip, segments
    double m_b;                //!< decrease parameter
    DecreaseReading m_reading; //!< what m_b means
    double m_least;            //!< least window after a loss event or mark, segments
};

} // namespace ns3

#endif /* TCP_AIMD_H */
