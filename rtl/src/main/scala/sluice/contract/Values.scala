// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._

/** A bundle whose fields come from a list of declarations: port and signal names are the declared names. */
abstract class DeclaredValues[D](declared: Seq[D], nameOf: D => String, widthOf: D => Int) extends Bundle {
  private val fields: Map[String, UInt] = {
    require(declared.map(nameOf).distinct.size == declared.size, s"two values of one name in ${declared.map(nameOf)}")
    declared.map { d =>
      val field = UInt(widthOf(d) bits)
      valCallback(field, nameOf(d))
      nameOf(d) -> field
    }.toMap
  }

  /** The field of one declaration; an undeclared one is a mistake of the core. */
  def apply(d: D): UInt =
    fields.getOrElse(nameOf(d), throw new IllegalArgumentException(s"${nameOf(d)} is not declared by this core"))
}

/** One whole set of parameters, raw as the registers hold them. */
class ParameterValues(val declared: Seq[Parameter]) extends DeclaredValues[Parameter](declared, _.name, _.width) {
  override def clone: ParameterValues = new ParameterValues(declared)
}

/** The status values that a core shows. */
class StatusValues(val declared: Seq[Status]) extends DeclaredValues[Status](declared, _.name, _.width) {
  override def clone: StatusValues = new StatusValues(declared)
}
