/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Plays a script of acknowledgements, marks and losses to a congestion control, without a network.
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
    double rttMs;             //!< smoothed round-trip time
};

/**
 * @brief Play a script.
 *
 * 'a' is an acknowledgement of one segment, 'e' one that echoes a mark, 'l' a loss that fast
 * retransmit repairs (the window becomes the new threshold), 't' a timeout (the window becomes one
 * segment), 'r' a round-trip time that passes. There is as much on its way as the window allows.
 * Throws std::invalid_argument for any other letter and for a wrong description.
 *
 * @param congestion the congestion control, as object text
 * @param start where to start
 * @param script the letters
 * @param watched a number that the control shows as an attribute; empty: the window, in segments
 * @return the watched value after each letter
 */
std::vector<double> PlayCongestionScript(const std::string& congestion,
                                         const CongestionStart& start,
                                         const std::string& script,
                                         const std::string& watched);

} // namespace sluice_ns3

#endif /* CONGESTION_SCRIPT_H */
