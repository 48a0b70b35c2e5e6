// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// How fast a Verilated tile judges packets when nothing else runs: a link of 1250 packets per second that
// is offered a fifth more than it carries, from 32 flows. Prints packets, seconds of wall time and clock
// cycles of the tile, one line.
#include "sluice-tile.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>

namespace
{

constexpr uint64_t DEPARTURE_NS = 800'000; ///< time of one packet on the link
constexpr uint64_t ARRIVAL_NS = 666'667;   ///< time between two packets offered
constexpr uint32_t FLOWS = 32;             ///< flows in turn
constexpr uint32_t MIXER = 0x9E3779B1;     ///< odd, so that it spreads the flow numbers over 32 bits
constexpr uint32_t PACKET_BYTES = 1000;

/// Offers packets and lets the link take them in the order of time.
void
Drive(sluice::Tile& tile, uint64_t packets)
{
    uint64_t departureNs = DEPARTURE_NS;
    for (uint64_t i = 0; i < packets; ++i)
    {
        const uint64_t nowNs = i * ARRIVAL_NS;
        for (; departureNs <= nowNs; departureNs += DEPARTURE_NS)
        {
            tile.Depart(departureNs);
        }
        const auto flow = static_cast<uint32_t>(i % FLOWS) * MIXER;
        tile.Offer({.nowNs = nowNs, .flow = flow, .bytes = PACKET_BYTES, .ect = false, .rttUs = 0, .queue = 0});
    }
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
    auto* create = library ? reinterpret_cast<sluice::Tile* (*)()>(dlsym(library, "SluiceCreateTile")) : nullptr;
    const uint64_t packets = std::strtoull(argv[2], nullptr, 10);
    if (create == nullptr || packets == 0)
    {
        std::fprintf(stderr, "tile-bench: no tile in %s, or no packets\n", argv[1]);
        return 2;
    }
    const std::unique_ptr<sluice::Tile> tile(create());
    tile->Reset();
    const auto start = std::chrono::steady_clock::now();
    Drive(*tile, packets);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("%llu %.6f %llu\n",
                static_cast<unsigned long long>(packets),
                wall.count(),
                static_cast<unsigned long long>(tile->Cycles()));
    return 0;
}
