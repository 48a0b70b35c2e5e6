// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice

import sluice.cores.flows.{Care, Choke, Fred, Sfb, Sred, Ured}
import sluice.cores.red.{Ared, Cared, ReAred, ReAredM1, ReAredM2, Red, RedPd}
import sluice.cores.shares.{Black, Green, Purge}
import sluice.contract.Algorithm
import sluice.cores._
import sluice.cores.controllers._
import sluice.cores.wred.Wred

/** The one list of algorithms. */
object Catalog {
  val algorithms: Seq[Algorithm] = Seq(
    DropTail,
    Red,
    Ared,
    ReAred,
    ReAredM1,
    ReAredM2,
    Cared,
    Choke,
    Fred,
    Ured,
    Care,
    Black,
    Blue,
    Sfb,
    Codel,
    Sred,
    RedPd,
    Rem,
    Pi,
    Avq,
    Purge,
    Green,
    Cobalt,
    Step,
    Pi2,
    DualPi2,
    Pie,
    Wred,
  )

  /** The algorithm of a name, or an error that names the known ones. */
  def apply(name: String): Algorithm = algorithms
    .find(_.name == name)
    .getOrElse(
      throw new IllegalArgumentException(s"unknown algorithm '$name'; known: ${algorithms.map(_.name).mkString(", ")}")
    )
}
