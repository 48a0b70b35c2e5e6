// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace sluice::live
{

namespace
{

/// How long a command may take to end when it is asked to.
constexpr int MOST_ENDING_MS = 1000;

} // namespace

Child::Child(const std::vector<std::string>& command, const Endpoint& left, const Endpoint& right)
{
    setenv("SLUICE_LEFT", left.Space().File().c_str(), 1);
    setenv("SLUICE_RIGHT", right.Space().File().c_str(), 1);
    setenv("SLUICE_PEER", LeftAddresses().otherIpv4.Text().c_str(), 1);
    setenv("SLUICE_PEER6", LeftAddresses().otherIpv6.Text().c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command)
    {
        words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);

    std::array<int, 2> ends; // the child tells why it could not begin; it says
                             // nothing if it could
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
    {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    const FileDescriptor hears(ends[0], "pipe");
    std::optional<FileDescriptor> tells(std::in_place, ends[1], "pipe");
    const pid_t parent = getpid();
    process = fork();
    if (process < 0)
    {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (process == 0)
    {
        int error = 0;
        try
        {
            sigset_t none;
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, nullptr);
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            left.Space().Enter();
            if (getppid() == parent)
            {
                execvp(words[0], words.data());
            }
            error = errno;
        }
        catch (const std::system_error& its)
        {
            error = its.code().value();
        }
        (void)!write(tells->Get(), &error, sizeof error);
        _exit(127);
    }
    tells.reset();
    int error = 0;
    if (read(hears.Get(), &error, sizeof error) == sizeof error)
    {
        waitpid(process, nullptr, 0);
        throw std::system_error(error, std::generic_category(), "cannot run " + command.front());
    }
}

Child::~Child()
{
    for (int waited = 0; !HasEnded() && waited < MOST_ENDING_MS; waited++)
    {
        if (waited == 0)
        {
            kill(process, SIGTERM);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!hasEnded)
    {
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
    }
}

bool
Child::HasEnded()
{
    int its = 0;
    if (!hasEnded && waitpid(process, &its, WNOHANG) == process)
    {
        hasEnded = true;
        status = WIFEXITED(its) ? WEXITSTATUS(its) : 128 + WTERMSIG(its);
    }
    return hasEnded;
}

} // namespace sluice::live
