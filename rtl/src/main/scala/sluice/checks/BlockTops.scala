// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package checks

import sluice.blocks.arithmetic.SaltedHash
import sluice.blocks.cardinality.{Exposure, LogMean, MinCount}
import sluice.blocks.estimators.{CaptureCam, CountTable, FrequencyCounter, Jackknife, JackknifeTables}
import sluice.blocks.probability.Sampler
import sluice.blocks.state.TokenBucket
import sluice.packet.OuterHeader
import sluice.packet.parser._
import sluice.blocks.arithmetic.division.SequentialReciprocal
import sluice.blocks.arithmetic.powers.{InversePower, InverseRoot, Logarithm, PowerOfTwo}
import sluice.blocks.probability.spacing.RisingProbability
import sluice.blocks.state.occupancy.{ClearedCount, IndexedOccupancy, SmallOccupancy}
import spinal.core._

/** The shared blocks that are generated alone, each for its own tests. */
object BlockTops {
  val all: Seq[(String, () => Component)] = Seq(
    "sequential_reciprocal" -> (() => new SequentialReciprocal),
    "inverse_root" -> (() => new InverseRoot.Top),
    "inverse_power" -> (() => new InversePower.Top),
    "logarithm" -> (() => new Logarithm.Top),
    "power_of_two" -> (() => new PowerOfTwo.Top),
    "sampler" -> (() => new Sampler.Top),
    "capture_cam" -> (() => new CaptureCam(capacity = 24, windowCapacity = 20)),
    "count_table" -> (() => new CountTable(capacity = 24, fingerprintBits = 9)),
    "indexed_occupancy" -> (() =>
      new IndexedOccupancy(depth = 64, width = 12, amountBits = 4, removals = 2, lookUps = 2, changesLookUp = true)
    ),
    "frequency_counter" -> (() => new FrequencyCounter(capacity = 64)),
    "jackknife" -> (() => new Jackknife(JackknifeTables.mostCaptures)),
    "jackknife_limit" -> (() => new Jackknife(JackknifeTables.mostCaptures, JackknifeTables.limit)),
    "min_count_pairs" -> (() => new MinCount(buckets = 64, values = 2, new LogMean(_), isSalted = false)),
    "min_count_singles" -> (() => new MinCount(buckets = 64, values = 1, new Exposure(_), isSalted = false)),
    "cleared_count" -> (() => new ClearedCount(depth = 16, most = 2, roundBits = 4)),
    "small_occupancy" -> (() => new SmallOccupancy.Top(width = 6, words = 16)),
    "token_bucket" -> (() => new TokenBucket.Top),
    "rising_probability" -> (() => new RisingProbability.Top),
    "salted_hash" -> (() => new SaltedHash.Top),
    "flow_hash" -> (() => new FlowHash),
    "outer_header" -> (() => new OuterHeader.Top),
    "rtt_option" -> (() => new RttOption.Top)
  )
}
