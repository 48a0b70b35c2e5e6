// SPDX-License-Identifier: Apache-2.0
#include "net/namespace.h"

#include "net/kernel-file.h"

#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace sluice::live
{

namespace
{

/// Does something in a thread of its own, whose exceptions are the caller's.
void
Apart(const std::function<void()>& work)
{
    std::exception_ptr thrown;
    std::thread([&] {
        try
        {
            work();
        }
        catch (...)
        {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown)
    {
        std::rethrow_exception(thrown);
    }
}

void
Unshare(int what)
{
    if (unshare(what) != 0)
    {
        throw std::system_error(errno,
                                std::generic_category(),
                                "cannot make a namespace; run as root, or allow user namespaces");
    }
}

FileDescriptor
MakeNamespace()
{
    std::optional<FileDescriptor> made;
    Apart([&] {
        Unshare(CLONE_NEWNET);
        made.emplace(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "cannot open a network namespace");
    });
    return std::move(*made);
}

} // namespace

void
AllowNamespaces()
{
    try
    {
        Apart([] { Unshare(CLONE_NEWNET); });
    }
    catch (const std::system_error& error)
    {
        const std::string user = std::to_string(geteuid());
        const std::string group = std::to_string(getegid());
        Unshare(CLONE_NEWUSER);
        WriteKernelFile("/proc/self/setgroups", "deny");
        WriteKernelFile("/proc/self/uid_map", "0 " + user + " 1");
        WriteKernelFile("/proc/self/gid_map", "0 " + group + " 1");
    }
}

Namespace::Namespace()
    : self(MakeNamespace())
{
}

void
Namespace::Inside(const std::function<void()>& work) const
{
    Apart([&] {
        Enter();
        work();
    });
}

void
Namespace::Enter() const
{
    if (setns(self.Get(), CLONE_NEWNET) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "cannot enter a network namespace");
    }
}

std::string
Namespace::File() const
{
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(self.Get());
}

} // namespace sluice::live
