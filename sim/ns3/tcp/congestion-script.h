/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Plays a script of acknowledgements and losses to a congestion control, without a network.
 */

#ifndef CONGESTION_SCRIPT_H
#define CONGESTION_SCRIPT_H

#include <cstdint>
#include <string>
#include <vector>

namespace sluice_ns3
{

/// Where a script starts.
struct CongestionStart
{
    uint32_t segmentBytes;    //!< segment size
    double windowSegments;    //!< congestion window
    double thresholdSegments; //!< slow start threshold
};

/**
 * @brief Play a script.
 *
 * 'a' is an acknowledgement of one segment, 'l' a loss that fast retransmit repairs (the window
 * becomes the new threshold), 't' a timeout (the window becomes one segment). Throws
 * std::invalid_argument for any other letter and for a wrong description.
 *
 * @param congestion the congestion control, as object text
 * @param start where to start
 * @param script the letters
 * @return the window in segments after each letter
 */
std::vector<double> PlayCongestionScript(const std::string& congestion,
                                         const CongestionStart& start,
                                         const std::string& script);

} // namespace sluice_ns3

#endif /* CONGESTION_SCRIPT_H */
