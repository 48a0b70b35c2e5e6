// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.cores.red

import sluice.contract.Reason
import spinal.core._
import spinal.lib.misc.pipeline._

/** A test before RED's, for a scheme that has one: whom it catches while RED is active is dropped without a test, and leaves the
  * spacing as it is.
  *
  * @param catches
  *   known by stage `spacingAt`
  */
case class Screen(catches: Payload[Bool], reason: Reason)

/** A test before the average is taken, for a scheme that has one: whom it catches is dropped and does not reach RED, which neither
  * averages nor counts it.
  *
  * @param hitsAfterCaught
  *   at `averageAt`: the packet there is caught if it may be, where the one right before it was caught
  * @param hits
  *   likewise, where that one was not
  * @param mayCatch
  *   two stages before: it may be if the average is at least `min` and more than one packet queued
  * @param mayAlways
  *   likewise: whatever these are
  */
case class Filter(
    hitsAfterCaught: Payload[Bool],
    hits: Payload[Bool],
    mayCatch: Payload[Bool],
    mayAlways: Payload[Bool],
    reason: Reason
)
