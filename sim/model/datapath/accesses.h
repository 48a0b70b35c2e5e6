// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Accesses to the registers of a datapath while frames pass: those of whoever uses it, one at a time, and behind each
// of his COMMITs those by which the host's side learns what is in force.
#ifndef SLUICE_DATAPATH_ACCESSES_H
#define SLUICE_DATAPATH_ACCESSES_H

#include "axi-lite-host.h"
#include "datapath/settings.h"

#include <optional>
#include <utility>

namespace sluice
{

/// `Driver` is who drives the model, as AxiLiteHost wants him.
template <typename Driver>
class Accesses
{
  public:
    explicit Accesses(Driver& driver)
        : host{driver}
    {
    }

    /// Asks for nothing. So it is to be from before the reset on.
    void Start()
    {
        host.Begin();
    }

    /// Begins an access. Returns whether it may: the one before has been taken back.
    bool Begin(const HostAccess& access)
    {
        const bool isFree = !wanted && !answered && (isOwn || !host.IsBusy());
        if (isFree)
        {
            wanted = access;
        }
        return isFree;
    }

    /// The access that has ended, once.
    std::optional<HostAccess> TakeAnswer()
    {
        return std::exchange(answered, std::nullopt);
    }

    bool AreUnderWay() const
    {
        return host.IsBusy() || wanted || settings.IsStale();
    }

    /// A clock of the access that is under way, or of the next one. Returns whether one ends. `renewed` is called where
    /// all settings are known anew.
    template <typename Renewed>
    bool Step(Renewed renewed)
    {
        if (!host.IsBusy())
        {
            isOwn = settings.IsStale();
            if (!isOwn && !wanted)
            {
                return false;
            }
            host.Ask(isOwn ? settings.Wanted() : *wanted);
            wanted = isOwn ? wanted : std::nullopt;
        }
        if (!host.Step())
        {
            return false;
        }
        const HostAccess& access = host.access;
        if (!isOwn)
        {
            answered = access;
            if (access.isWrite && access.isOkay && access.address == SLUICE_COMMIT && access.value & 1)
            {
                settings.Renew();
            }
        }
        else if (settings.Note(access))
        {
            renewed();
        }
        return true;
    }

    Settings settings; ///< what is in force, as far as it is known

  private:
    AxiLiteHost<Driver> host;
    std::optional<HostAccess> wanted, answered; ///< of whoever uses the datapath
    bool isOwn = false;                         ///< the last access was one of `settings`
};

} // namespace sluice

#endif // SLUICE_DATAPATH_ACCESSES_H
