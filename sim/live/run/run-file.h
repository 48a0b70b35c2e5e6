// SPDX-License-Identifier: Apache-2.0
//
// What others are told of a run while it lasts: a file with JSON, by which they find its registers and its namespaces.
#ifndef SLUICE_LIVE_RUN_RUN_FILE_H
#define SLUICE_LIVE_RUN_RUN_FILE_H

#include "net/endpoint.h"
#include "options.h"

#include <string>

namespace sluice::live
{

/// Is there as a whole or not at all, and goes with its owner. A run that is killed leaves it behind: it holds for as
/// long as the process that it names serves the socket that it names.
class RunFile
{
  public:
    /// Throws std::system_error.
    RunFile(const Options& options, const Endpoint& left, const Endpoint& right);
    ~RunFile();
    RunFile(const RunFile&) = delete;
    RunFile& operator=(const RunFile&) = delete;

  private:
    std::string path;
};

} // namespace sluice::live

#endif
