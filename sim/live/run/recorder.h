// SPDX-License-Identifier: Apache-2.0
//
// A run in files, so that it can be replayed: for each path NAME.pcap, the
// frames that the model took with the times at which they entered;
// NAME-out.pcap, those that left, with theirs; NAME.tsv, what became of each;
// and NAME-writes.tsv, the words that were written into registers, with the
// time of the model's input when each access began.
#ifndef SLUICE_LIVE_RUN_RECORDER_H
#define SLUICE_LIVE_RUN_RECORDER_H

#include "options.h"
#include "path/tape.h"

#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::live
{

class Recorder
{
  public:
    /// Files of that name in the folder. Throws std::system_error.
    Recorder(const std::string& folder, const std::string& name, const std::vector<Reason>& itsReasons);

    /// Writes what is on the tape.
    void Work();

    /// Writes the rest. Returns what has gone wrong; empty: nothing has.
    std::string Finish();

    Tape tape;

  private:
    using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

    /// A frame of which the table has no row yet.
    struct Frame
    {
        std::vector<uint8_t> bytes; ///< as it came
        uint64_t entryNs = 0;
        std::optional<TapeEvent> gone{};
    };

    static File Open(const std::string& path);
    static void Write(std::FILE* file, uint64_t timeNs, const std::vector<uint8_t>& bytes);
    void WriteRow(const Frame& frame);

    std::string folder;
    const std::vector<Reason>& reasons;
    File came, left, table, writes;
    std::vector<uint8_t> room;
    std::deque<Frame> frames; ///< from the oldest on that is not gone
    size_t judged = 0;        ///< of them
    uint64_t number = 0;      ///< of the oldest
};

} // namespace sluice::live

#endif
