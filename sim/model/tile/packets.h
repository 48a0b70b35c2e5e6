// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The packets that a tile has accepted and that have not left it, as its ports tell of them: which one leaves, is
// dropped in its queue or thrown out, and how many of those that stay were accepted before it.
#ifndef SLUICE_TILE_PACKETS_H
#define SLUICE_TILE_PACKETS_H

#include "sluice-tile.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace sluice
{

class TilePackets
{
  public:
    void Clear()
    {
        m_queue.clear();
        m_departures.clear();
        m_accepted = 0;
    }

    bool AreNone() const
    {
        return m_queue.empty();
    }

    void Accept(uint32_t queue)
    {
        m_queue.push_back({.place = m_accepted++, .queue = queue, .isThere = true});
    }

    /// The oldest packet of a queue leaves.
    void Leave(Departure departure, uint32_t queue)
    {
        const auto left = std::ranges::find(m_queue, queue, &Queued::queue);
        if (left == m_queue.end())
        {
            throw std::runtime_error("the tile lets out what is not queued");
        }
        if (left->isThere) // who was thrown out has been told of before
        {
            departure.before = std::ranges::count(m_queue.begin(), left, true, &Queued::isThere);
            m_departures.push_back(departure);
        }
        m_queue.erase(left);
    }

    /// The packet at a place, which counts as the tile does, modulo a power of two, is thrown out. Returns how many are
    /// before it.
    uint32_t ThrowOut(uint32_t place, uint32_t modulus)
    {
        uint32_t before = 0;
        for (Queued& queued : m_queue)
        {
            if ((queued.place & (modulus - 1)) == place)
            {
                queued.isThere = false;
                return before;
            }
            before += queued.isThere;
        }
        throw std::runtime_error("the tile throws out what is not queued");
    }

    /// What has left since the last call; valid until the next one.
    const std::vector<Departure>& TakeDepartures()
    {
        m_told.clear();
        std::swap(m_told, m_departures);
        return m_told;
    }

  private:
    struct Queued
    {
        uint64_t place; ///< how many were accepted before it
        uint32_t queue; ///< number of its queue
        bool isThere;   ///< it has not been thrown out
    };

    std::deque<Queued> m_queue; ///< oldest first
    uint64_t m_accepted = 0;    ///< since the last Clear()
    std::vector<Departure> m_departures;
    std::vector<Departure> m_told;
};

} // namespace sluice

#endif // SLUICE_TILE_PACKETS_H
