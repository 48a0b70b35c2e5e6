/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Distributions collected at a constant cost per sample; see the header.
 */

#include "measurement/histograms.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sluice_ns3
{

namespace
{

constexpr uint32_t BIN_BITS = 7;                     //!< leading bits below the first that count
constexpr uint64_t BINS_PER_OCTAVE = 1U << BIN_BITS; //!< bins from one power of two to the next
constexpr std::size_t BINS = (65 - BIN_BITS) * BINS_PER_OCTAVE; //!< enough for 64 bits

/**
 * @brief Find the bin of a time. Times below 128 ns have bins of their own.
 * @param ns the time
 * @return index of the bin
 */
std::size_t
BinOf(uint64_t ns)
{
    if (ns < BINS_PER_OCTAVE)
    {
        return ns;
    }
    const uint32_t shift = std::bit_width(ns) - BIN_BITS - 1;
    return (uint64_t{shift} << BIN_BITS) + (ns >> shift);
}

/**
 * @brief Find the middle of a bin.
 * @param bin index of the bin
 * @return nanoseconds
 */
double
MiddleOf(std::size_t bin)
{
    if (bin < 2 * BINS_PER_OCTAVE)
    {
        return static_cast<double>(bin);
    }
    const auto shift = static_cast<int>((bin >> BIN_BITS) - 1);
    const auto lead = static_cast<double>((bin & (BINS_PER_OCTAVE - 1)) + BINS_PER_OCTAVE);
    return std::ldexp(lead + 0.5, shift);
}

/**
 * @brief Find the first index at which the running sum reaches a part of the whole.
 * @param weights what to sum up
 * @param part the part, 0..1
 * @return the index, 0 if all weights are zero
 */
template <typename T>
std::size_t
QuantileIndex(const std::vector<T>& weights, double part)
{
    double whole = 0;
    for (const T weight : weights)
    {
        whole += static_cast<double>(weight);
    }
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
    {
        sum += static_cast<double>(weights[i]);
        if (sum > 0 && sum >= part * whole)
        {
            return i;
        }
    }
    return 0;
}

} // namespace

void
LevelHistogram::Start(int64_t nowNs, uint32_t level)
{
    m_ns.clear();
    m_sinceNs = nowNs;
    m_level = level;
}

void
LevelHistogram::Change(int64_t nowNs, uint32_t level)
{
    if (m_level >= m_ns.size())
    {
        m_ns.resize(m_level + 1);
    }
    m_ns[m_level] += nowNs - m_sinceNs;
    m_sinceNs = nowNs;
    m_level = level;
}

double
LevelHistogram::GetMean() const
{
    double time = 0;
    double sum = 0;
    for (std::size_t level = 0; level < m_ns.size(); ++level)
    {
        time += static_cast<double>(m_ns[level]);
        sum += static_cast<double>(m_ns[level]) * static_cast<double>(level);
    }
    return time > 0 ? sum / time : 0;
}

double
LevelHistogram::GetStandardDeviation() const
{
    const double mean = GetMean();
    double time = 0;
    double sum = 0;
    for (std::size_t level = 0; level < m_ns.size(); ++level)
    {
        time += static_cast<double>(m_ns[level]);
        sum += static_cast<double>(m_ns[level]) * std::pow(static_cast<double>(level) - mean, 2);
    }
    return time > 0 ? std::sqrt(sum / time) : 0;
}

uint32_t
LevelHistogram::GetQuantile(double part) const
{
    return static_cast<uint32_t>(QuantileIndex(m_ns, part));
}

TimeHistogram::TimeHistogram()
    : m_counts(BINS)
{
}

void
TimeHistogram::Add(int64_t ns)
{
    const auto sample = static_cast<uint64_t>(std::max<int64_t>(ns, 0));
    ++m_counts[BinOf(sample)];
    ++m_total;
    m_sumNs += static_cast<double>(sample);
}

double
TimeHistogram::GetMean() const
{
    return m_total > 0 ? m_sumNs / static_cast<double>(m_total) : 0;
}

double
TimeHistogram::GetQuantile(double part) const
{
    return MiddleOf(QuantileIndex(m_counts, part));
}

} // namespace sluice_ns3
