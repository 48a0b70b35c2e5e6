/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * What a run is asked to simulate: a chain of bottlenecks and the flows across it.
 */

#ifndef SCENARIO_H
#define SCENARIO_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice_ns3
{

/// What a source does.
enum class FlowKind
{
    TCP,       //!< one TCP connection that always has data
    TCP_ONOFF, //!< one that has data in bursts and nothing in the pauses between
    UDP_CBR,   //!< one packet every packet time of the rate
    UDP_ONOFF, //!< bursts at the rate, of random length and with random idle times
    WEB,       //!< TCP transfers of Pareto size, one after the other, exponential pauses
    SHORT,     //!< TCP transfers that begin at random times, whether earlier ones are done or not
    INCAST     //!< TCP transfers that begin in all flows at the same times, in regular rounds
};

/// A change of a link's rate.
struct RateStep
{
    double atS;      //!< when
    double rateMbps; //!< rate from then on
};

/// The way back over a bottleneck, where it is not like the way there.
struct BackSpec
{
    double rateMbps;       //!< its rate
    uint32_t queuePackets; //!< limit of the FIFO before it
};

/// One bottleneck of the chain.
struct HopSpec
{
    double rateMbps;             //!< link rate at the start
    double delayMs;              //!< propagation delay, one way
    std::string aqm;             //!< root queue discipline of the forward direction, as object text
    std::vector<RateStep> steps; //!< what the rate changes to, in order of time
    std::optional<BackSpec> back; //!< the way back; like the way there without it
};

/// One source and one sink.
struct FlowSpec
{
    std::string id;          //!< name in the result
    std::string kindName;    //!< kind as the scenario names it
    FlowKind kind;           //!< what the source does
    std::string subscriber;  //!< whose it is: one flow to a tile; empty: a flow of its own
    uint16_t queue;          //!< number of its packets' queue, to tiles that are told
    uint8_t dscp;            //!< DSCP of what its source sends
    bool isBack;             //!< whether it goes against the direction of the chain
    std::string congestion;  //!< congestion control of all kinds of TCP, as object text
    std::optional<bool> ecn; //!< TCP: whether to negotiate ECN; as the defaults say without it
    std::optional<uint32_t> initialWindow; //!< TCP: segments before the first acknowledgement
    double startS;                         //!< time of the start
    double stopS;                          //!< time at which the source is cut off
    double rateMbps;      //!< UDP: IP packets times their size, in a burst for UDP_ONOFF
    uint8_t ecnField;     //!< UDP: the ECN field of each packet
    uint32_t ports;       //!< UDP: source ports, used in turn
    double accessMbps;    //!< rate of both access links
    double sourceDelayMs; //!< propagation delay of the source's access link
    double sinkDelayMs;   //!< propagation delay of the sink's access link
    uint32_t fromHop;     //!< first bottleneck crossed
    uint32_t toHop;       //!< last bottleneck crossed
    uint32_t packetBytes; //!< size of a full IP packet
    double burstS;        //!< TCP_ONOFF, UDP_ONOFF: mean burst
    double idleS;         //!< TCP_ONOFF, UDP_ONOFF: mean idle time
    double shape; //!< TCP_ONOFF, UDP_ONOFF, WEB, SHORT: shape of the Pareto distributions, 0: none
    double meanBytes; //!< WEB, SHORT: mean size of a transfer; INCAST: size of each
    double thinkS;    //!< WEB: mean pause between transfers
    double perS;      //!< SHORT: mean number of transfers that begin in a second
    double everyS;    //!< INCAST: time from one round to the next
    double rttError;  //!< what tiles are told of the round-trip time, over what it is; 0: nothing
};

/// A whole run.
struct Scenario
{
    uint32_t seed;                               //!< seeds every random number of the run
    double durationS;                            //!< simulated time
    double warmupS;                              //!< from here on things are measured
    double sampleIntervalS;                      //!< interval of the series
    uint32_t accessQueuePackets;                 //!< limit of every FIFO beside the bottlenecks
    std::map<std::string, std::string> defaults; //!< ns-3 attribute defaults
    std::vector<HopSpec> hops;                   //!< the chain, in the direction of the flows
    std::vector<FlowSpec> flows;                 //!< the flows
};

} // namespace sluice_ns3

#endif /* SCENARIO_H */
