// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Random traffic for a tile, a datapath or a counter of flows: whatever ports of it there are, by name. Every input
// that nothing here knows, and all that belongs to a `valid` that is 0, is random in every clock.
//
// Traffic changes its kind now and then. In half of the stretches all parameters have their defaults, the link is
// slower than what arrives, and a clock is long, up to a millisecond: queues stand for many intervals of a control law.
// In the others parameters are drawn, most of them absurd.
#ifndef SLUICE_LOCKSTEP_TRAFFIC_H
#define SLUICE_LOCKSTEP_TRAFFIC_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace sluice
{

/// A design's pins by name.
class Pins
{
  public:
    virtual ~Pins() = default;
    /// Bits of an input; 0: there is none of that name.
    virtual size_t Width(const std::string& input) const = 0;
    virtual void Drive(const std::string& input, std::span<const uint32_t> words) = 0;
    /// The lowest bits of an output; 0 where there is none of that name.
    virtual uint32_t Read(const std::string& output) const = 0;
    virtual std::vector<std::string> Inputs() const = 0;
};

/// What has happened.
struct Seen
{
    uint64_t arrivals = 0; ///< packets that were given
    uint64_t departures = 0;
    uint64_t resets = 0;
    uint64_t writes = 0;                ///< of registers
    uint64_t reads = 0;                 ///< of registers
    std::array<uint64_t, 16> reasons{}; ///< drops and marks by reason, on arrival and at the head; 0: packets passed
    uint64_t longestSeries = 0;         ///< most drops at the head in one stretch for any reason but a full queue
};

class Traffic
{
  public:
    /// Lines of `design` for the registers: `parameter ADDRESS WIDTH DEFAULT`, `read ADDRESS`, `commit ADDRESS`,
    /// `snapshot ADDRESS`, `refused ADDRESS`.
    Traffic(Pins& pins, const std::string& design, unsigned seed)
        : m_pins(pins),
          m_inputs(pins.Inputs()),
          m_random(seed),
          m_nowNs(m_random() >> 24)
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
            else if (kind == "refused")
            {
                text >> m_refused;
            }
        }
    }

    /// Sets all inputs for a clock.
    void Drive(bool isFirst)
    {
        if (m_left == 0)
        {
            Stretch();
        }
        m_left--;
        if (!isFirst && Draw(20000) == 0)
        {
            m_resetLeft = 1 + Draw(4);
            m_seen.resets++;
        }
        m_isReset = isFirst || m_resetLeft != 0;
        m_resetLeft -= m_resetLeft != 0;
        for (const std::string& input : m_inputs)
        {
            Set(input, m_random());
        }
        m_nowNs += m_stepNs;
        Set("now_ns", m_nowNs);
        Set("rst", m_isReset);
        Set("s_arrival_valid", m_isArriving = !m_isReset && Chance(m_offer));
        static constexpr std::array<uint16_t, 10> SIZES{1, 40, 64, 500, 1000, 1500, 1500, 1500, 9600, 65535};
        Set("s_arrival_bytes", SIZES[Draw(m_isStanding ? 8 : SIZES.size())]);
        Set("s_arrival_flow", Draw(m_flows) * 0x9e3779b1u);
        // A core that judges at the head is asked for each packet; the link then takes what comes.
        const bool isAsked = m_pins.Width("s_ask_valid") != 0;
        m_isAsking = !m_isReset && (m_isAsking || Chance(m_take));
        Set("s_ask_valid", m_isAsking);
        Set("m_departure_ready", m_isLinkReady = isAsked || Chance(m_take));
        Set("window_end", Draw(2000) == 0);
        DriveFrames();
        DriveRegisters();
    }

    /// Notes what came of it, before the edge.
    void Look()
    {
        if (m_isReset)
        {
            return;
        }
        m_seen.arrivals += m_isArriving;
        if (m_isAsking && m_pins.Read("s_ask_ready"))
        {
            m_isAsking = false;
        }
        if (m_pins.Read("m_verdict_valid"))
        {
            m_seen.reasons[m_pins.Read("m_verdict_reason") % 16]++;
        }
        if (m_pins.Read("m_departure_valid") && m_isLinkReady)
        {
            m_seen.departures++;
            if (const uint32_t reason = m_pins.Read("m_departure_reason") % 16)
            {
                m_seen.reasons[reason]++;
            }
        }
        if (m_pins.Read("m_dropped_valid"))
        {
            const uint32_t reason = m_pins.Read("m_dropped_reason") % 16;
            m_seen.reasons[reason]++;
            m_series += reason != FULL;
            m_seen.longestSeries = std::max(m_seen.longestSeries, m_series);
        }
        if (m_pins.Read("m_axis_tvalid") && m_pins.Read("m_axis_tlast") && m_isTaking)
        {
            m_seen.departures++;
        }
        if (m_isBeat && m_pins.Read("s_axis_tready"))
        {
            m_sent += m_beatBytes;
            if (m_sent >= m_frame.size())
            {
                m_seen.arrivals++;
                m_frame.clear();
            }
            m_isBeat = false;
        }
        LookAtRegisters();
    }

    const struct Seen& Seen() const
    {
        return m_seen;
    }

  private:
    static constexpr uint32_t FULL = 15; ///< the reason of a queue that is full

    struct Register
    {
        uint32_t address, width, value;
    };

    struct Access
    {
        bool isWrite;
        uint32_t address, data;
    };

    uint64_t Draw(uint64_t below)
    {
        return m_random() % below;
    }

    bool Chance(double probability)
    {
        return static_cast<double>(m_random() >> 11) * 0x1p-53 < probability;
    }

    template <size_t N, typename T>
    T OneOf(const T (&values)[N])
    {
        return values[Draw(N)];
    }

    /// An input of up to 64 bits; a wider one is random above.
    void Set(const std::string& input, uint64_t value)
    {
        const size_t width = m_pins.Width(input);
        if (width == 0)
        {
            return;
        }
        m_words.assign((width + 31) / 32 + 1, 0);
        for (size_t i = 0; i < m_words.size(); i++)
        {
            m_words[i] = i < 2 ? static_cast<uint32_t>(value >> 32 * i) : static_cast<uint32_t>(m_random());
        }
        m_pins.Drive(input, m_words);
    }

    /// Another kind of traffic.
    void Stretch()
    {
        m_isStanding = Chance(0.5);
        m_series = 0;
        m_left = 500 + Draw(5000);
        m_flows = OneOf({1, 2, 5, 20, 200, 5000});
        if (m_isStanding)
        {
            m_offer = 0.2 + 0.1 * static_cast<double>(Draw(4));
            m_take = m_offer * (0.5 + 0.1 * static_cast<double>(Draw(5)));
            m_stepNs = OneOf({4, 20'000, 200'000, 1'000'000});
        }
        else
        {
            m_offer = OneOf({0.02, 0.1, 0.3, 0.5, 0.9, 1.0});
            m_take = Chance(0.15) ? 0 : Chance(0.2) ? 1 : m_offer * (0.6 + 0.1 * static_cast<double>(Draw(8)));
            m_stepNs = OneOf({4, 4, 100, 1000, 20'000});
            if (Chance(0.1))
            {
                m_nowNs += Draw(uint64_t{1} << Draw(36));
            }
        }
        Configure();
    }

    /// All parameters as one set, a snapshot, and reads of whatever there is.
    void Configure()
    {
        for (const Register& p : m_parameters)
        {
            const uint64_t most = p.width == 32 ? ~uint32_t{0} : (uint32_t{1} << p.width) - 1;
            const uint64_t drawn = OneOf({m_random(),
                                          uint64_t{p.value} >> Draw(8),
                                          uint64_t{p.value} << Draw(4),
                                          p.value + Draw(5) - 2,
                                          Draw(16)});
            const bool isDrawn = !m_isStanding && Chance(0.35);
            m_accesses.push_back({true, p.address, static_cast<uint32_t>((isDrawn ? drawn : p.value) & most)});
        }
        for (const uint32_t address : {m_commit, m_refused, m_snapshot})
        {
            m_accesses.push_back({true, address, address == m_refused ? ~0u : 1});
        }
        for (const uint32_t address : m_shown)
        {
            if (Chance(0.3))
            {
                m_accesses.push_back({false, address, 0});
            }
        }
        for (int i = 0; i < 10; i++)
        {
            m_accesses.push_back(
                {Chance(0.1), static_cast<uint32_t>(Draw(1024) * 4), static_cast<uint32_t>(m_random())});
        }
    }

    /// One access at a time, with pauses of the master; an address and its data in any order.
    void DriveRegisters()
    {
        if (m_isReset)
        {
            m_accesses.clear();
            m_isBusy = false;
        }
        if (!m_isBusy && !m_accesses.empty() && Chance(0.5))
        {
            m_isBusy = m_owesAddress = m_owesData = true;
        }
        const bool isWrite = m_isBusy && m_accesses.front().isWrite, isRead = m_isBusy && !isWrite;
        if (m_isBusy)
        {
            Set(isWrite ? "s_axil_awaddr" : "s_axil_araddr", m_accesses.front().address);
            Set("s_axil_wdata", m_accesses.front().data);
            Set("s_axil_wstrb", 15);
        }
        Set("s_axil_awvalid", isWrite && m_owesAddress);
        Set("s_axil_wvalid", isWrite && m_owesData);
        Set("s_axil_arvalid", isRead && m_owesAddress);
        Set("s_axil_bready", m_takesAnswer = Chance(0.7));
        Set("s_axil_rready", m_takesAnswer);
    }

    void LookAtRegisters()
    {
        if (!m_isBusy)
        {
            return;
        }
        const bool isWrite = m_accesses.front().isWrite;
        const bool isDone = m_takesAnswer && m_pins.Read(isWrite ? "s_axil_bvalid" : "s_axil_rvalid");
        m_owesAddress = m_owesAddress && !m_pins.Read(isWrite ? "s_axil_awready" : "s_axil_arready");
        m_owesData = m_owesData && !m_pins.Read("s_axil_wready");
        if (isDone)
        {
            (isWrite ? m_seen.writes : m_seen.reads)++;
            m_isBusy = false;
            m_accesses.erase(m_accesses.begin());
        }
    }

    /// Frames on AXI4-Stream, where the design has it; a beat stands until it is taken.
    void DriveFrames()
    {
        const size_t width = m_pins.Width("s_axis_tdata");
        if (width == 0)
        {
            return;
        }
        Set("m_axis_tready", m_isTaking = Chance(m_take));
        if (m_isReset)
        {
            m_frame.clear();
            m_isBeat = false;
        }
        if (m_frame.empty())
        {
            Frame();
        }
        m_isBeat = !m_isReset && (m_isBeat || Chance(std::min(1.0, 2 * m_offer)));
        Set("s_axis_tvalid", m_isBeat);
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
        m_pins.Drive("s_axis_tdata", data);
        Set("s_axis_tkeep", m_beatBytes == 64 ? ~uint64_t{0} : (uint64_t{1} << m_beatBytes) - 1);
        Set("s_axis_tlast", m_sent + m_beatBytes == m_frame.size());
        Set("s_axis_tuser", m_user);
    }

    /// Ethernet with IPv4, sometimes in VLANs, or IPv6, or anything.
    void Frame()
    {
        m_frame.resize(OneOf({60, 60, 64, 90, 120, 300, 1514}));
        for (uint8_t& byte : m_frame)
        {
            byte = static_cast<uint8_t>(m_random());
        }
        m_sent = 0;
        m_user = Draw(50) == 0;
        if (Chance(0.05))
        {
            return;
        }
        size_t at = 12;
        for (; at < 20 && Chance(0.1); at += 4)
        {
            Put(at, 0x8100);
        }
        const auto flow = static_cast<uint32_t>(Draw(m_flows));
        const bool isSix = Chance(0.1);
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
        Put(at + 6, Chance(0.95) ? 0x4000 : static_cast<uint32_t>(Draw(0x10000)));
        m_frame[at + 9] = OneOf({6, 6, 17, 1});
        Put(at + 20, flow);
        Put(at + 22, 443);
        if (Chance(0.95))
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

    Pins& m_pins;
    std::vector<std::string> m_inputs;
    std::mt19937_64 m_random;
    std::vector<uint32_t> m_words;
    struct Seen m_seen;

    uint64_t m_nowNs;
    uint64_t m_stepNs = 4;
    uint64_t m_left = 0; ///< clocks of this stretch
    uint64_t m_resetLeft = 0;
    uint64_t m_flows = 1;
    uint64_t m_series = 0;
    double m_offer = 0, m_take = 0; ///< arrivals and departures per clock
    bool m_isStanding = false;
    bool m_isReset = true;
    bool m_isArriving = false;
    bool m_isAsking = false;
    bool m_isLinkReady = false;

    std::vector<Register> m_parameters;
    std::vector<uint32_t> m_shown;
    uint32_t m_commit = 0, m_snapshot = 0, m_refused = 0;
    std::vector<Access> m_accesses;
    bool m_isBusy = false, m_owesAddress = false, m_owesData = false, m_takesAnswer = false;

    std::vector<uint8_t> m_frame;
    size_t m_sent = 0, m_beatBytes = 0; ///< bytes of the frame
    bool m_isBeat = false, m_isTaking = false, m_user = false;
};

} // namespace sluice

#endif // SLUICE_LOCKSTEP_TRAFFIC_H
