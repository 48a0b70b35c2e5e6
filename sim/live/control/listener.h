// SPDX-License-Identifier: Apache-2.0
//
// The socket that clients of the registers connect to.
#ifndef SLUICE_LIVE_CONTROL_LISTENER_H
#define SLUICE_LIVE_CONTROL_LISTENER_H

#include "file-descriptor.h"

#include <string>

namespace sluice::live
{

/// A Unix socket of kind SOCK_SEQPACKET that listens at the path and does not block. Only this user may connect. A
/// socket that lies there and that nobody listens at any more is replaced; else an existing file is an error. Throws
/// std::system_error.
FileDescriptor Listen(const std::string& path, int backlog);

} // namespace sluice::live

#endif
