// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// Runs a design's RTL, Verilated, and its mapped netlist side by side: the same inputs in every clock, every output
// compared before every edge. Traffic, registers and resets are random, see lockstep-traffic.h.
//
// Registers and memories of the RTL start with random values: what is neither reset nor written before it is read must
// not matter. The netlist starts as the device does. Outputs count from the end of the first reset on; those that
// belong to a `valid` only while it is 1, and what a memory shows of a word that is being written is rubbish in the
// netlist.
//
//     netlist-lockstep NETLIST DESIGN SEED ARRIVALS
//
// DESIGN is a text of lines: `in` or `out`, a port, its first word in the RTL's vector, its width, and for an output
// the port that says whether it counts, or `-`; and lines for the registers. Prints one line of JSON; exit status 1 if
// something differed, which ends the run.
#include "Vlockstep.h"
#include "gate-netlist.h"
#include "lockstep-traffic.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <verilated.h>

namespace sluice
{
namespace
{

constexpr int FIRST_RESET = 16; ///< clocks

/// A port in both worlds.
struct Port
{
    std::string name;
    size_t first; ///< word in the RTL's vector
    size_t width;
    GateNetlist::Nets nets;
    const Port* guard = nullptr; ///< of an output: it counts while this is 1

    /// The bits of one of its words that exist.
    uint32_t Mask(size_t word) const
    {
        const size_t bits = width - 32 * word;
        return bits >= 32 ? ~uint32_t{0} : (uint32_t{1} << bits) - 1;
    }
};

/// Both designs, which take one clock together.
class Pair : public Pins
{
  public:
    Pair(const std::string& netlist, const std::string& design, unsigned seed)
        : m_netlist(netlist),
          m_top((m_context.randReset(2), m_context.randSeed(static_cast<int>(seed)), &m_context))
    {
        std::ifstream text(design);
        std::vector<std::string> guards;
        for (std::string kind, name; text >> kind;)
        {
            if (kind != "in" && kind != "out")
            {
                std::getline(text, name);
                continue;
            }
            Port port;
            text >> port.name >> port.first >> port.width;
            port.nets = m_netlist.Port(port.name);
            if (port.nets.size() != port.width)
            {
                throw std::runtime_error("the netlist has another port " + port.name);
            }
            if (kind == "out")
            {
                text >> guards.emplace_back();
            }
            (kind == "in" ? m_inputs : m_outputs).push_back(port);
        }
        for (size_t i = 0; i < m_outputs.size(); i++)
        {
            m_outputs[i].guard = Find(m_outputs, guards[i]);
        }
    }

    size_t Width(const std::string& input) const override
    {
        const Port* port = Find(m_inputs, input);
        return port ? port->width : 0;
    }

    void Drive(const std::string& input, std::span<const uint32_t> words) override
    {
        const Port& port = *Find(m_inputs, input);
        for (size_t i = 0; 32 * i < port.width; i++)
        {
            m_top.in[port.first + i] = words[i] & port.Mask(i);
        }
    }

    uint32_t Read(const std::string& output) const override
    {
        const Port* port = Find(m_outputs, output);
        return port ? m_top.out[port->first] & port->Mask(0) : 0;
    }

    std::vector<std::string> Inputs() const override
    {
        std::vector<std::string> names;
        for (const Port& port : m_inputs)
        {
            names.push_back(port.name);
        }
        return names;
    }

    /// Everything between two edges follows the inputs.
    void Settle()
    {
        m_top.clk = 0;
        m_top.eval();
        for (const Port& port : m_inputs)
        {
            m_netlist.Set(port.nets, &m_top.in[port.first]);
        }
        m_netlist.Settle();
    }

    void Rise()
    {
        m_top.clk = 1;
        m_top.eval();
        m_netlist.Rise();
    }

    /// The first output that counts and differs, or nothing.
    const Port* Differing() const
    {
        for (const Port& port : m_outputs)
        {
            if (port.guard && !(m_top.out[port.guard->first] & 1))
            {
                continue;
            }
            for (size_t i = 0; 32 * i < port.width; i++)
            {
                if (m_netlist.Word(port.nets, 32 * i) != (m_top.out[port.first + i] & port.Mask(i)))
                {
                    return &port;
                }
            }
        }
        return nullptr;
    }

  private:
    static const Port* Find(const std::vector<Port>& ports, const std::string& name)
    {
        const auto found = std::ranges::find(ports, name, &Port::name);
        return found == ports.end() ? nullptr : &*found;
    }

    GateNetlist m_netlist;
    VerilatedContext m_context;
    Vlockstep m_top;
    std::vector<Port> m_inputs;
    std::vector<Port> m_outputs;
};

int
Run(const std::string& netlist, const std::string& design, unsigned seed, uint64_t arrivals)
{
    Pair pair(netlist, design, seed);
    Traffic traffic(pair, design, seed);
    uint64_t clock = 0;
    const Port* differing = nullptr;
    for (; traffic.Seen().arrivals < arrivals && !differing; clock++)
    {
        traffic.Drive(clock < FIRST_RESET);
        pair.Settle();
        differing = clock < FIRST_RESET ? nullptr : pair.Differing();
        traffic.Look();
        pair.Rise();
    }
    const Seen& seen = traffic.Seen();
    std::printf(R"({"clocks": %lu, "arrivals": %lu, "departures": %lu, "resets": %lu, "writes": %lu, "reads": %lu, )",
                clock,
                seen.arrivals,
                seen.departures,
                seen.resets,
                seen.writes,
                seen.reads);
    std::printf(R"("longest_series": %lu, "differs": "%s", "reasons": [)",
                seen.longestSeries,
                differing ? differing->name.c_str() : "");
    for (size_t i = 0; i < seen.reasons.size(); i++)
    {
        std::printf("%s%lu", i ? ", " : "", seen.reasons[i]);
    }
    std::printf("]}\n");
    return differing != nullptr;
}

} // namespace
} // namespace sluice

int
main(int argc, char** argv)
{
    if (argc != 5)
    {
        std::fprintf(stderr, "usage: netlist-lockstep NETLIST DESIGN SEED ARRIVALS\n");
        return 2;
    }
    try
    {
        return sluice::Run(argv[1],
                           argv[2],
                           static_cast<unsigned>(std::atoi(argv[3])),
                           std::strtoull(argv[4], nullptr, 10));
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "netlist-lockstep: %s\n", error.what());
        return 2;
    }
}
