// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
//
// A Verilated datapath behind a small C interface: a whole capture goes through it in one call. Plain C types only, so
// that Python's ctypes and numpy can call it; sluice_datapath_seen_bytes() lets the caller check that both mean the
// same layout.
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
        uint8_t padding[2];
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
        uint64_t periodNs;    ///< of the clock
        double linkNsPerByte; ///< what the shaper is set to, so that its waiting can be jumped over
        double linkOverheadBytes;
        double linkBurstNs;
        uint64_t isSteady; ///< 1: every clock is simulated, so that no jump of time can change anything
    };

    struct SluiceDatapath;

    /// None of these waits without end or throws. A call that fails returns null or 0, and this says why, in the thread
    /// that made the call.
    const char* sluice_datapath_error();

    /// A datapath after its reset.
    SluiceDatapath* sluice_datapath_create();
    void sluice_datapath_destroy(SluiceDatapath* datapath);
    /// Both return whether the registers answered OKAY: 0 where there is no such word, or it does not take the value.
    uint32_t sluice_datapath_read(SluiceDatapath* datapath, uint32_t address, uint32_t* value);
    uint32_t sluice_datapath_write(SluiceDatapath* datapath, uint32_t address, uint32_t value);

    /// Runs all frames through; `progress` is told now and then how many have their verdict. Returns the clocks it
    /// took, or 0 if the datapath stopped moving or let out what is no frame; it is of no more use then.
    uint64_t sluice_datapath_replay(SluiceDatapath* datapath,
                                    const SluiceReplay* replay,
                                    void (*progress)(uint64_t frames));

    /// Size of SluiceSeen.
    uint32_t sluice_datapath_seen_bytes();
}

#endif
