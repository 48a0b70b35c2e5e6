// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// How fast a Verilated tile judges packets when nothing else runs: a link of 1250 packets per second that
// is offered a fifth more than it carries, from 32 flows. The same work is done by tiles at every place that the
// heap may give them within a page, in turn and again and again; each counts with its fastest turn, because a machine
// that does other things too only makes turns longer. Prints packets, seconds of processor time at the fastest and at
// the slowest place, and clock cycles of the tile, one line.
#include "sluice-tile.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace
{

constexpr uint64_t DEPARTURE_NS = 800'000; ///< time of one packet on the link
constexpr uint64_t ARRIVAL_NS = 666'667;   ///< time between two packets offered
constexpr uint32_t FLOWS = 32;             ///< flows in turn
constexpr uint32_t MIXER = 0x9E3779B1;     ///< odd, so that it spreads the flow numbers over 32 bits
constexpr uint32_t PACKET_BYTES = 1000;
constexpr std::size_t PAGE = 4096; ///< bytes over which the places are spread
constexpr std::size_t STEP = 64;   ///< bytes from one place to the next: a model begins with a cache line
constexpr int TURNS = 6;           ///< of each tile

/// A tile behind some bytes of the heap, and how far it has come.
struct Placed
{
    std::unique_ptr<char[]> before;
    std::unique_ptr<sluice::Tile> tile;
    uint64_t offered = 0;
    uint64_t departureNs = DEPARTURE_NS;
    std::clock_t fastest = std::numeric_limits<std::clock_t>::max();

    /// Offers packets and lets the link take them in the order of time.
    void Drive(uint64_t packets)
    {
        for (const uint64_t end = offered + packets; offered < end; ++offered)
        {
            const uint64_t nowNs = offered * ARRIVAL_NS;
            for (; departureNs <= nowNs; departureNs += DEPARTURE_NS)
            {
                tile->Depart(departureNs);
            }
            const auto flow = static_cast<uint32_t>(offered % FLOWS) * MIXER;
            tile->Offer({.nowNs = nowNs, .flow = flow, .bytes = PACKET_BYTES, .ecn = 0, .rttUs = 0});
        }
    }

    void Measure(uint64_t packets)
    {
        const std::clock_t start = std::clock();
        Drive(packets);
        fastest = std::min(fastest, std::clock() - start);
    }
};

double
Seconds(std::clock_t ticks)
{
    return static_cast<double>(ticks) / CLOCKS_PER_SEC;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 3)
    {
        std::fprintf(stderr, "usage: tile-bench LIBRARY PACKETS\n");
        return 2;
    }
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    auto* create =
        library ? reinterpret_cast<decltype(&SluiceCreateTile)>(dlsym(library, "SluiceCreateTile")) : nullptr;
    const uint64_t packets = std::strtoull(argv[2], nullptr, 10);
    if (create == nullptr || packets == 0)
    {
        std::fprintf(stderr, "tile-bench: no tile in %s, or no packets\n", argv[1]);
        return 2;
    }
    std::vector<Placed> places;
    for (std::size_t offset = 0; offset <= PAGE; offset += STEP)
    {
        auto before = std::make_unique<char[]>(offset);
        std::string reason;
        places.push_back({.before = std::move(before), .tile = std::unique_ptr<sluice::Tile>(create(reason))});
        if (!places.back().tile)
        {
            std::fprintf(stderr, "tile-bench: no tile in %s: %s\n", argv[1], reason.c_str());
            return 2;
        }
    }
    const uint64_t cyclesBefore = places.front().tile->Cycles();
    for (int turn = 0; turn < TURNS; ++turn)
    {
        for (auto& place : places)
        {
            place.Measure(packets);
        }
    }
    const auto [fastest, slowest] =
        std::minmax_element(places.begin(), places.end(), [](const Placed& a, const Placed& b) {
            return a.fastest < b.fastest;
        });
    std::printf("%llu %.6f %.6f %.0f\n",
                static_cast<unsigned long long>(packets),
                Seconds(fastest->fastest),
                Seconds(slowest->fastest),
                static_cast<double>(places.front().tile->Cycles() - cyclesBefore) / TURNS);
    return 0;
}
