// SPDX-License-Identifier: Apache-2.0
//
// The command of a run, in the left namespace. It ends with the run, however
// that ends.
#ifndef SLUICE_LIVE_CHILD_H
#define SLUICE_LIVE_CHILD_H

#include "net/endpoint.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace sluice::live
{

class Child
{
  public:
    /// Starts it. Its environment says where the namespaces are (SLUICE_LEFT,
    /// SLUICE_RIGHT, for nsenter --net=) and which addresses the other end has
    /// (SLUICE_PEER, SLUICE_PEER6). Throws std::system_error where there is no
    /// such command.
    Child(const std::vector<std::string>& command, const Endpoint& left, const Endpoint& right);
    ~Child();

    /// Whether it has ended; then with this exit status, as a shell gives it.
    bool HasEnded();

    int Status() const
    {
        return status;
    }

  private:
    pid_t process;
    bool hasEnded = false;
    int status = 0;
};

} // namespace sluice::live

#endif
