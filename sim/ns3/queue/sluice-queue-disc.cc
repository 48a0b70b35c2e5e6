/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A queue discipline around a Verilated tile; see the header.
 */

#include "queue/sluice-queue-disc.h"

#include "flows/dscp.h"
#include "flows/flow-hash.h"
#include "queue/tile-library.h"
#include "queue/tile-parameters.h"
#include "queue/tile-words.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SluiceQueueDisc");

NS_OBJECT_ENSURE_REGISTERED(SluiceQueueDisc);

namespace
{

/// What a tile calls it that a queued packet was thrown out.
constexpr const char* PUSHED_OUT = "Pushed out drop";

/**
 * @brief Get the simulated time as a tile counts it.
 * @return nanoseconds since the start of the simulation
 */
uint64_t
NowNs()
{
    return static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
}

/**
 * @brief Get the byte of DSCP and ECN field of a packet, in IPv4 as in IPv6.
 * @param item the packet
 * @return the byte, 0 for a packet that has none
 */
uint8_t
DsFieldOf(const QueueDiscItem& item)
{
    uint8_t dsField = 0;
    return item.GetUint8Value(QueueItem::IP_DSFIELD, dsField) ? dsField : 0;
}

} // namespace

TypeId
SluiceQueueDisc::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SluiceQueueDisc")
            .SetParent<QueueDisc>()
            .SetGroupName("TrafficControl")
            .AddConstructor<SluiceQueueDisc>()
            .AddAttribute("Model",
                          "Path of the tile's shared library (libsluice_tile.so)",
                          StringValue(""),
                          MakeStringAccessor(&SluiceQueueDisc::m_model),
                          MakeStringChecker())
            .AddAttribute("Parameters",
                          "Parameters of the tile, \"name=value,name=value\", by register name or "
                          "by ns-3 attribute name; they override MaxSize and Seed",
                          StringValue(""),
                          MakeStringAccessor(&SluiceQueueDisc::m_parameters),
                          MakeStringChecker())
            .AddAttribute("Words",
                          "Words of the tile's registers, \"ADDRESS=WORD,ADDRESS=WORD\" in "
                          "hexadecimal, written in this order after Parameters have been applied; "
                          "one that goes to COMMIT applies those before it",
                          StringValue(""),
                          MakeStringAccessor(&SluiceQueueDisc::m_words),
                          MakeStringChecker())
            .AddAttribute("MaxSize",
                          "The limit of the queue, in packets or in bytes; the limit in the other "
                          "unit keeps the tile's default",
                          QueueSizeValue(QueueSize("100p")),
                          MakeQueueSizeAccessor(&QueueDisc::SetMaxSize, &QueueDisc::GetMaxSize),
                          MakeQueueSizeChecker())
            .AddAttribute("Seed",
                          "Seed of the tile's random generator and of the flow hash",
                          UintegerValue(1),
                          MakeUintegerAccessor(&SluiceQueueDisc::m_seed),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

// The policy for several queues is the one that leaves the limit to the discipline.
SluiceQueueDisc::SluiceQueueDisc()
    : QueueDisc(QueueDiscSizePolicy::MULTIPLE_QUEUES),
      m_reasons{}
{
    NS_LOG_FUNCTION(this);
}

SluiceQueueDisc::~SluiceQueueDisc()
{
    NS_LOG_FUNCTION(this);
}

void
SluiceQueueDisc::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_watchedDevice = nullptr;
    m_queue = nullptr;
    m_factsSource = nullptr;
    m_tile.reset();
    QueueDisc::DoDispose();
}

void
SluiceQueueDisc::SetFactsSource(FactsSource source)
{
    m_factsSource = std::move(source);
}

double
SluiceQueueDisc::GetStatus(const std::string& name)
{
    for (const auto& info : m_tile->Status())
    {
        if (name == info.name)
        {
            m_tile->Advance(NowNs());
            return std::ldexp(m_tile->Read(info.address), -static_cast<int>(info.fraction));
        }
    }
    throw std::invalid_argument("the model has no status '" + name + "'");
}

std::vector<std::string>
SluiceQueueDisc::GetStatusNames() const
{
    std::vector<std::string> names;
    for (const auto& info : m_tile->Status())
    {
        names.emplace_back(info.name);
    }
    return names;
}

