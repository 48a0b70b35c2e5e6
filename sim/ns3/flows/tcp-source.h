/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Sources that send over TCP: one endless transfer, one with pauses in it, short ones with pauses
 * between them, or short ones that begin at random times or in rounds.
 */

#ifndef TCP_SOURCE_H
#define TCP_SOURCE_H

#include "flows/tcp-transfer.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice_ns3
{

/**
 * @brief One TCP connection, fed with as many bytes as it takes.
 */
class TcpSource : public ns3::Application
{
  public:
    /**
     * @brief Say where and how to send.
     * @param sink address of the sink
     * @param manner what its connections are like
     * @param rttSink told of every new round-trip time
     */
    void Configure(ns3::Ipv4Address sink, const TcpManner& manner, TcpTransfer::RttSink rttSink);

    /**
     * @brief Get the transfers.
     * @return all that were begun, in order
     */
    const std::vector<std::unique_ptr<TcpTransfer>>& GetTransfers() const;

  protected:
    void DoDispose() override;

    /**
     * @brief Open a connection and send.
     * @param bytes how much to send before closing it
     */
    void Transfer(uint64_t bytes);

    void StartApplication() override;
    void StopApplication() override;

  private:
    /**
     * @brief Choose when and how much to send after a transfer has ended. By default the next
     * endless transfer starts at once: a connection only ends because it failed.
     */
    virtual void Continue();

    TcpPath m_path;                                        //!< where to send, and how
    TcpTransfer::RttSink m_rttSink;                        //!< told of round-trip times
    std::vector<std::unique_ptr<TcpTransfer>> m_transfers; //!< all that were begun
};

/**
 * @brief One TCP connection that has as much as it takes in bursts, and nothing in the pauses
 * between them; the lengths of both are Pareto. It begins with a burst.
 */
class GatedSource : public TcpSource
{
  public:
    /**
     * @brief Say how bursts go.
     * @param burstS mean length of a burst
     * @param idleS mean length of a pause
     * @param shape shape of both Pareto distributions, more than 1
     */
    void SetBursts(double burstS, double idleS, double shape);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Continue() override;

    /// @brief Begin a burst if there is a pause, and a pause if there is a burst.
    void Turn();

    ns3::Ptr<ns3::RandomVariableStream> m_burst; //!< lengths of bursts in seconds
    ns3::Ptr<ns3::RandomVariableStream> m_idle;  //!< lengths of pauses in seconds
    bool m_isIdle{true};                         //!< whether there is a pause
    ns3::EventId m_next;                         //!< the end of it
};

/**
 * @brief Transfers of Pareto size one after the other, with exponential pauses.
 */
class WebSource : public TcpSource
{
  public:
    /**
     * @brief Say what to send.
     * @param meanBytes mean size of a transfer
     * @param shape shape of the Pareto distribution of sizes, more than 1
     * @param thinkS mean pause between the end of one transfer and the start of the next
     */
    void SetLoad(double meanBytes, double shape, double thinkS);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Continue() override;

    /// @brief Start the next transfer.
    void TransferNext();

    ns3::Ptr<ns3::ParetoRandomVariable> m_bytes;       //!< sizes
    ns3::Ptr<ns3::ExponentialRandomVariable> m_pauses; //!< pauses in seconds
    ns3::EventId m_next;                               //!< end of the pause
};

/**
 * @brief Transfers that begin at random times, as a Poisson process, or at regular ones, whether
 * those before them are done or not.
 */
class ArrivalSource : public TcpSource
{
  public:
    /**
     * @brief Say what to send.
     * @param meanBytes mean size of a transfer
     * @param shape shape of the Pareto distribution of sizes, more than 1; 0: all of one size
     * @param perS mean number of transfers that begin in a second
     */
    void SetLoad(double meanBytes, double shape, double perS);

    /**
     * @brief Say what to send in rounds. The first begins one time between rounds after the start.
     * @param bytes size of each transfer
     * @param everyS time from one round to the next
     */
    void SetRounds(double bytes, double everyS);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void Continue() override;

    /// @brief Wait for the next transfer.
    void WaitForNext();

    /// @brief Start a transfer, and wait for the next.
    void TransferNext();

    ns3::Ptr<ns3::RandomVariableStream> m_bytes; //!< sizes
    ns3::Ptr<ns3::RandomVariableStream> m_gaps;  //!< times between starts in seconds
    ns3::EventId m_next;                         //!< the next start
};

} // namespace sluice_ns3

#endif /* TCP_SOURCE_H */
