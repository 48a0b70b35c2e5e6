/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A scalable sender after the requirements of RFC 9331, section 4.
 */

#ifndef TCP_PRAGUE_LIKE_H
#define TCP_PRAGUE_LIKE_H

#include "ns3/nstime.h"
#include "ns3/tcp-dctcp.h"

namespace ns3
{

/**
 * @brief A sender whose rate goes with 1 / p of the marks, and with their share of each round.
 *
 * Sets ECT(1). Alpha is the smoothed share of marked bytes; a mark takes alpha / 2 of the window,
 * once per round; each acknowledgement without a mark adds a / w segments. A round is of RttTarget
 * at least, and below that a is (srtt / RttTarget)^2, so that flows of short round trips are no
 * faster than others (RFC 9331, section 4.3). A loss halves the window as Reno's does. Segments are
 * paced. The receiver's side, an echo of each change of CE, is TcpDctcp's.
 *
 * It is a source for a simulator: what a real sender has to do at a bottleneck with Classic ECN
 * (RFC 9331, section 4.3, requirement 3) is not here, and it is none of the implementations that
 * are called Prague. It grows whether the window limits it or not: sources here always have data.
 */
class TcpPragueLike : public TcpDctcp
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string GetName() const override;
    Ptr<TcpCongestionOps> Fork() override;
    void Init(Ptr<TcpSocketState> tcb) override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> tcb, uint32_t bytesInFlight) override;
    void CongestionStateSet(Ptr<TcpSocketState> tcb,
                            const TcpSocketState::TcpCongState_t newState) override;

    /// @brief The window grows in CongControl.
    void IncreaseWindow(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked) override;

    /// @brief Marks are counted in CongControl, which knows the bytes that an ACK is of.
    void PktsAcked(Ptr<TcpSocketState> tcb, uint32_t segmentsAcked, const Time& rtt) override;

    /**
     * @brief Say that the window is moved here alone, not by the socket's recovery.
     * @return true
     */
    bool HasCongControl() const override;

    /// @brief Take one acknowledgement.
    void CongControl(Ptr<TcpSocketState> tcb,
                     const TcpRateOps::TcpRateConnection& rc,
                     const TcpRateOps::TcpRateSample& rs) override;

  private:
    /**
     * @brief Take the initial window for ours, once.
     * @param tcb the connection
     */
    void Begin(Ptr<const TcpSocketState> tcb);

    /**
     * @brief Count the bytes of an acknowledgement, and smooth their share at the end of a round.
     * @param tcb the connection
     * @param isMarked whether the acknowledgement echoes a mark
     */
    void Observe(Ptr<const TcpSocketState> tcb, bool isMarked);

    /**
     * @brief Notice a loss that the socket does not tell of, and the end of each loss event.
     *
     * While the socket takes a mark for a reduction of its own, which with us is most of the time,
     * it sends lost segments again and begins no recovery.
     *
     * @param tcb the connection
     * @param bytesLost by how much what is held for lost has changed
     */
    void FollowLosses(Ptr<const TcpSocketState> tcb, uint32_t bytesLost);

    /// @brief Let a mark take its part, unless one has in this round, or a loss has.
    void ReduceForMark();

    /**
     * @brief Let a loss halve the window.
     * @param tcb the connection
     */
    void Lose(Ptr<const TcpSocketState> tcb);

    /**
     * @brief Let the window grow.
     * @param tcb the connection
     */
    void Grow(Ptr<const TcpSocketState> tcb);

    /**
     * @brief Tell the socket the window, the threshold and the pacing rate.
     * @param tcb the connection
     */
    void Publish(Ptr<TcpSocketState> tcb) const;

    Time m_rttTarget;        //!< least round, 0 for none
    uint32_t m_transition;   //!< rounds after slow start before the target slows growth down
    double m_g;              //!< weight of a round in alpha
    double m_alpha{1};       //!< smoothed share of marked bytes
    double m_window{0};      //!< congestion window, segments; 0 before the first acknowledgement
    double m_threshold{0};   //!< end of slow start, segments
    uint32_t m_rounds{0};    //!< rounds since the end of slow start
    bool m_hasMark{false};   //!< whether there was a mark ever
    bool m_isReduced{false}; //!< whether a mark of this round has reduced the window
    bool m_isLosing{false};  //!< whether what was sent before the last loss is still on its way
    Time m_roundAt;          //!< when the round began
    SequenceNumber32 m_roundEnd; //!< what was to be sent next when the round began
    SequenceNumber32 m_lossEnd;  //!< what was to be sent next when the last loss was found
    uint64_t m_roundBytes{0};    //!< bytes acknowledged in the round
    uint64_t m_roundMarked{0};   //!< those of them with a mark
};

} // namespace ns3

#endif /* TCP_PRAGUE_LIKE_H */
