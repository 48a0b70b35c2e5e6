// SPDX-License-Identifier: Apache-2.0
#include "path/model.h"

#include "sluice_registers.h"

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>

namespace sluice::live
{

/// The functions of a library, under their names without `sluice_datapath_`.
struct Model::Calls
{
    explicit Calls(const std::string& path)
        : library(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
    {
        if (!library)
        {
            throw std::runtime_error(dlerror());
        }
#define SLUICE_LOAD(name) name = reinterpret_cast<decltype(name)>(Symbol("sluice_datapath_" #name))
        SLUICE_LOAD(error);
        SLUICE_LOAD(create);
        SLUICE_LOAD(destroy);
        SLUICE_LOAD(read);
        SLUICE_LOAD(write);
        SLUICE_LOAD(offer);
        SLUICE_LOAD(run_until);
        SLUICE_LOAD(next_event);
        SLUICE_LOAD(verdicts);
        SLUICE_LOAD(departed);
        SLUICE_LOAD(access);
        SLUICE_LOAD(accessed);
#undef SLUICE_LOAD
    }

    ~Calls()
    {
        dlclose(library);
    }

    void* Symbol(const char* name) const
    {
        void* symbol = dlsym(library, name);
        if (!symbol)
        {
            throw std::runtime_error(std::string("the library of the datapath has no ") + name +
                                     "; remove it to have it built anew");
        }
        return symbol;
    }

    void* library;
    decltype(&sluice_datapath_error) error;
    decltype(&sluice_datapath_create) create;
    decltype(&sluice_datapath_destroy) destroy;
    decltype(&sluice_datapath_read) read;
    decltype(&sluice_datapath_write) write;
    decltype(&sluice_datapath_offer) offer;
    decltype(&sluice_datapath_run_until) run_until;
    decltype(&sluice_datapath_next_event) next_event;
    decltype(&sluice_datapath_verdicts) verdicts;
    decltype(&sluice_datapath_departed) departed;
    decltype(&sluice_datapath_access) access;
    decltype(&sluice_datapath_accessed) accessed;
};

Model::Model(const std::string& library, uint32_t digest, Words parameters)
    : calls(std::make_shared<Calls>(library)),
      datapath(calls->create(), [its = calls](SluiceDatapath* made) { its->destroy(made); })
{
    if (!datapath)
    {
        throw std::runtime_error(calls->error());
    }
    if (Read(SLUICE_DIGEST) != digest)
    {
        throw std::runtime_error("the library of the datapath is of another "
                                 "register map; remove it to have it built anew");
    }
    for (const auto& [address, value] : parameters)
    {
        Write(address, value);
    }
    Write(SLUICE_COMMIT, 1);
    if (Read(SLUICE_REFUSED) != 0)
    {
        throw std::runtime_error("the datapath refuses these parameters");
    }
}

uint32_t
Model::Read(uint32_t address)
{
    uint32_t value = 0;
    if (!calls->read(datapath.get(), address, &value))
    {
        throw std::runtime_error(calls->error());
    }
    return value;
}

void
Model::Write(uint32_t address, uint32_t value)
{
    if (!calls->write(datapath.get(), address, value))
    {
        throw std::runtime_error(calls->error());
    }
}

bool
Model::Offer(uint64_t arrivalNs, const uint8_t* frame, uint32_t bytes)
{
    return calls->offer(datapath.get(), arrivalNs, frame, bytes, 0) != UINT64_MAX;
}

uint64_t
Model::RunUntil(uint64_t untilNs, uint64_t mostClocks)
{
    const uint64_t clocks = calls->run_until(datapath.get(), untilNs, mostClocks);
    if (clocks == UINT64_MAX)
    {
        throw std::runtime_error(calls->error());
    }
    return clocks;
}

uint64_t
Model::NextEvent() const
{
    return calls->next_event(datapath.get());
}

std::span<const SluiceVerdict>
Model::Verdicts(std::span<SluiceVerdict> room)
{
    return room.first(calls->verdicts(datapath.get(), room.data(), static_cast<uint32_t>(room.size())));
}

std::span<const SluiceDeparted>
Model::Departed(std::span<SluiceDeparted> room)
{
    return room.first(calls->departed(datapath.get(), room.data(), static_cast<uint32_t>(room.size())));
}

bool
Model::BeginAccess(const SluiceAccess& access)
{
    return calls->access(datapath.get(), &access) != 0;
}

std::optional<SluiceAccess>
Model::TakeAnswer()
{
    SluiceAccess done;
    return calls->accessed(datapath.get(), &done) ? std::optional(done) : std::nullopt;
}

} // namespace sluice::live
