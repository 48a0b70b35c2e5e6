// SPDX-License-Identifier: Apache-2.0
//
// How often a time was how long, in steps of a quarter of an octave: written by
// one thread, read by any.
#ifndef SLUICE_LIVE_HISTOGRAM_H
#define SLUICE_LIVE_HISTOGRAM_H

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::live
{

/// Adds to a number that only the calling thread changes.
inline void
Add(std::atomic<uint64_t>& to, uint64_t amount)
{
    to.store(to.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

/// What a histogram held at some time.
struct HistogramView
{
    /// From 1 us, in steps of 2^(1/4), to 16 s and beyond.
    static constexpr size_t STEPS = 98;

    /// Longest time of a step, in us.
    static double MostUs(size_t step)
    {
        return std::exp2(static_cast<double>(step) / 4);
    }

    uint64_t Total() const
    {
        uint64_t total = 0;
        for (const uint64_t count : counts)
        {
            total += count;
        }
        return total;
    }

    /// The time in ms that this part of all do not exceed, rounded up to a step;
    /// 0 where there are none.
    double QuantileMs(double part) const
    {
        const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(Total())));
        uint64_t seen = 0;
        for (size_t step = 0; step < STEPS && wanted > 0; step++)
        {
            seen += counts[step];
            if (seen >= wanted)
            {
                return MostUs(step) / 1000;
            }
        }
        return 0;
    }

    /// What has come since another view was taken.
    HistogramView Since(const HistogramView& earlier) const
    {
        HistogramView news;
        for (size_t step = 0; step < STEPS; step++)
        {
            news.counts[step] = counts[step] - earlier.counts[step];
        }
        return news;
    }

    std::array<uint64_t, STEPS> counts{};
};

class Histogram
{
  public:
    void Note(uint64_t ns)
    {
        Add(counts[StepOf(ns)], 1);
    }

    HistogramView View() const
    {
        HistogramView view;
        std::ranges::transform(counts, view.counts.begin(), [](const auto& count) {
            return count.load(std::memory_order_relaxed);
        });
        return view;
    }

  private:
    /// The first step that is no shorter.
    static size_t StepOf(uint64_t ns)
    {
        const double us = static_cast<double>(std::max<uint64_t>(ns, 1000)) / 1000;
        return std::min<size_t>(static_cast<size_t>(std::ceil(std::log2(us) * 4)), HistogramView::STEPS - 1);
    }

    std::array<std::atomic<uint64_t>, HistogramView::STEPS> counts{};
};

} // namespace sluice::live

#endif
