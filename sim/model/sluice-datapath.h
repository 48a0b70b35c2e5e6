// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A Verilated datapath behind a small C interface: frames one by one as time goes on, or a whole capture in one call.
// Plain C types only, so that Python's ctypes and numpy can call it; sluice_datapath_seen_bytes() lets the caller check
// that both mean the same layout.
#ifndef SLUICE_DATAPATH_H
#define SLUICE_DATAPATH_H

#include <cstdint>

extern "C"
{
    /// What the RTL parser saw of a frame. Addresses: first byte first, an IPv4 address in the first four.
    struct SluiceSeen
    {
        uint8_t source[16];
        uint8_t destination[16];
        uint32_t flow;      ///< flow id
        uint32_t tunnelId;  ///< TEID, session, VNI or key
        uint32_t mplsLabel; ///< top of the stack
        uint32_t rttUs; ///< round-trip time that the core is told; 0: it is not known, or the core does not ask for it
        uint16_t has;   ///< SLUICE_HAS_* bits
        uint16_t etherType; ///< behind the VLAN tags
        uint16_t vlanId[2]; ///< outermost first
        uint16_t sourcePort;
        uint16_t destinationPort;
        uint16_t fragmentOffset; ///< units of 8 bytes
        uint16_t ipLength;
        uint16_t ipId;
        uint16_t tcpFlags;
        uint8_t outcome; ///< how far the parser came
        uint8_t tunnel;  ///< kind of tunnel
        uint8_t protocol;
        uint8_t service; ///< type of service or traffic class
        uint8_t ttl;
        uint8_t networkWord;   ///< first word of the IP header, from byte 14; SLUICE_IS_SHIFTED: a byte earlier
        uint8_t transportWord; ///< first word of the transport header, likewise
        uint8_t action;        ///< SluiceAction
        uint8_t reason;        ///< code of the reason for that
        uint8_t rttOption;     ///< what the options say of it: none, good, bad, out of sight
        uint16_t queue;        ///< number of its queue; 0 where there is one
    };

    enum SluiceHas : uint16_t
    {
        SLUICE_HAS_VLAN0 = 1,
        SLUICE_HAS_VLAN1 = 2,
        SLUICE_HAS_TYPE = 4,
        SLUICE_HAS_MPLS = 8,
        SLUICE_HAS_IP = 16,
        SLUICE_IS_IPV6 = 32,
        SLUICE_HAS_PROTOCOL = 64,
        SLUICE_IS_FRAGMENT = 128,
        SLUICE_HAS_PORTS = 256,
        SLUICE_HAS_TUNNEL = 512,
        SLUICE_HAS_TCP_FLAGS = 1024,
        SLUICE_IS_SHIFTED = 2048,
    };

    /// What became of a frame: the tile's verdict on its arrival, or in the queue; or too long for the datapath.
    enum SluiceAction : uint8_t
    {
        SLUICE_PASS,
        SLUICE_MARK,
        SLUICE_DROP,
        SLUICE_OVERSIZE,
    };

    /// A capture and what becomes of it. Arrays have `frames` entries unless said otherwise.
    struct SluiceReplay
    {
        uint64_t frames;
        const uint64_t* arrivalNs; ///< earliest time of each frame's first beat
        const uint64_t* offset;    ///< of each frame in `data` and `output`
        const uint32_t* bytes;
        const uint8_t* data;
        const uint32_t* portRttUs; ///< round-trip time that the port says of each frame
        uint8_t* output;           ///< bytes of the frames that leave, each at its own offset
        uint64_t* entryNs;         ///< time of the first beat that is taken
        uint64_t* departureNs;     ///< time of the first beat that leaves; 0 where the frame was dropped
        SluiceSeen* seen;
        uint64_t isSteady;       ///< 1: every clock is simulated, so that no jump of time can change anything
        uint64_t writes;         ///< words that are written into registers meanwhile; arrays of so many
        const uint64_t* writeNs; ///< time at the input when each begins; what was to be done before has been
        const uint32_t* writeAddress;
        const uint32_t* writeValue;
    };

    struct SluiceDatapath;

    /// Period of the model's clock: 250 MHz.
    enum : uint64_t
    {
        SLUICE_DATAPATH_PERIOD_NS = 4,
    };

    /// None of these waits without end or throws. A call that fails returns null or 0, where not said otherwise, and
    /// this says why, in the thread that made the call.
    const char* sluice_datapath_error();

    /// A datapath after its reset. Its time is 0.
    SluiceDatapath* sluice_datapath_create();
    void sluice_datapath_destroy(SluiceDatapath* datapath);
    /// Accesses for which time stands still. Both return whether the registers answered OKAY: 0 where there is no such
    /// word, or it does not take the value.
    uint32_t sluice_datapath_read(SluiceDatapath* datapath, uint32_t address, uint32_t* value);
    uint32_t sluice_datapath_write(SluiceDatapath* datapath, uint32_t address, uint32_t value);

    /// Runs all frames through; `progress` is told now and then how many have their verdict. Returns the clocks it
    /// took, or 0 if the datapath stopped moving or let out what is no frame; it is of no more use then.
    uint64_t sluice_datapath_replay(SluiceDatapath* datapath,
                                    const SluiceReplay* replay,
                                    void (*progress)(uint64_t frames));

    /// What became of a frame as it came to the tile; verdicts come in the order of the frames.
    struct SluiceVerdict
    {
        uint64_t frame;   ///< the number that offering it gave
        uint64_t entryNs; ///< time of its first beat
        SluiceSeen seen;  ///< with action and reason; of a tile that is asked, those on its arrival
    };

    /// A frame that has left, or was dropped: then `bytes` is 0.
    struct SluiceDeparted
    {
        uint64_t frame;
        uint64_t entryNs;     ///< of its first beat at the input
        uint64_t departureNs; ///< of its first beat
        const uint8_t* data;  ///< until the next call of sluice_datapath_departed
        uint32_t bytes;
        uint8_t action, reason; ///< what was last said of it
    };

    /// An access to the registers, which runs between beats while frames pass.
    struct SluiceAccess
    {
        uint32_t address;
        uint32_t value; ///< to be written, or as read
        uint8_t isWrite;
        uint8_t isOkay; ///< it was answered OKAY
    };

    /// The model's time in ns, always a whole number of periods.
    uint64_t sluice_datapath_now(const SluiceDatapath* datapath);

    /// Takes a copy of a frame, which comes no earlier than that. Returns its number, from 0 on, or UINT64_MAX: there
    /// is no room for it now, or it has no bytes. Times do not fall: an earlier one counts as that of the frame before.
    /// A frame above 9,600 bytes is offered too, and its verdict is SLUICE_OVERSIZE. Room is for 4,096 frames and for
    /// 16 MiB, and is free again when it is told that a frame has departed.
    uint64_t sluice_datapath_offer(SluiceDatapath* datapath,
                                   uint64_t arrivalNs,
                                   const uint8_t* frame,
                                   uint32_t bytes,
                                   uint32_t portRttUs);

    /// Runs until there is nothing more to be done up to that time, or for so many clocks; what has been begun goes on
    /// in the next call, and calls of any number and size come to the same. Returns the clocks that it took, or
    /// UINT64_MAX: the datapath stopped moving or let out what is no frame; it is of no more use then.
    uint64_t sluice_datapath_run_until(SluiceDatapath* datapath, uint64_t untilNs, uint64_t mostClocks);

    /// Earliest time at which there is something to be done; UINT64_MAX: not before something comes.
    uint64_t sluice_datapath_next_event(const SluiceDatapath* datapath);

    /// Verdicts that have not been told yet. Returns how many.
    uint32_t sluice_datapath_verdicts(SluiceDatapath* datapath, SluiceVerdict* room, uint32_t most);

    /// Frames that have departed or were dropped, and not been told of yet, in the order in which they did; one whose
    /// verdict has not been told keeps those behind it back. Returns how many.
    uint32_t sluice_datapath_departed(SluiceDatapath* datapath, SluiceDeparted* room, uint32_t most);

    /// Begins an access; it is something to be done. Returns 0 while the one before has not been told of.
    uint32_t sluice_datapath_access(SluiceDatapath* datapath, const SluiceAccess* access);

    /// The access that has ended. Returns 0 if there is none.
    uint32_t sluice_datapath_accessed(SluiceDatapath* datapath, SluiceAccess* done);

    /// What has come into a queue so far, by the verdicts, and what it held.
    struct SluiceQueue
    {
        uint64_t acceptedPackets, acceptedBytes;
        uint64_t mostPackets; ///< at a time, from their verdict until they leave the queue
    };

    /// Of the queue of that number; zeros where there is none.
    void sluice_datapath_queue(const SluiceDatapath* datapath, uint32_t queue, SluiceQueue* counts);

    /// Clocks so far of a part of the datapath, whose clock stands still while nothing moves in it. `name` is what the
    /// part is called, null where there are no more parts.
    uint64_t sluice_datapath_room_clocks(const SluiceDatapath* datapath, uint32_t room, const char** name);

    /// Size of SluiceSeen.
    uint32_t sluice_datapath_seen_bytes();
}

#endif
