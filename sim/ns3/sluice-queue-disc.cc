/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A queue discipline around a Verilated tile; see the header.
 */

#include "sluice-queue-disc.h"

#include "flow-hash.h"
#include "tile-library.h"
#include "tile-parameters.h"

#include "ns3/abort.h"
#include "ns3/drop-tail-queue.h"
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
 * @brief Tell whether a packet is ECN-capable, in IPv4 as in IPv6.
 * @param item the packet
 * @return true for ECT(0), ECT(1) and CE
 */
bool
IsEcnCapable(const QueueDiscItem& item)
{
    constexpr uint8_t ECN_FIELD = 0x03;
    uint8_t dsField = 0;
    return item.GetUint8Value(QueueItem::IP_DSFIELD, dsField) && (dsField & ECN_FIELD) != 0;
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
    m_rttSource = nullptr;
    m_tile.reset();
    QueueDisc::DoDispose();
}

void
SluiceQueueDisc::SetRttSource(RttSource source)
{
    m_rttSource = std::move(source);
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

    const sluice::Verdict verdict = m_tile->Offer({.nowNs = NowNs(),
                                                   .flow = FlowHash(*item, m_seed),
                                                   .bytes = item->GetSize(),
                                                   .ect = IsEcnCapable(*item),
                                                   .rttUs = m_rttSource ? m_rttSource(*item) : 0,
                                                   .queue = 0});
    const char* reason = m_reasons[verdict.reason];
    if (verdict.action == sluice::Action::DROP)
    {
        DropBeforeEnqueue(item, reason);
        return false;
    }
    if (verdict.action == sluice::Action::MARK)
    {
        const bool isMarked = Mark(item, reason);
        NS_ABORT_MSG_UNLESS(isMarked, "the tile marked a packet that is not ECN-capable");
    }
    return GetInternalQueue(0)->Enqueue(item);
}

Ptr<QueueDiscItem>
SluiceQueueDisc::DoDequeue()
{
    NS_LOG_FUNCTION(this);

    const bool isEmpty = GetInternalQueue(0)->IsEmpty();
    if (!isEmpty || !m_watchedDevice)
    {
        AskTile();
    }
    return isEmpty ? nullptr : GetInternalQueue(0)->Dequeue();
}

void
SluiceQueueDisc::AskTile()
{
    const bool hasPacket = m_tile->Depart(NowNs());
    NS_ABORT_MSG_IF(hasPacket == GetInternalQueue(0)->IsEmpty(),
                    "the tile and the queue disagree on whether a packet is queued");
}

void
SluiceQueueDisc::TransmissionEnded(Ptr<const Packet> packet [[maybe_unused]])
{
    if (GetInternalQueue(0)->IsEmpty() && m_watchedDevice->GetQueue()->IsEmpty())
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
        AddInternalQueue(
            CreateObjectWithAttributes<DropTailQueue<QueueDiscItem>>("MaxSize",
                                                                     QueueSizeValue(unlimited)));
    }
    return GetNInternalQueues() == 1 && GetNQueueDiscClasses() == 0 && GetNPacketFilters() == 0;
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
