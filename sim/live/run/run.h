// SPDX-License-Identifier: Apache-2.0
//
// A run from its beginning to its end.
#ifndef SLUICE_LIVE_RUN_RUN_H
#define SLUICE_LIVE_RUN_RUN_H

#include "options.h"

namespace sluice::live
{

/// The run's exit statuses besides those of its command.
enum RunStatus : int
{
    FINE = 0,
    USER_ERROR = 2,
    STUCK = 3,   ///< a model has stopped
    UNSOUND = 4, ///< where `isStrict`
};

/// Makes namespaces, devices and models, runs the command, shows what happens,
/// and takes all of it down. Returns the exit status. Throws what could not be
/// made.
int Run(const Options& options);

} // namespace sluice::live

#endif
