// SPDX-License-Identifier: Apache-2.0
//
// A file descriptor that is closed when its owner goes.
#ifndef SLUICE_LIVE_FILE_DESCRIPTOR_H
#define SLUICE_LIVE_FILE_DESCRIPTOR_H

#include <cerrno>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace sluice::live
{

class FileDescriptor
{
  public:
    /// Takes what a system call has returned; throws std::system_error, which
    /// says what could not be done, where it failed.
    FileDescriptor(int number, const char* what)
        : number(number)
    {
        if (number < 0)
        {
            throw std::system_error(errno, std::generic_category(), what);
        }
    }

    FileDescriptor(FileDescriptor&& other) noexcept
        : number(std::exchange(other.number, -1))
    {
    }

    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(number, other.number);
        return *this;
    }

    ~FileDescriptor()
    {
        if (number >= 0)
        {
            close(number);
        }
    }

    int Get() const
    {
        return number;
    }

  private:
    int number;
};

} // namespace sluice::live

#endif
