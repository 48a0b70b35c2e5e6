// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A random master of a design's registers: sets of parameters, commits, snapshots, and reads of whatever there is.
#ifndef SLUICE_LOCKSTEP_REGISTERS_H
#define SLUICE_LOCKSTEP_REGISTERS_H

#include "lockstep-pins.h"

#include <algorithm>
#include <deque>
#include <fstream>

namespace sluice
{

class RegisterMaster
{
  public:
    /// Lines of `design` for the registers: `parameter ADDRESS WIDTH DEFAULT`, `read ADDRESS`, `commit ADDRESS`,
    /// `snapshot ADDRESS`, `refused ADDRESS`, and `secret ADDRESS` for one that nothing is written to: flow ids are
    /// arbitrary for long behind it.
    RegisterMaster(Master& master, const std::string& design)
        : m_master(master)
    {
        std::ifstream text(design);
        std::string rest;
        for (std::string kind; text >> kind; std::getline(text, rest))
        {
            Register found{};
            if (kind == "parameter")
            {
                text >> found.address >> found.width >> found.value;
                m_parameters.push_back(found);
            }
            else if (kind == "read")
            {
                text >> m_shown.emplace_back();
            }
            else if (kind == "commit")
            {
                text >> m_commit;
            }
            else if (kind == "snapshot")
            {
                text >> m_snapshot;
            }
            else if (kind == "secret")
            {
                text >> m_secret.emplace_back();
            }
            else if (kind == "refused")
            {
                text >> m_refused;
            }
        }
    }

    /// All parameters as one set, a snapshot, and reads of whatever there is.
    void Configure(bool isDefault)
    {
        for (const Register& p : m_parameters)
        {
            const uint64_t most = p.width == 32 ? ~uint32_t{0} : (uint32_t{1} << p.width) - 1;
            const uint64_t drawn = m_master.OneOf({m_master.Draw(),
                                                   uint64_t{p.value} >> m_master.Draw(8),
                                                   uint64_t{p.value} << m_master.Draw(4),
                                                   p.value + m_master.Draw(5) - 2,
                                                   m_master.Draw(16)});
            const bool isDrawn = !isDefault && m_master.Chance(0.35);
            m_accesses.push_back({true, p.address, static_cast<uint32_t>((isDrawn ? drawn : p.value) & most)});
        }
        for (const uint32_t address : {m_commit, m_refused, m_snapshot})
        {
            m_accesses.push_back({true, address, address == m_refused ? ~0u : 1});
        }
        for (const uint32_t address : m_shown)
        {
            if (m_master.Chance(0.3))
            {
                m_accesses.push_back({false, address, 0});
            }
        }
        for (int i = 0; i < 10; i++)
        {
            const auto address = static_cast<uint32_t>(m_master.Draw(1024) * 4);
            const bool isWrite = m_master.Chance(0.1) && std::ranges::find(m_secret, address) == m_secret.end();
            m_accesses.push_back({isWrite, address, static_cast<uint32_t>(m_master.Draw())});
        }
    }

    /// One access at a time, with pauses of the master; an address and its data in any order.
    void Drive(bool isReset)
    {
        if (isReset)
        {
            m_accesses.clear();
            m_isBusy = false;
        }
        if (!m_isBusy && !m_accesses.empty() && m_master.Chance(0.5))
        {
            m_isBusy = m_owesAddress = m_owesData = true;
        }
        const bool isWrite = m_isBusy && m_accesses.front().isWrite, isRead = m_isBusy && !isWrite;
        if (m_isBusy)
        {
            m_master.Set(isWrite ? "s_axil_awaddr" : "s_axil_araddr", m_accesses.front().address);
            m_master.Set("s_axil_wdata", m_accesses.front().data);
            m_master.Set("s_axil_wstrb", 15);
        }
        m_master.Set("s_axil_awvalid", isWrite && m_owesAddress);
        m_master.Set("s_axil_wvalid", isWrite && m_owesData);
        m_master.Set("s_axil_arvalid", isRead && m_owesAddress);
        m_master.Set("s_axil_bready", m_takesAnswer = m_master.Chance(0.7));
        m_master.Set("s_axil_rready", m_takesAnswer);
    }

    /// Notes what was taken, before the edge.
    void Look()
    {
        if (!m_isBusy)
        {
            return;
        }
        const bool isWrite = m_accesses.front().isWrite;
        const bool isDone = m_takesAnswer && m_master.Look().Read(isWrite ? "s_axil_bvalid" : "s_axil_rvalid");
        m_owesAddress = m_owesAddress && !m_master.Look().Read(isWrite ? "s_axil_awready" : "s_axil_arready");
        m_owesData = m_owesData && !m_master.Look().Read("s_axil_wready");
        if (isDone)
        {
            (isWrite ? m_writes : m_reads)++;
            m_isBusy = false;
            m_accesses.pop_front();
        }
    }

    uint64_t Writes() const
    {
        return m_writes;
    }

    uint64_t Reads() const
    {
        return m_reads;
    }

  private:
    struct Register
    {
        uint32_t address, width, value;
    };

    struct Access
    {
        bool isWrite;
        uint32_t address, data;
    };

    Master& m_master;
    std::vector<Register> m_parameters;
    std::vector<uint32_t> m_shown, m_secret;
    uint32_t m_commit = 0, m_snapshot = 0, m_refused = 0;
    std::deque<Access> m_accesses;
    bool m_isBusy = false, m_owesAddress = false, m_owesData = false, m_takesAnswer = false;
    uint64_t m_writes = 0, m_reads = 0;
};

} // namespace sluice

#endif // SLUICE_LOCKSTEP_REGISTERS_H
