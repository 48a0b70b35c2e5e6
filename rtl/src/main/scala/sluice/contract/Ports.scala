// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._

/** Port names as hand-written Verilog has them: `s_arrival_rtt_us` and not `s_arrival_payload_rttUs`. */
object Ports {

  /** Names the fields of a bundle after its port. */
  def name(port: String, bundle: Data): Unit = bundle match {
    case fields: MultiData => fields.elements.foreach { case (field, data) => name(s"${port}_${snake(field)}", data) }
    case leaf              => leaf.setName(port)
  }

  private def snake(camel: String): String = camel.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase
}
