// SPDX-License-Identifier: Apache-2.0
//
// What the process is told. `sluice live` makes these words, having checked
// names and numbers; nobody else needs to know them.
#ifndef SLUICE_LIVE_OPTIONS_H
#define SLUICE_LIVE_OPTIONS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::live
{

/// A reason for which frames are marked or dropped.
struct Reason
{
    uint8_t code;
    bool isMark;
    std::string name;
};

struct Options
{
    std::string datapath;                                        ///< its name
    std::string library;                                         ///< its model
    uint32_t digest = 0;                                         ///< of its register map
    std::vector<std::pair<uint32_t, uint32_t>> words;            ///< of parameters: address and value
    std::vector<std::pair<std::string, std::string>> parameters; ///< the same by name, as text, to be shown
    std::vector<Reason> reasons;
    uint64_t delayNs = 0; ///< of the line, each way
    bool isBothWays = false;
    std::string congestion;           ///< TCP's
    uint64_t durationNs = 0;          ///< 0: until it is told to end
    std::string record;               ///< folder; empty: none
    std::string json;                 ///< file for the summary; empty: none
    std::string socket;               ///< where the registers are served
    std::string runFile;              ///< what others find the run by
    bool isStrict = false;            ///< a run that is not sound fails
    bool isQuiet = false;             ///< no table
    std::vector<std::string> command; ///< runs in the left namespace; empty: none
};

/// Throws std::invalid_argument.
Options OptionsOf(int count, char** words);

} // namespace sluice::live

#endif
