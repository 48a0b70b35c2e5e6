// SPDX-License-Identifier: Apache-2.0
//
// A Verilated datapath out of its library.
#ifndef SLUICE_LIVE_MODEL_H
#define SLUICE_LIVE_MODEL_H

#include "sluice-datapath.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace sluice::live
{

/// Words to be written into registers: address and value.
using Words = std::span<const std::pair<uint32_t, uint32_t>>;

/// A datapath as a stream; sluice-datapath.h says what its calls do. A call
/// that fails throws std::runtime_error.
class Model
{
  public:
    /// Loads the library, whose model has this DIGEST, and sets parameters,
    /// before time begins.
    Model(const std::string& library, uint32_t digest, Words parameters);

    /// Returns whether there was room.
    bool Offer(uint64_t arrivalNs, const uint8_t* frame, uint32_t bytes);
    /// Returns the clocks that it took.
    uint64_t RunUntil(uint64_t untilNs, uint64_t mostClocks);
    uint64_t NextEvent() const;
    std::span<const SluiceVerdict> Verdicts(std::span<SluiceVerdict> room);
    std::span<const SluiceDeparted> Departed(std::span<SluiceDeparted> room);
    /// Returns whether it begins: the answer to the one before has been taken.
    bool BeginAccess(const SluiceAccess& access);
    std::optional<SluiceAccess> TakeAnswer();

  private:
    struct Calls;

    uint32_t Read(uint32_t address);
    void Write(uint32_t address, uint32_t value);

    std::shared_ptr<const Calls> calls; ///< of the library
    std::shared_ptr<SluiceDatapath> datapath;
};

} // namespace sluice::live

#endif
