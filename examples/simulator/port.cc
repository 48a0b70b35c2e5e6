// SPDX-License-Identifier: Apache-2.0
//
// RED's RTL in an event-driven simulator of one's own, in the manner of htsim: a list of events, sources, and a queue
// that asks the tile about each packet. Time is the simulator's; the tile runs some clocks when it is asked, and none
// in between.
#include <cstdio>
#include <functional>
#include <load-tile.h>
#include <map>

using Time = uint64_t; // ns

/// What happens next.
struct EventList : std::multimap<Time, std::function<void(Time)>>
{
    void Run(Time end)
    {
        for (; !empty() && begin()->first < end; erase(begin()))
        {
            begin()->second(begin()->first);
        }
    }
};

/// A link behind the hardware's queue: 10 Mbit/s.
struct Port
{
    static constexpr Time NS_PER_BYTE = 800;
    EventList& events;
    uint32_t bytes;
    std::unique_ptr<sluice::Tile> tile = sluice::LoadTile(TILE);
    bool busy = false;
    uint64_t arrived = 0, dropped = 0, sent = 0;

    void Receive(Time now, uint32_t flow)
    {
        ++arrived;
        const auto verdict = tile->Offer({.nowNs = now, .flow = flow, .bytes = bytes, .ecn = 0, .rttUs = 0});
        dropped += verdict.action == sluice::Action::DROP;
        if (!busy)
        {
            Serve(now);
        }
    }

    /// The link is free: what leaves the queue for it last, if anything, is the packet to send.
    void Serve(Time now)
    {
        const auto& left = tile->Depart(now);
        busy = !left.empty() && !left.back().isDropped;
        if (busy)
        {
            ++sent;
            events.emplace(now + bytes * NS_PER_BYTE, [this](Time then) { Serve(then); });
        }
    }
};

/// Eight flows that offer 1.2 times what the link carries, and heed nothing.
int
main()
{
    EventList events;
    Port port{.events = events, .bytes = 1000};
    std::function<void(Time)> source = [&](Time now) {
        port.Receive(now, static_cast<uint32_t>(port.arrived % 8) * 0x9E3779B1U);
        events.emplace(now + 666'667, source);
    };
    events.emplace(0, source);
    events.Run(10'000'000'000);
    std::printf("arrived %lu dropped %lu sent %lu\n", port.arrived, port.dropped, port.sent);
}
