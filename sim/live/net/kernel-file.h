// SPDX-License-Identifier: Apache-2.0
//
// Files by which the kernel is told something.
#ifndef SLUICE_LIVE_KERNEL_FILE_H
#define SLUICE_LIVE_KERNEL_FILE_H

#include "file-descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace sluice::live
{

/// Writes a word in one call, as such files want it. Throws std::system_error
/// where the kernel refuses it.
inline void
WriteKernelFile(const std::string& path, const std::string& word)
{
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC), path.c_str());
    if (write(file.Get(), word.data(), word.size()) != static_cast<ssize_t>(word.size()))
    {
        throw std::system_error(errno, std::generic_category(), "cannot write " + word + " to " + path);
    }
}

} // namespace sluice::live

#endif
