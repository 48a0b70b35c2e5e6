// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// What counting flows costs software: MINCOUNT with the 1,024 buckets of three numbers of sluice_mincount_1024 and its
// exposure estimate, window after window of so many packets, of flows drawn at random beforehand. An id is hashed by
// two multiplications. The fastest of several turns counts, because a machine that does other things too only makes
// turns longer. Prints the estimate of the last window in 256ths of a flow, and the nanoseconds of processor time of a
// window, one line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace
{

constexpr int BUCKET_BITS = 10;
constexpr int NUMBER_BITS = 20;
constexpr std::size_t VALUES = 3;
constexpr uint32_t LARGEST = (1u << NUMBER_BITS) - 1;
constexpr int FLOWS_FRACTION = 8;
constexpr int TURNS = 5;
constexpr uint64_t IDS_PER_TURN = 4'000'000; ///< some milliseconds at least

/// The smallest different numbers of each bucket in order; LARGEST where there is none.
class MinCount
{
  public:
    MinCount()
    {
        Clear();
    }

    void Arrive(uint32_t hash)
    {
        auto& kept = m_buckets[hash >> (32 - BUCKET_BITS)];
        uint32_t number = hash >> (32 - BUCKET_BITS - NUMBER_BITS) & LARGEST;
        if (number >= kept.back())
        {
            return;
        }
        for (auto& value : kept)
        {
            if (number == value)
            {
                return;
            }
            if (number < value)
            {
                std::swap(number, value);
            }
        }
    }

    /// The estimate, and a new window. A number stands for the middle of what its bits say.
    uint64_t EndWindow()
    {
        uint64_t stored = 0;
        uint64_t full = 0;
        uint64_t searched = 0;
        for (const auto& kept : m_buckets)
        {
            const bool isFull = kept.back() != LARGEST;
            stored += VALUES - std::count(kept.begin(), kept.end(), LARGEST);
            full += isFull;
            searched += isFull ? 2 * kept.back() + 1 : 2 * (LARGEST + 1);
        }
        Clear();
        const uint64_t found = m_buckets.size() * stored - full;
        return (found << (NUMBER_BITS + 1 + FLOWS_FRACTION)) / searched;
    }

  private:
    void Clear()
    {
        for (auto& kept : m_buckets)
        {
            kept.fill(LARGEST);
        }
    }

    std::array<std::array<uint32_t, VALUES>, 1u << BUCKET_BITS> m_buckets;
};

/// A hash with a salt: no two ids have the same (the last steps of MurmurHash3, in the public domain).
uint32_t
Hash(uint32_t id, uint32_t salt)
{
    id ^= salt;
    id = (id ^ id >> 16) * 0x85ebca6b;
    id = (id ^ id >> 13) * 0xc2b2ae35;
    return id ^ id >> 16;
}

/// Ids of the packets of a window: each of a flow drawn at random.
std::vector<uint32_t>
Draw(uint64_t ids, uint32_t flows, uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<uint32_t> packets(ids);
    std::generate(packets.begin(), packets.end(), [&] { return static_cast<uint32_t>(random() % flows); });
    return packets;
}

} // namespace

int
main(int argc, char** argv)
{
    const std::span arguments(argv, argc);
    const uint64_t ids = argc == 4 ? std::strtoull(arguments[1], nullptr, 10) : 0;
    const auto flows = static_cast<uint32_t>(argc == 4 ? std::strtoul(arguments[2], nullptr, 10) : 0);
    if (ids == 0 || flows == 0)
    {
        std::fprintf(stderr, "usage: mincount-bench IDS-PER-WINDOW FLOWS SEED\n");
        return 2;
    }
    const auto seed = static_cast<uint32_t>(std::strtoul(arguments[3], nullptr, 10));
    const auto packets = Draw(ids, flows, seed);
    const uint64_t windows = std::max<uint64_t>(1, IDS_PER_TURN / ids);
    MinCount counter;
    uint64_t estimate = 0;
    std::clock_t fastest = std::numeric_limits<std::clock_t>::max();
    for (int turn = 0; turn < TURNS; ++turn)
    {
        const std::clock_t start = std::clock();
        for (uint64_t window = 0; window < windows; ++window)
        {
            std::for_each(packets.begin(), packets.end(), [&](uint32_t id) { counter.Arrive(Hash(id, seed)); });
            estimate = counter.EndWindow();
        }
        fastest = std::min(fastest, std::clock() - start);
    }
    std::printf("%llu %.1f\n",
                static_cast<unsigned long long>(estimate),
                1e9 * static_cast<double>(fastest) / CLOCKS_PER_SEC / static_cast<double>(windows));
    return 0;
}
