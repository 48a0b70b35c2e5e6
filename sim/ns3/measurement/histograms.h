/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Distributions collected at a constant cost per sample.
 */

#ifndef HISTOGRAMS_H
#define HISTOGRAMS_H

#include <cstdint>
#include <vector>

namespace sluice_ns3
{

constexpr double NS_PER_MS = 1e6; //!< nanoseconds in a millisecond

/**
 * @brief The distribution over time of a small whole number, such as a queue length. Exact.
 */
class LevelHistogram
{
  public:
    /**
     * @brief Start over at a level.
     * @param nowNs time
     * @param level the level from now on
     */
    void Start(int64_t nowNs, uint32_t level);

    /**
     * @brief Change the level.
     * @param nowNs time, not before the last one
     * @param level the level from now on
     */
    void Change(int64_t nowNs, uint32_t level);

    /**
     * @brief Get the time average.
     * @return the mean level
     */
    double GetMean() const;

    /**
     * @brief Get the standard deviation over time.
     * @return the standard deviation of the level
     */
    double GetStandardDeviation() const;

    /**
     * @brief Get a quantile over time.
     * @param part the part of the time, 0..1
     * @return the least level that was not exceeded for that part of the time
     */
    uint32_t GetQuantile(double part) const;

  private:
    std::vector<int64_t> m_ns; //!< time spent at each level
    int64_t m_sinceNs{0};      //!< when the level last changed
    uint32_t m_level{0};       //!< the level now
};

/**
 * @brief The distribution of times. The mean is exact, quantiles are within 0.4 %.
 */
class TimeHistogram
{
  public:
    TimeHistogram();

    /**
     * @brief Count a sample.
     * @param ns the time in nanoseconds, not negative
     */
    void Add(int64_t ns);

    /**
     * @brief Get the mean.
     * @return nanoseconds, 0 without a sample
     */
    double GetMean() const;

    /**
     * @brief Get a quantile.
     * @param part the part of the samples, 0..1
     * @return nanoseconds, 0 without a sample
     */
    double GetQuantile(double part) const;

  private:
    std::vector<uint64_t> m_counts; //!< samples per bin, 128 bins to the octave
    uint64_t m_total{0};            //!< samples
    double m_sumNs{0};              //!< sum of the samples
};

} // namespace sluice_ns3

#endif /* HISTOGRAMS_H */
