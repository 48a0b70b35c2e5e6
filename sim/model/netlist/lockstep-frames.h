// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Random frames for a datapath on AXI4-Stream, where the design has one.
#ifndef SLUICE_LOCKSTEP_FRAMES_H
#define SLUICE_LOCKSTEP_FRAMES_H

#include "lockstep-pins.h"

#include <algorithm>

namespace sluice
{

class FrameMaster
{
  public:
    explicit FrameMaster(Master& master)
        : m_master(master)
    {
    }

    /// Offers a beat with this probability, of a frame of one of so many flows; it stands until it is taken.
    void Drive(bool isReset, double offer, uint64_t flows)
    {
        const size_t width = m_master.Look().Width("s_axis_tdata");
        if (width == 0)
        {
            return;
        }
        if (isReset)
        {
            m_frame.clear();
            m_isBeat = false;
            m_held = TABLES;
        }
        m_held -= m_held != 0;
        if (m_frame.empty())
        {
            Frame(flows);
        }
        m_isBeat = m_held == 0 && (m_isBeat || m_master.Chance(std::min(1.0, 2 * offer)));
        m_master.Set("s_axis_tvalid", m_isBeat);
        if (!m_isBeat)
        {
            return;
        }
        const size_t bytes = width / 8;
        m_beatBytes = std::min(bytes, m_frame.size() - m_sent);
        std::vector<uint32_t> data(width / 32 + 1);
        for (size_t i = 0; i < m_beatBytes; i++)
        {
            data[i / 4] |= uint32_t{m_frame[m_sent + i]} << 8 * (i % 4);
        }
        m_master.SetWide("s_axis_tdata", data);
        m_master.Set("s_axis_tkeep", m_beatBytes == 64 ? ~uint64_t{0} : (uint64_t{1} << m_beatBytes) - 1);
        m_master.Set("s_axis_tlast", m_sent + m_beatBytes == m_frame.size());
        m_master.Set("s_axis_tuser", m_user);
    }

    /// Notes what was taken, before the edge; whether a frame ended.
    bool Look()
    {
        if (!m_isBeat || !m_master.Look().Read("s_axis_tready"))
        {
            return false;
        }
        m_isBeat = false;
        m_sent += m_beatBytes;
        if (m_sent < m_frame.size())
        {
            return false;
        }
        m_frame.clear();
        return true;
    }

  private:
    /// Clocks from a reset until the tables of the flow hash are written: before that flow ids are what memories held
    /// at power-up. The parser of a narrow datapath has none, and does not mind.
    static constexpr uint32_t TABLES = 33 << 9;

    /// Ethernet with IPv4, sometimes in VLANs, or IPv6, or anything.
    void Frame(uint64_t flows)
    {
        m_frame.resize(m_master.Chance(0.02) ? 1514 : m_master.OneOf({60, 60, 64, 90, 120, 300}));
        for (uint8_t& byte : m_frame)
        {
            byte = static_cast<uint8_t>(m_master.Draw());
        }
        m_sent = 0;
        m_user = m_master.Draw(50) == 0;
        if (m_master.Chance(0.05))
        {
            return;
        }
        size_t at = 12;
        for (; at < 20 && m_master.Chance(0.1); at += 4)
        {
            Put(at, 0x8100);
        }
        const auto flow = static_cast<uint32_t>(m_master.Draw(flows));
        const bool isSix = m_master.Chance(0.1);
        Put(at, isSix ? 0x86dd : 0x0800);
        at += 2;
        const size_t length = m_frame.size() - at, addresses = at + (isSix ? 8 : 12);
        m_frame[at] = isSix ? 0x60 : 0x45;
        for (size_t i = 0; i < (isSix ? 32 : 8); i++)
        {
            m_frame[addresses + i] = static_cast<uint8_t>(flow >> 8 * (i % 4));
        }
        if (isSix)
        {
            Put(at + 4, static_cast<uint32_t>(length - 40));
            m_frame[at + 6] = 6;
            return;
        }
        Put(at + 2, static_cast<uint32_t>(length));
        Put(at + 6, m_master.Chance(0.95) ? 0x4000 : static_cast<uint32_t>(m_master.Draw(0x10000)));
        m_frame[at + 9] = m_master.OneOf({6, 6, 17, 1});
        Put(at + 20, flow);
        Put(at + 22, 443);
        if (m_master.Chance(0.95))
        {
            Put(at + 10, 0);
            uint32_t sum = 0;
            for (size_t i = at; i < at + 20; i += 2)
            {
                sum += m_frame[i] << 8 | m_frame[i + 1];
            }
            sum = (sum & 0xffff) + (sum >> 16);
            Put(at + 10, ~((sum & 0xffff) + (sum >> 16)));
        }
    }

    /// Two bytes of the frame, the higher first.
    void Put(size_t at, uint32_t value)
    {
        m_frame[at] = static_cast<uint8_t>(value >> 8);
        m_frame[at + 1] = static_cast<uint8_t>(value);
    }

    Master& m_master;
    std::vector<uint8_t> m_frame;
    size_t m_sent = 0, m_beatBytes = 0; ///< bytes of the frame
    bool m_isBeat = false, m_user = false;
    uint32_t m_held = TABLES; ///< clocks in which nothing is offered
};

} // namespace sluice

#endif // SLUICE_LOCKSTEP_FRAMES_H
