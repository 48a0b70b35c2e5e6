// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

/** What a core hears and asks for beyond the arrival itself. It gets no port that it did not ask for, and a tile builds nothing
  * that its core does not need.
  *
  * @param randomWords
  *   random words per arrival
  * @param limit
  *   the tile's limit, with each arrival
  * @param rtt
  *   the round-trip time of its flow, with each arrival
  * @param samples
  *   queued packets to look at with each arrival
  * @param takesVictims
  *   a drop may throw a sampled packet out of the queue too
  * @param tagBits
  *   bits of the core's own that travel with each packet
  * @param idle
  *   hears [[Idle]]
  * @param settled
  *   hears [[Settled]]
  * @param departed
  *   hears [[Departed]]
  * @param rest
  *   hears when all is at rest: what it counts of queued packets is 0 then
  * @param head
  *   judges packets a second time, at the [[Head]] of the queue
  * @param headState
  *   bits that it keeps for each queue from one head to the next, and nothing else from head to head: it can judge the heads of any
  *   number of queues, whose words the tile keeps ([[Head]]); None: it keeps what it keeps itself, for one queue
  * @param queues
  *   is told the queue of each packet, of so many, and keeps state by queue; 1: it knows of none
  * @param profiles
  *   is told by which of so many profiles each packet is to be judged: the host's choice for its queue and colour; 0: there are none
  * @param choosesQueue
  *   says itself to which queue a packet goes ([[Algorithm.queueOf]]), and no port of the tile does
  * @param givesQuanta
  *   gives the scheduler each queue's quantum, which then is no parameter
  * @param picksLate
  *   the scheduler picks a packet when the link has taken the one before, and no sooner: who comes to a short queue waits behind one
  *   packet of another and not behind four, and a packet leaves in five clocks and not in two
  */
case class Needs(
    randomWords: Int = 0,
    limit: Boolean = false,
    rtt: Boolean = false,
    samples: Int = 0,
    takesVictims: Boolean = false,
    tagBits: Int = 0,
    idle: Boolean = false,
    settled: Boolean = false,
    departed: Boolean = false,
    rest: Boolean = false,
    head: Boolean = false,
    headState: Option[Int] = None,
    queues: Int = 1,
    profiles: Int = 0,
    choosesQueue: Boolean = false,
    givesQuanta: Boolean = false,
    picksLate: Boolean = false
) {
  require(!takesVictims || samples > 0, "a victim is a sampled packet, and no sample is asked for")
  require(
    queues > 1 || !(choosesQueue || givesQuanta || picksLate || (profiles > 0 && headState.isEmpty)),
    "to choose queues, to weigh them, to pick late or to have profiles of them there must be several"
  )

  require(headState.isEmpty || head, "a state from head to head is kept, and no head is judged")

  /** Packets may go from the queue that the link has not taken; so the link asks for each packet, and none is fetched before. */
  def isAsked: Boolean = head || takesVictims

  /** Bits of the number of a packet's queue. */
  def queueBits: Int = Widths.queue(queues)

  /** Bits of the number of a profile; none if there are none. */
  def profileBits: Int = if (profiles > 0) Widths.index(profiles) else 0
}
