// SPDX-License-Identifier: Apache-2.0
//
// See tile-behind.h.
#include "tile-behind.h"

#include "load-tile.h"

static std::unique_ptr<sluice::Tile> tile;

void tile_load(const char *library)
{
    tile = sluice::LoadTile(library);
}

uint32_t tile_read(uint32_t address)
{
    return tile->Read(address);
}

void tile_write(uint32_t address, uint32_t word)
{
    tile->Write(address, word);
}

void tile_offer(uint64_t now_ns, uint32_t bytes, uint16_t queue)
{
    sluice::Arrival arrival{};
    arrival.nowNs = now_ns;
    arrival.bytes = bytes;
    arrival.queue = queue;
    tile->Offer(arrival);
}

void tile_depart(uint64_t now_ns)
{
    tile->Depart(now_ns);
}
