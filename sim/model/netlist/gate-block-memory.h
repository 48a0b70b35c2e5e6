// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A block memory of 1024 words of 18 bits with two sides, or of 512 of 36.
//
// A read of what the other side writes in the same clock gives what was there with those bits inverted, because the
// vendor's model gives X there: nobody may rely on it.
#ifndef SLUICE_GATE_BLOCK_MEMORY_H
#define SLUICE_GATE_BLOCK_MEMORY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice
{

/// What a side is given at an edge.
struct BlockAccess
{
    bool isEnabled, isWriting, isReset;
    uint64_t address, data;
};

class BlockMemory
{
  public:
    struct Side
    {
        unsigned width;    ///< 36: the data pins of both sides
        bool keepsOnWrite; ///< what it shows, else what was there
        bool isClocked;
    };

    BlockMemory(const std::array<Side, 2>& sides, std::vector<uint32_t> words)
        : m_sides(sides),
          m_words(std::move(words))
    {
    }

    /// What a side shows; a read of 36 bits is all on the second.
    uint64_t Shown(size_t side) const
    {
        return m_shown[side];
    }

    void Clock(const std::array<BlockAccess, 2>& access)
    {
        std::array<uint64_t, 2> mask{};
        std::array<Place, 2> place{};
        for (size_t i = 0; i < 2; i++)
        {
            const Side& side = m_sides[i];
            const BlockAccess& a = access[i];
            place[i] = PlaceOf(side, a.address);
            const bool isWriting = side.isClocked && a.isEnabled && a.isWriting && !a.isReset;
            mask[i] = isWriting ? Written(side, place[i], a.address) : 0;
        }
        for (size_t i = 0; i < 2; i++)
        {
            const Side& side = m_sides[i];
            const BlockAccess& a = access[i];
            if (side.isClocked && a.isReset)
            {
                m_shown[i] = 0;
            }
            else if (side.isClocked && a.isEnabled && !(a.isWriting && side.keepsOnWrite))
            {
                const uint64_t rubbish = place[0].word == place[1].word ? mask[1 - i] : 0;
                const uint64_t seen = (Pair(place[i].word) ^ rubbish) >> place[i].first;
                m_shown[i] = seen & ((uint64_t{1} << place[i].bits) - 1);
            }
        }
        for (size_t i = 0; i < 2; i++)
        {
            if (mask[i])
            {
                const uint64_t data = access[i].data << place[i].first;
                const uint64_t now = (Pair(place[i].word) & ~mask[i]) | (data & mask[i]);
                m_words[place[i].word] = now & 0x3ffff;
                m_words[place[i].word + 1] = now >> 18 & 0x3ffff;
            }
        }
    }

  private:
    /// What an access touches: the first of the bits in the pair of 18-bit words `word`, `word` + 1, and how many.
    struct Place
    {
        size_t word;
        unsigned first;
        unsigned bits;
    };

    static Place PlaceOf(const Side& side, uint64_t address)
    {
        const size_t word = address >> 5 << 1;
        switch (side.width)
        {
        case 36:
            return {word, 0, 36};
        case 18:
            return {word, address & 16 ? 18u : 0u, 18};
        case 9:
            return {word, static_cast<unsigned>(9 * (address >> 3 & 3)), 9};
        default: // 4, 2, 1: eight bits out of nine
            return {word, static_cast<unsigned>(9 * (address >> 3 & 3) + (address & (8 - side.width))), side.width};
        }
    }

    /// The bits of the pair that a write changes: from 18 on, the lowest address bits are enables of bytes.
    static uint64_t Written(const Side& side, const Place& place, uint64_t address)
    {
        if (side.width < 18)
        {
            return ((uint64_t{1} << place.bits) - 1) << place.first;
        }
        uint64_t mask = 0;
        for (unsigned byte = 0; byte < side.width / 9; byte++)
        {
            mask |= (address >> byte & 1 ? uint64_t{0x1ff} : 0) << 9 * byte;
        }
        return mask << place.first;
    }

    uint64_t Pair(size_t word) const
    {
        return m_words[word] | uint64_t{m_words[word + 1]} << 18;
    }

    std::array<Side, 2> m_sides;
    std::vector<uint32_t> m_words;
    std::array<uint64_t, 2> m_shown{};
};

} // namespace sluice

#endif // SLUICE_GATE_BLOCK_MEMORY_H
