/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Turns ns-3's fatal errors into one line and an exit status.
 */

#ifndef FATAL_TRAP_H
#define FATAL_TRAP_H

#include <exception>
#include <sstream>
#include <streambuf>

namespace sluice_ns3
{

/**
 * @brief While one exists, a fatal error of ns-3 ends the process with the line "error: ..." on
 * standard error and exit status 2.
 *
 * ns-3 writes the reason to std::cerr, the time to std::clog, and calls std::terminate(). What else
 * is written there meanwhile appears on std::cerr when the trap is gone. One trap at a time.
 */
class FatalTrap
{
  public:
    FatalTrap();
    ~FatalTrap();

    FatalTrap(const FatalTrap&) = delete;
    FatalTrap& operator=(const FatalTrap&) = delete;

  private:
    std::ostringstream m_text;          //!< what was written
    std::streambuf* m_cerr;             //!< where std::cerr wrote before
    std::streambuf* m_clog;             //!< where std::clog wrote before
    std::terminate_handler m_terminate; //!< the handler before
};

} // namespace sluice_ns3

#endif /* FATAL_TRAP_H */
