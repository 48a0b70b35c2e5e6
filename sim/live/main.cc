// SPDX-License-Identifier: Apache-2.0
//
// `sluice live` in its own process: Linux' own TCP through a Verilated
// datapath.
#include "options.h"
#include "run/run.h"

#include <cstdio>
#include <exception>

int
main(int count, char** words)
{
    try
    {
        return sluice::live::Run(sluice::live::OptionsOf(count, words));
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "sluice live: %s\n", error.what());
        return sluice::live::USER_ERROR;
    }
}