bool
SluiceQueueDisc::DoEnqueue(Ptr<QueueDiscItem> item)
{
    NS_LOG_FUNCTION(this << item);

    const Facts facts = m_factsSource ? m_factsSource(*item) : Facts{};
    const uint8_t dsField = DsFieldOf(*item);
    const sluice::Verdict verdict = m_tile->Offer(
        {.nowNs = NowNs(),
         .flow = facts.subscriber.empty() ? FlowHash(*item, m_seed)
                                          : NameHash(std::string{facts.subscriber}, m_seed),
         .bytes = item->GetSize(),
         .ecn = static_cast<uint8_t>(dsField & sluice_ns3::ECN_FIELD),
         .rttUs = facts.rttUs,
         .queue = facts.queue,
         .dscp = static_cast<uint8_t>(dsField >> sluice_ns3::ECN_BITS)});
    const char* reason = m_reasons[verdict.reason];
    if (verdict.action == sluice::Action::DROP)
    {
        DropBeforeEnqueue(item, reason);
        if (verdict.victim)
        {
            DropAfterDequeue(m_queue->TakeAt(*verdict.victim), PUSHED_OUT);
        }
        return false;
    }
    if (verdict.action == sluice::Action::MARK)
    {
        MarkAs(item, reason);
    }
    return m_queue->Enqueue(item);
}

void
SluiceQueueDisc::MarkAs(Ptr<QueueDiscItem> item, const char* reason)
{
    const bool isMarked = Mark(item, reason);
    NS_ABORT_MSG_UNLESS(isMarked, "the tile marked a packet that is not ECN-capable");
}

Ptr<QueueDiscItem>
SluiceQueueDisc::DoDequeue()
{
    NS_LOG_FUNCTION(this);

    const bool mayWait = m_watchedDevice && !m_tile->TakesTurns();
    return m_queue->IsEmpty() && mayWait ? nullptr : AskTile();
}

Ptr<QueueDiscItem>
SluiceQueueDisc::AskTile()
{
    for (const sluice::Departure& departure : m_tile->Depart(NowNs()))
    {
        Ptr<QueueDiscItem> item = m_queue->TakeAt(departure.before);
        NS_ABORT_MSG_UNLESS(item, "the tile lets go what is not queued");
        const char* reason = m_reasons[departure.reason];
        if (!departure.isDropped)
        {
            if (departure.reason != 0)
            {
                MarkAs(item, reason);
            }
            return item;
        }
        DropAfterDequeue(item, reason);
    }
    NS_ABORT_MSG_UNLESS(m_queue->IsEmpty(), "the tile knows nothing of what is queued");
    return nullptr;
}

void
SluiceQueueDisc::TransmissionEnded(Ptr<const Packet> packet [[maybe_unused]])
{
    if (m_queue->IsEmpty() && m_watchedDevice->GetQueue()->IsEmpty())
    {
        AskTile();
    }
}

bool
SluiceQueueDisc::CheckConfig()
{
    NS_LOG_FUNCTION(this);
    if (GetNInternalQueues() == 0)
    {
        // The tile is the one that enforces the limit, so this queue must never refuse a packet.
        const QueueSize unlimited(QueueSizeUnit::PACKETS, std::numeric_limits<uint32_t>::max());
        m_queue = CreateObjectWithAttributes<SluiceQueue>("MaxSize", QueueSizeValue(unlimited));
        AddInternalQueue(m_queue);
    }
    return m_queue && GetNInternalQueues() == 1 && GetNQueueDiscClasses() == 0 &&
           GetNPacketFilters() == 0;
}

void
SluiceQueueDisc::InitializeParams()
{
    NS_LOG_FUNCTION(this);
    LoadModel();
    Configure();
    WatchDevice();
}

void
SluiceQueueDisc::LoadModel()
{
    m_tile = MakeTile(m_model);
    m_reasons.fill("Unknown reason");
    for (const auto& info : m_tile->Reasons())
    {
        m_reasons[info.code] = info.name;
    }
}

void
SluiceQueueDisc::Configure()
{
    const QueueSize limit = GetMaxSize();
    const bool inPackets = limit.GetUnit() == QueueSizeUnit::PACKETS;
    StageTileParameter(*m_tile, inPackets ? "limit" : "limit_bytes", limit.GetValue());

    const auto state = MakeTaus88State(m_seed);
    for (std::size_t i = 0; i < state.size(); ++i)
    {
        StageTileParameter(*m_tile, "seed" + std::to_string(i), state[i]);
    }
    StageTileParameters(*m_tile, m_parameters);

    std::string refused;
    if (!m_tile->Commit(refused))
    {
        throw std::invalid_argument("the model refused the parameters: " + refused);
    }
    WriteTileWords(*m_tile, m_words);
}

void
SluiceQueueDisc::WatchDevice()
{
    const auto queues = GetNetDeviceQueueInterface();
    m_watchedDevice = queues ? queues->GetObject<PointToPointNetDevice>() : nullptr;
    if (m_watchedDevice)
    {
        m_watchedDevice->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&SluiceQueueDisc::TransmissionEnded, this));
    }
}

} // namespace ns3
