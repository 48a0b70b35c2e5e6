// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.packet

import spinal.core._
import spinal.lib._

/** AXI4-Stream's names for the ports of a stream, as shells and test benches expect them: `PORT_tvalid`, `PORT_tready`, and
  * `PORT_tFIELD` for each field of the payload.
  */
object StreamNames {
  def apply(port: String, stream: Stream[_ <: Data])(fields: (String, Data)*): Unit =
    for ((field, signal) <- Seq("valid" -> stream.valid, "ready" -> stream.ready) ++ fields)
      signal.setName(s"${port}_t$field")
}
