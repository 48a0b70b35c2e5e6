// SPDX-License-Identifier: Apache-2.0
//
// What a run shows: a line a second, and at the end a summary in words and as
// JSON.
#ifndef SLUICE_LIVE_RUN_REPORT_H
#define SLUICE_LIVE_RUN_REPORT_H

#include "options.h"
#include "path/path.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::live
{

/// A path and its name.
struct NamedPath
{
    std::string name;
    Path& path;
    const Endpoint& from;
    bool hasModel;
};

/// How a run has ended.
struct Ending
{
    std::string why;
    int status;
    double seconds;
    bool isFifo; ///< paths ran in the class SCHED_FIFO
};

class Report
{
  public:
    Report(const Options& itsOptions, std::vector<NamedPath> itsPaths);

    /// A line for each path with a model, of what has happened since the last
    /// one.
    void Line(double seconds);

    /// Whether frames had the times that the model gave them, as far as it goes;
    /// and if not, why.
    std::string Unsound(bool isFifo) const;

    std::string AsJson(const Ending& ending) const;
    std::string AsText(const Ending& ending) const;

  private:
    /// What a path had counted when the last line was shown.
    struct Seen
    {
        uint64_t inBytes = 0, outBytes = 0, drops = 0, marks = 0, busyNs = 0;
        HistogramView delay, late;
    };

    Seen Now(const Path& path) const;
    std::string PathJson(const NamedPath& its) const;

    const Options& options;
    std::vector<NamedPath> paths;
    std::vector<Seen> last;
    double lastSeconds = 0;
    unsigned lines = 0;
};

} // namespace sluice::live

#endif
