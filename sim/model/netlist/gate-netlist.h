// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A mapped netlist as a program that runs: look-up tables in the order in which they depend on each other, registers,
// small memories, block memories and multipliers, all at the rising edge of one clock. `sluice.synthesis.gates` writes
// the text that it reads, a line for each element, and says there what each cell of the family is made of.
//
// Everything starts as the device does after configuration.
#ifndef SLUICE_GATE_NETLIST_H
#define SLUICE_GATE_NETLIST_H

#include "gate-elements.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice
{

/// A netlist and the state of its elements. Nets are numbers; 0 and 1 are the constants.
class GateNetlist
{
  public:
    using Nets = GateNets;

    explicit GateNetlist(const std::string& file)
    {
        std::ifstream text(file);
        if (!text)
        {
            throw std::runtime_error("cannot read " + file);
        }
        for (std::string line; std::getline(text, line);)
        {
            std::istringstream words(line);
            Add(words);
        }
    }

    /// Nets of a port, the lowest bit first; none where there is no such port.
    const Nets& Port(const std::string& name) const
    {
        static const Nets none;
        const auto found = m_ports.find(name);
        return found == m_ports.end() ? none : found->second;
    }

    void Set(std::span<const uint32_t> nets, const uint32_t* words)
    {
        for (size_t bit = 0; bit < nets.size(); bit++)
        {
            m_value[nets[bit]] = words[bit / 32] >> bit % 32 & 1;
        }
    }

    /// One of up to 32 bits of a port, from the given one on.
    uint32_t Word(std::span<const uint32_t> nets, size_t first) const
    {
        uint32_t word = 0;
        for (size_t bit = first; bit < std::min(nets.size(), first + 32); bit++)
        {
            word |= uint32_t{m_value[nets[bit]]} << (bit - first);
        }
        return word;
    }

    /// Everything between registers follows its inputs.
    void Settle()
    {
        for (const Table& t : m_tables)
        {
            if (t.kind == Table::LOGIC)
            {
                const unsigned place =
                    m_value[t.in[0]] | m_value[t.in[1]] << 1 | m_value[t.in[2]] << 2 | m_value[t.in[3]] << 3;
                m_value[t.out] = t.init >> place & 1;
            }
            else if (t.kind == Table::PRODUCT)
            {
                Multiply(m_products[t.out]);
            }
            else
            {
                GateSmallMemory& m = m_small[t.out];
                Put(m.out, m.words[Get(m.readAddress)]);
            }
        }
    }

    /// The rising edge of the clock, after Settle().
    void Rise()
    {
        for (size_t i = 0; i < m_registers.size(); i++)
        {
            const GateRegister& r = m_registers[i];
            m_next[i] = m_value[r.reset] ? r.start : m_value[m_value[r.enable] ? r.data : r.out];
        }
        for (GateSmallMemory& m : m_small)
        {
            if (m_value[m.enable])
            {
                m.words[Get(m.writeAddress)] = static_cast<uint8_t>(Get(m.in));
            }
        }
        for (GateBlock& b : m_blocks)
        {
            b.memory.Clock(AccessOf(b));
        }
        for (const GateBlock& b : m_blocks)
        {
            Put(b.pins[0].out, b.memory.Shown(0));
            Put(b.pins[1].out, b.memory.Shown(1));
        }
        for (size_t i = 0; i < m_registers.size(); i++)
        {
            m_value[m_registers[i].out] = m_next[i];
        }
    }

  private:
    using Table = GateTable;

    uint64_t Get(const Nets& nets) const
    {
        uint64_t value = 0;
        for (size_t bit = 0; bit < nets.size(); bit++)
        {
            value |= uint64_t{m_value[nets[bit]]} << bit;
        }
        return value;
    }

    void Put(const Nets& nets, uint64_t value)
    {
        for (size_t bit = 0; bit < nets.size(); bit++)
        {
            m_value[nets[bit]] = value >> bit & 1;
        }
    }

    void Multiply(const GateProduct& p)
    {
        const auto factor = [this](const Nets& nets, bool isSigned) {
            const auto value = static_cast<int64_t>(Get(nets));
            return isSigned && value >> 17 ? value - (1 << 18) : value;
        };
        const int64_t product = factor(p.a, m_value[p.isSignedA]) * factor(p.b, m_value[p.isSignedB]);
        Put(p.out, static_cast<uint64_t>(product));
    }

    /// What its sides are given.
    std::array<BlockAccess, 2> AccessOf(const GateBlock& block) const
    {
        std::array<BlockAccess, 2> access{};
        for (size_t i = 0; i < 2; i++)
        {
            const GateBlock::Pins& pins = block.pins[i];
            access[i] = {m_value[pins.enable] != 0,
                         m_value[pins.write] != 0,
                         m_value[pins.reset] != 0,
                         Get(pins.address),
                         Get(pins.in)};
        }
        access[0].data |= access[1].data << 18; // the pins of both where 36 bits are written; above the width else
        return access;
    }

    /// A line of the text.
    void Add(std::istream& words)
    {
        const auto kind = NextWord<std::string>(words);
        if (kind == "nets")
        {
            m_value.resize(NextWord<size_t>(words));
            m_value.at(1) = 1;
        }
        else if (kind == "port")
        {
            const auto name = NextWord<std::string>(words);
            m_ports[name] = NextNets(words);
        }
        else if (kind == "table")
        {
            m_tables.push_back(Table::Read(words));
        }
        else if (kind == "register")
        {
            m_registers.push_back(GateRegister::Read(words));
            m_value.at(m_registers.back().out) = m_registers.back().start;
            m_next.push_back(0);
        }
        else if (kind == "product")
        {
            m_tables.push_back({{}, static_cast<uint32_t>(m_products.size()), 0, Table::PRODUCT});
            m_products.push_back(GateProduct::Read(words));
        }
        else if (kind == "small")
        {
            m_tables.push_back({{}, static_cast<uint32_t>(m_small.size()), 0, Table::READ});
            m_small.push_back(GateSmallMemory::Read(words));
        }
        else if (kind == "block")
        {
            m_blocks.push_back(GateBlock::Read(words));
        }
        else
        {
            throw std::runtime_error("no element of a netlist: " + kind);
        }
    }

    std::vector<uint8_t> m_value;
    std::map<std::string, Nets> m_ports;
    std::vector<Table> m_tables;
    std::vector<GateRegister> m_registers;
    std::vector<uint8_t> m_next;
    std::vector<GateProduct> m_products;
    std::vector<GateSmallMemory> m_small;
    std::vector<GateBlock> m_blocks;
};

} // namespace sluice

#endif // SLUICE_GATE_NETLIST_H
