// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// The interface of a Verilated tile: arrivals in, verdicts out, registers beside, time as an input. One shared
// library per configuration exports it; whoever judges packets in software (the ns-3 queue discipline, the replay
// tool) loads that library and needs no Verilator header.
#ifndef SLUICE_TILE_H
#define SLUICE_TILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice
{

/// What becomes of a packet.
enum class Action : uint8_t
{
    PASS, ///< queue it as it is
    MARK, ///< queue it with CE set; only ever for an ECN-capable packet
    DROP  ///< do not queue it
};

/// A packet that asks to be queued.
struct Arrival
{
    uint64_t nowNs; ///< time of the arrival; before an earlier call's time it counts as that
    uint32_t flow;  ///< flow id, well mixed over all 32 bits
    uint32_t bytes; ///< size that the limits and the byte modes count
    uint8_t ecn;    ///< ECN field of the packet (RFC 3168), 0: not ECN-capable
    uint32_t rttUs; ///< round-trip time of the flow, 0 = not known; only cores that ask for it hear of it, up to 4.19 s
    uint16_t queue = 0; ///< number of its queue, where the tile has several and is told; one too high means the last
    uint8_t dscp = 0;   ///< DSCP of the packet, 0..63; only tiles whose core has profiles hear of it
};

/// The decision on one arrival.
struct Verdict
{
    Action action;                                 ///< what becomes of the packet
    uint8_t reason;                                ///< code out of Tile::Reasons(), 0 = none
    std::optional<uint32_t> victim = std::nullopt; ///< a queued packet that was thrown out too: how many are before it
};

/// A packet that leaves its queue at the head.
struct Departure
{
    bool isDropped;      ///< in the queue: it does not reach the link
    bool isMarked;       ///< by this tile
    uint8_t reason;      ///< of a drop, or of a mark that was made at the head; 0 = none
    uint32_t before = 0; ///< queued packets that were accepted before it and stay: those of other queues
};

/// A run-time parameter; raw = round(value * 2^fraction).
struct ParameterInfo
{
    const char* name;    ///< register name
    const char* ns3Name; ///< the same attribute's name in ns-3, or ""
    uint32_t address;    ///< byte address of the register
    uint32_t width;      ///< bits that exist, 1..32
    uint32_t fraction;   ///< fraction bits
    double defaultValue; ///< value after Reset(), in the parameter's unit
};

/// A reason that a verdict may carry.
struct ReasonInfo
{
    uint8_t code;     ///< as in Verdict::reason
    const char* name; ///< in ns-3's words where ns-3 has the reason
    Action action;    ///< MARK or DROP
    uint32_t address; ///< byte address of its counter
};

/// A value that the core shows for reading; value = raw / 2^fraction.
struct StatusInfo
{
    const char* name;  ///< register name
    uint32_t address;  ///< byte address of the register
    uint32_t width;    ///< bits that exist, 1..32
    uint32_t fraction; ///< fraction bits
};

/// Byte address of COMMIT in the registers of every tile. A write there is Commit(), which says what was refused too.
constexpr uint32_t COMMIT_ADDRESS = 0x18;

/// One tile with one clock of its own. Time that runs backwards stands still; Reset() begins it anew. Calls throw
/// std::invalid_argument for a register access that the tile refuses, and std::runtime_error where it does not do what
/// every tile does, never answers for instance; no call waits without end.
class Tile
{
  public:
    virtual ~Tile() = default;

    /// Back to the state after power-up: empty queue, default parameters.
    virtual void Reset() = 0;

    /// Judges one packet to the end. A packet that is not dropped is queued when this returns.
    virtual Verdict Offer(const Arrival& arrival) = 0;

    /// The link asks for the next packet. What leaves the queue for it, oldest first: packets that are dropped at the
    /// head, and at last the one for the link. Without that one the queue is empty now, and the idle time starts unless
    /// it runs already; the link is taken to want a packet until one comes. Valid until the next call.
    virtual const std::vector<Departure>& Depart(uint64_t nowNs) = 0;

    /// Whether an ask moves queues that have no packet: those of RFC 8290 leave their lists by it. Then Depart() is to
    /// be called when the link first wants a packet of an empty queue. For others that may wait until the link is idle.
    virtual bool TakesTurns() const = 0;

    /// Time passes; a periodic update that is due by then runs, one at most however much time has passed. Offer() does
    /// the same before it judges the packet.
    virtual void Advance(uint64_t nowNs) = 0;

    /// Reads one register word.
    virtual uint32_t Read(uint32_t address) = 0;

    /// Writes one register word. Parameters are staged until Commit().
    virtual void Write(uint32_t address, uint32_t value) = 0;

    /// Applies the staged parameters as one set. False: refused, and `refused` names the broken rules.
    virtual bool Commit(std::string& refused) = 0;

    /// Every parameter, the tile's own (limit, limit_bytes, seed0..seed2) included.
    virtual const std::vector<ParameterInfo>& Parameters() const = 0;

    /// Every reason for a mark or a drop.
    virtual const std::vector<ReasonInfo>& Reasons() const = 0;

    /// Every status value.
    virtual const std::vector<StatusInfo>& Status() const = 0;

    /// Clock cycles run so far.
    virtual uint64_t Cycles() const = 0;
};

} // namespace sluice

/// Makes a tile after Reset(). The caller deletes it. Null: there is none, and `reason` says why.
extern "C" sluice::Tile* SluiceCreateTile(std::string& reason) noexcept;

#endif // SLUICE_TILE_H
