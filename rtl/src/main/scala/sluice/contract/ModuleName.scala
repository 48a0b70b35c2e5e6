// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

/** Names of Verilog modules, C tables and files: those of the catalogue, as languages without hyphens have them. */
object ModuleName {
  def apply(words: String*): String = ("sluice" +: words).mkString("_").replace('-', '_')
}
