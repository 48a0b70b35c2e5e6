// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Moves the code of a library to pages of memory in which the processor runs it fast. Which physical pages hold code
// full of loads and stores, as a Verilated model is, changes its pace by more than 2 on some processors (seen on AMD
// Zen 5: the same pages at another virtual address run as fast, other pages at the same virtual address do not, huge
// pages are no better, and code that only loads or only stores is not affected). No rule says which pages are good, so
// some are tried.
#ifndef SLUICE_CODE_PLACEMENT_H
#define SLUICE_CODE_PLACEMENT_H

namespace sluice
{

/// Runs `work` with the code of this library in several sets of pages and leaves the code in the set where it took
/// least time. The virtual addresses stay. Does nothing where the system does not let code move, nor where the
/// environment has SLUICE_CODE_PLACEMENT=off: debuggers, profilers and sanitizers find no names for code that lies in
/// no file. "on" is as if it said nothing; any other word throws std::invalid_argument.
void PlaceCode(void (*work)());

} // namespace sluice

#endif // SLUICE_CODE_PLACEMENT_H
