/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns ns-3's fatal errors into one line; see the header.
 */

#include "fatal-trap.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>

namespace sluice_ns3
{

namespace
{

constexpr int EXIT_FAILED = 2; //!< exit status of a run that could not be done

const std::ostringstream* g_text = nullptr; //!< what ns-3 has written

/**
 * @brief Find the reason in what ns-3 has written.
 * @param text what it has written
 * @return the text of the last msg="...", or of cond="..." for an assertion without a message
 */
std::string
FindReason(const std::string& text)
{
    for (const std::string opening : {"msg=\"", "cond=\""})
    {
        const auto begin = text.rfind(opening);
        if (begin != std::string::npos)
        {
            const std::string rest = text.substr(begin + opening.size());
            return rest.substr(0, rest.find("\", "));
        }
    }
    return "the simulator gave up";
}

/**
 * @brief Say why and end the process.
 */
[[noreturn]] void
Terminate()
{
    std::string reason = FindReason(g_text->str());
    if (auto current = std::current_exception())
    {
        try
        {
            std::rethrow_exception(current);
        }
        catch (const std::exception& error)
        {
            reason = error.what();
        }
        catch (...)
        {
        }
    }
    std::fprintf(stderr, "error: ns-3: %s\n", reason.c_str());
    std::fflush(stderr);
    _exit(EXIT_FAILED);
}

} // namespace

FatalTrap::FatalTrap()
    : m_cerr(std::cerr.rdbuf(m_text.rdbuf())),
      m_clog(std::clog.rdbuf(m_text.rdbuf())),
      m_terminate(std::set_terminate(Terminate))
{
    g_text = &m_text;
}

FatalTrap::~FatalTrap()
{
    std::set_terminate(m_terminate);
    std::clog.rdbuf(m_clog);
    std::cerr.rdbuf(m_cerr);
    std::cerr << m_text.str();
}

} // namespace sluice_ns3
