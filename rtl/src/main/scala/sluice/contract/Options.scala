// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

/** What a configuration says of an algorithm's [[Algorithm.options]]; what it does not say stays as the algorithm has it. */
class Options(settings: Map[String, String]) {

  /** A number from `least` to `most`, of which those count that `isAllowed` takes. */
  def number(
      option: String,
      default: Int,
      least: Int,
      most: Int,
      isAllowed: Int => Boolean = _ => true,
      also: String = ""
  ): Int =
    settings.get(option).fold(default) { text =>
      val value = text.toIntOption.filter(n => n >= least && n <= most && isAllowed(n))
      value.getOrElse(throw new IllegalArgumentException(s"$option must be $least..$most$also, not $text"))
    }

  /** What one of a few words stands for. */
  def oneOf[T](option: String, default: T, values: (String, T)*): T =
    settings.get(option).fold(default) { text =>
      def words = values.map(_._1).mkString(" or ")
      values.toMap.getOrElse(text, throw new IllegalArgumentException(s"$option must be $words, not $text"))
    }
}
