/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A queue discipline that leaves every decision to a Verilated Sluice tile, linked in process.
 */

#ifndef SLUICE_QUEUE_DISC_H
#define SLUICE_QUEUE_DISC_H

#include "queue/sluice-queue.h"
#include "sluice-tile.h"

#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * @brief Active queue management by the RTL of a Sluice tile.
 *
 * One class serves every algorithm: the attribute Model names the shared library of a tile. The
 * packets stand in one internal queue, the tile knows their descriptors; both are moved together,
 * so their lengths agree at all times. The tile drops and marks, the buffer's limit included.
 *
 * The tile is told that the link is idle when the device has sent its last packet, as ns-2 does.
 * On a device other than PointToPointNetDevice it is told when a dequeue finds nothing, and so is a
 * tile whose queues take turns, as ns-3's own fair queues.
 *
 * Wrong configuration (no such library, unknown parameter, refused set or word) throws
 * std::invalid_argument from Initialize().
 */
class SluiceQueueDisc : public QueueDisc
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SluiceQueueDisc();
    ~SluiceQueueDisc() override;

    /// What a tile may be told of a packet beside what its header says.
    struct Facts
    {
        uint32_t rttUs{0}; //!< round-trip time in microseconds; 0 = unknown
        std::string_view
            subscriber{};  //!< whose it is; empty: none, and its flow is told by its header
        uint16_t queue{0}; //!< number of its queue, to tiles that have several and are told
    };

    /// Who knows that.
    using FactsSource = std::function<Facts(const QueueDiscItem&)>;

    /**
     * @brief Say who knows more of packets than their headers say; without it nobody does.
     * @param source called once per arrival
     */
    void SetFactsSource(FactsSource source);

    /**
     * @brief Read one of the status values of the model as of now.
     * @param name name out of GetStatusNames()
     * @return the value in its unit
     */
    double GetStatus(const std::string& name);

    /**
     * @brief List the status values of the model. Only after Initialize().
     * @return the names
     */
    std::vector<std::string> GetStatusNames() const;

  protected:
    void DoDispose() override;

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    /// @brief Load the library of the attribute Model and make the tile.
    void LoadModel();

    /// @brief Write limits, seed and parameters to the tile and commit them, and then the words.
    void Configure();

    /// @brief Learn from the device when the link falls idle, if it is a point-to-point device.
    void WatchDevice();

    /**
     * @brief The device has sent a packet.
     * @param packet the packet sent
     */
    void TransmissionEnded(Ptr<const Packet> packet);

    /**
     * @brief Ask the tile for the next packet, and drop what it drops before that.
     * @return the packet, or nullptr if none is left
     */
    Ptr<QueueDiscItem> AskTile();

    /**
     * @brief Mark a packet, which must be ECN-capable.
     * @param item the packet
     * @param reason the tile's reason
     */
    void MarkAs(Ptr<QueueDiscItem> item, const char* reason);

    std::string m_model;      //!< path of the shared library
    std::string m_parameters; //!< "name=value,name=value"
    std::string m_words;      //!< "ADDRESS=WORD,ADDRESS=WORD"
    uint32_t m_seed;          //!< seed of the tile's generator and of the flow hash

    std::unique_ptr<sluice::Tile> m_tile;       //!< the Verilated tile
    std::array<const char*, 256> m_reasons;     //!< name of each reason code
    Ptr<SluiceQueue> m_queue;                   //!< the packets
    Ptr<PointToPointNetDevice> m_watchedDevice; //!< device that tells when the link is idle
    FactsSource m_factsSource;                  //!< who knows more than headers say
};

} // namespace ns3

#endif /* SLUICE_QUEUE_DISC_H */
