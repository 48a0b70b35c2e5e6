/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Queue disciplines from text; see the header.
 */

#include "queue/queue-disc-text.h"

#include "reading/object-text.h"

#include "ns3/fq-cobalt-queue-disc.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/fq-pie-queue-disc.h"
#include "ns3/uinteger.h"

#include <charconv>
#include <stdexcept>

namespace sluice_ns3
{

using namespace ns3;

namespace
{

constexpr const char* QUANTUM = "quantum";   //!< no attribute of ns-3's, so not spelled like one
constexpr uint32_t LARGEST_QUANTUM{1 << 20}; //!< bytes, as in Linux; deficits have 32 bits

/**
 * @brief Read a quantum.
 * @param type what it is for, for the message
 * @param text the quantum
 * @return bytes, from 1 on
 */
uint32_t
ReadQuantum(const std::string& type, const std::string& text)
{
    uint32_t quantum = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, quantum);
    if (result.ec != std::errc() || result.ptr != end || quantum < 1 || quantum > LARGEST_QUANTUM)
    {
        throw std::invalid_argument(type + ": quantum=" + text +
                                    " is not a whole number of bytes from 1 to " +
                                    std::to_string(LARGEST_QUANTUM));
    }
    return quantum;
}

/**
 * @brief Set the quantum of a discipline if it is one of these types, which in ns-3 have no base
 * in common.
 * @param queueDisc the discipline
 * @param quantum bytes
 * @return whether it is one of them
 */
template <typename... FairQueues>
bool
SetQuantum(Ptr<QueueDisc> queueDisc, uint32_t quantum)
{
    const auto set = [quantum](auto fairQueue) {
        if (fairQueue)
        {
            fairQueue->SetQuantum(quantum);
        }
        return fairQueue != nullptr;
    };
    return (set(DynamicCast<FairQueues>(queueDisc)) || ...);
}

} // namespace

Ptr<QueueDisc>
MakeQueueDisc(const std::string& text, uint32_t seed)
{
    ObjectFactory factory = ParseObjectText(text, QueueDisc::GetTypeId(), {QUANTUM});
    const std::string type = factory.GetTypeId().GetName();
    TypeId::AttributeInformation info;
    if (factory.GetTypeId().LookupAttributeByName("Seed", &info) && !FindValue(text, "Seed"))
    {
        factory.Set("Seed", UintegerValue(seed));
    }
    auto queueDisc = factory.Create<QueueDisc>();

    const auto told = FindValue(text, QUANTUM);
    const uint32_t quantum = told ? ReadQuantum(type, *told) : 0;
    const bool isFair =
        SetQuantum<FqCoDelQueueDisc, FqPieQueueDisc, FqCobaltQueueDisc>(queueDisc, quantum);
    if (isFair && !told)
    {
        throw std::invalid_argument(type + " needs quantum=bytes");
    }
    if (told && !isFair)
    {
        throw std::invalid_argument(type + " has no quantum");
    }
    return queueDisc;
}

} // namespace sluice_ns3
