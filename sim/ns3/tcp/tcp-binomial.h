/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The binomial congestion control algorithms of D. Bansal and H. Balakrishnan, INFOCOM 2001.
 */

#ifndef TCP_BINOMIAL_H
#define TCP_BINOMIAL_H

#include "tcp/tcp-window-rule.h"

namespace ns3
{

/**
 * @brief Binomial(alpha, beta, k, l): w += alpha / w^k per round trip, w -= beta w^l per loss.
 *
 * Attributes: Alpha, Beta, K, L and Reading, which says whether Beta is the part of w^l lost
 * (Lost, the paper) or one minus that part (Kept, ns-2's decrease_num_ with windowOption_ 6).
 * (1, 0.5, 0, 1) is TCP.
 */
class TcpBinomial : public TcpWindowRule
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

    double m_alpha;            //!< increase per round trip, times w^k
    double m_beta;             //!< decrease parameter
    double m_k;                //!< exponent of the increase
    double m_l;                //!< exponent of the decrease
    DecreaseReading m_reading; //!< what m_beta means
};

} // namespace ns3

#endif /* TCP_BINOMIAL_H */
