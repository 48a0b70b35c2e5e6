// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.lib._

import scala.collection.mutable

/** What a design shows of its inside when it stands alone, as only a bench builds it, or within one that stands alone and shows
  * its own. Within a product there is none of it: no port, no register.
  */
trait Views { this: Component =>

  /** Whether nothing is around this design. */
  protected val isAlone: Boolean = parent == null

  private val isShown = parents().forall(_.isInstanceOf[Views])
  private val views = mutable.LinkedHashMap.empty[String, UInt]

  /** A port `view_<name>`, of at most 64 bits, that shows a value some cycles later. */
  protected def view(name: String, value: => UInt, delay: Int): Unit = if (isShown) {
    val shown = out(UInt(value.getWidth bits)).setName(s"view_$name")
    shown := Delay(value, delay)
    views(name) = shown
  }

  /** All that a block within this design shows, some cycles later; `of` precedes the names, where there are several such blocks. */
  protected def viewsOf(block: Views, delay: Int, of: String = ""): Unit =
    for ((name, value) <- block.views) view(of + name, value, delay)
}
