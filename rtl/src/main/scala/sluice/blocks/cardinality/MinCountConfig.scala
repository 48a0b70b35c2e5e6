// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.blocks.cardinality

import sluice.contract.ModuleName

/** One named counter of flows, complete.
  *
  * @param name
  *   as in configs.yaml; names the Verilog module
  * @param estimate
  *   of [[Estimate.all]]
  */
case class MinCountConfig(name: String, grade: String, buckets: Int, values: Int, estimate: String) {
  require(
    Estimate.all.contains(estimate),
    s"$name: estimate must be one of ${Estimate.all.keys.toSeq.sorted.mkString(", ")}, not '$estimate'"
  )

  val moduleName: String = ModuleName(name)

  def counter(): MinCount = new MinCount(buckets, values, Estimate.all(estimate), isSalted = true)
}
