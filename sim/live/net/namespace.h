// SPDX-License-Identifier: Apache-2.0
//
// A network namespace without a name: it is there as long as somebody has its
// descriptor or runs in it, so that nothing of it can be left behind, however
// its owner ends.
#ifndef SLUICE_LIVE_NAMESPACE_H
#define SLUICE_LIVE_NAMESPACE_H

#include "file-descriptor.h"

#include <functional>
#include <string>

namespace sluice::live
{

/// Lets this process make network namespaces, in a user namespace of its own if
/// it may not otherwise. Only while it has one thread. Throws
/// std::system_error.
void AllowNamespaces();

class Namespace
{
  public:
    Namespace();

    /// Does something in it, in a thread of its own: who has once left a
    /// namespace of another user's cannot go back.
    void Inside(const std::function<void()>& work) const;

    /// Takes the calling thread there for good.
    void Enter() const;

    /// A file that stands for it as long as this lives, for nsenter --net=.
    std::string File() const;

  private:
    FileDescriptor self;
};

} // namespace sluice::live

#endif
