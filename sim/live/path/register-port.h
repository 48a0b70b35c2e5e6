// SPDX-License-Identifier: Apache-2.0
//
// Accesses to the registers of a model, from a mailbox, while frames pass.
#ifndef SLUICE_LIVE_REGISTER_PORT_H
#define SLUICE_LIVE_REGISTER_PORT_H

#include "control/mailbox.h"
#include "path/model.h"
#include "path/tape.h"

#include <cstddef>

namespace sluice::live
{

class RegisterPort
{
  public:
    explicit RegisterPort(Mailbox& itsMailbox)
        : mailbox(itsMailbox)
    {
    }

    /// Takes the answer to an access, and begins the next one, which is then something to be done in the model. To be
    /// called once the model has run. Words that are written go onto the tape, which may be null.
    void Serve(Model& model, Tape* tape);

  private:
    bool Take(Model& model, Access& access, Tape* tape);
    void Begin(Model& model, const Access& access);

    Mailbox& mailbox;
    size_t done = 0;        ///< accesses of the run that is posted
    bool isRefused = false; ///< the next one was answered SLVERR, or has no address of a word
    bool isBegun = false;   ///< the next one is under way
    uint64_t beganNs = 0;   ///< time at the model's input then
};

} // namespace sluice::live

#endif
