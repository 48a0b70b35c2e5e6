// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._

/** What a design shows of its inside when it stands alone, as only a bench builds it. Within another design there is none of it:
  * no port, no register.
  */
trait Views { this: Component =>

  /** Whether nothing is around this design. */
  protected val isAlone: Boolean = parent == null

  /** A port `view_<name>`, of at most 64 bits, that shows a value some cycles later. */
  protected def view(name: String, value: => UInt, delay: Int): Unit = if (isAlone) {
    val shown = out(UInt(value.getWidth bits)).setName(s"view_$name")
    shown := Delay(value, delay)
  }
}
