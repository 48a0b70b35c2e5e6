// SPDX-License-Identifier: Apache-2.0
#include "path/register-port.h"

#include <utility>

namespace sluice::live
{

namespace
{

/// Beyond these a model has no address lines.
constexpr uint32_t MAP_BYTES = 4096;

bool
IsWordOfMap(uint32_t address)
{
    return address < MAP_BYTES && address % 4 == 0;
}

} // namespace

void
RegisterPort::Serve(Model& model, Tape* tape)
{
    const std::span<Access> run = mailbox.Posted();
    if (run.empty() || (isBegun && !Take(model, run[done], tape)))
    {
        return;
    }
    if (!isRefused && done < run.size())
    {
        Begin(model, run[done]);
    }
    if (!isBegun)
    {
        mailbox.Reply({std::exchange(done, 0), std::exchange(isRefused, false)});
    }
}

/// Takes the answer to the access that is under way. Returns whether it has come.
bool
RegisterPort::Take(Model& model, Access& access, Tape* tape)
{
    const auto answer = model.TakeAnswer();
    if (!answer)
    {
        return false;
    }
    isBegun = false;
    isRefused = !answer->isOkay;
    done += answer->isOkay;
    access.word = answer->value;
    if (answer->isOkay && answer->isWrite && tape)
    {
        const WrittenWord written{answer->address, answer->value};
        tape->Put({.kind = TapeEvent::Kind::Wrote, .action = SLUICE_PASS, .reason = 0, .timeNs = beganNs},
                  {reinterpret_cast<const uint8_t*>(&written), sizeof written});
    }
    return true;
}

void
RegisterPort::Begin(Model& model, const Access& access)
{
    isRefused = !IsWordOfMap(access.address);
    if (!isRefused)
    {
        isBegun = model.BeginAccess({.address = access.address, .value = access.word, .isWrite = access.isWrite});
        beganNs = model.NextEvent(); // while an access is under way, the time at the model's input
    }
}

} // namespace sluice::live
