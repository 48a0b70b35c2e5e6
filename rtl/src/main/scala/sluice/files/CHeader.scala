// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import sluice.contract.ModuleName
import sluice.tile._
import sluice.tile.registers._
import sluice.tile.account.Accountant

/** The register map of one configuration as a C header: addresses, formats and reason codes, as plain constants and as the
  * tables that a driver or simulator walks.
  *
  * Headers of any configurations can be included together: all that is of one map bears the configuration's name, and what all
  * maps share, the words before the parameters and the types of the tables, is guarded on its own. Nothing in it is floating
  * point, so that a kernel can include it too.
  */
object CHeader {

  /** Counts the changes of the part that all headers share, so that headers which do not fit together are refused. */
  private val layout = 5

  /** What names of the configuration's C header begin with, and the header's own. */
  def prefix(config: TileConfig): String = ModuleName(config.name)

  /** @param what
    *   the configuration in words
    */
  def apply(config: TileConfig, what: String, design: Design): String = {
    val map = new RegisterMap(config, design.latency)
    val name = prefix(config)
    val own = map.all.diff(map.common)
    val tables = tablesOf(config, map)
    val digest = map.digest.reset.toString(16)
    val longestTick = design.tickCycles.maxOption.getOrElse(0)
    val selected = map.window.filter(_ => config.countsLists)

    s"""/* ${FileHead(s"registers of the $what").mkString("\n * ")}
       | */
       |#ifndef ${name.toUpperCase}_REGISTERS_H
       |#define ${name.toUpperCase}_REGISTERS_H
       |
       |${common(map)}
       |
       |${own.map(define(name, _)).mkString("\n")}
       |
       |${tables.filter(_.rows.nonEmpty).map(_.text(name)).mkString("\n\n")}
       |
       |static const struct sluice_map ${name}_map = {
       |    "${config.name}", 0x${digest}u, ${design.latency}u, ${longestTick}u, ${design.lead}u,
       |    ${config.ringPackets}u,
       |${tables.map(t => s"    ${t.pointer(name)}, ${t.rows.size}u,").mkString("\n")}
       |    0x${map.secret.headOption.fold(0)(_.address).toHexString}u, ${map.secret.size}u,
       |    0x${selected.fold(0)(_.select.address).toHexString}u, ${selected.fold(0)(_ => config.queues)}u,
       |};
       |
       |#endif
       |""".stripMargin
  }

  /** What all headers share, alone: for programs that take any map.
    *
    * @param config
    *   any one
    */
  def shared(config: TileConfig): String =
    s"""/* ${FileHead("what the register maps of all designs share").mkString("\n * ")}
       | */
       |${common(new RegisterMap(config, 0))}
       |""".stripMargin

  private def define(name: String, word: Word): String =
    f"#define ${s"${name}_${word.name}".toUpperCase}%-48s 0x${word.address}%03xu /* ${word.access}: ${word.doc} */"

  /** The rows of the tables, in the order of `struct sluice_map`. */
  private def tablesOf(config: TileConfig, map: RegisterMap): Seq[Table] = Seq(
    Table(
      "parameter",
      "parameters",
      map.parameters.map { case (p, w) =>
        f""""${p.name}", "${p.ns3}", "${p.unit}", 0x${w.address}%03xu, ${p.width}u, ${p.fraction}u, 0x${p.raw.toLong}%xu"""
      }
    ),
    Table("rule", "rules", config.rules.zipWithIndex.map { case (r, bit) => s""""${r.name}", ${bit}u""" }),
    Table(
      "reason",
      "reasons",
      config.reasons.map { case (code, r) =>
        val address = map.counters.collectFirst { case (low, _) if low.name == Accountant.nameOf(r) => low.address }.get
        f""""${r.name}", ${code}u, ${if (r.isMark) 1 else 0}u, 0x$address%03xu"""
      }
    ),
    Table("counter", "counters", map.counters.map { case (low, _) => f""""${low.name}", 0x${low.address}%03xu""" }),
    Table(
      "status",
      "status",
      map.status.map { case (s, w) =>
        f""""${s.name}", "${s.unit}", 0x${w.address}%03xu, ${s.width}u, ${s.fraction}u"""
      }
    )
  )

  /** An array of `struct sluice_<kind>`; `prefix` is the configuration's. */
  private case class Table(kind: String, name: String, rows: Seq[String]) {
    def text(prefix: String): String =
      s"static const struct sluice_$kind ${prefix}_$name[] = {\n${rows.map(r => s"    {$r},\n").mkString}};"

    /** C has no arrays without elements. */
    def pointer(prefix: String): String = if (rows.isEmpty) "0" else s"${prefix}_$name"
  }

  private def defineBit(fault: Fault, bit: Int): String =
    f"#define ${s"SLUICE_FAULT_${fault.name}".toUpperCase}%-48s 0x${1 << bit}%xu /* ${fault.doc} */"

  /** The same text in every header. */
  private def common(map: RegisterMap): String =
    s"""#ifndef SLUICE_REGISTERS
       |#define SLUICE_REGISTERS $layout
       |#ifdef __KERNEL__
       |#include <linux/types.h>
       |#else
       |#include <stdint.h>
       |#endif
       |
       |/* Words that every map has at the same address. */
       |${map.common.map(define("sluice", _)).mkString("\n")}
       |
       |/* Bits of FAULTS. */
       |${Faults.all.zipWithIndex.map { case (fault, bit) => defineBit(fault, bit) }.mkString("\n")}
       |
       |/* From a parameter's word, which reads what is staged, to the one that reads what is in force. */
       |#define SLUICE_IN_FORCE_OFFSET 0x${RegisterMap.inForce.toHexString}u
       |
       |/* A run-time parameter: value = raw / 2^fraction, in `unit`; `ns3_name` is "" for what ns-3 does not have. */
       |struct sluice_parameter {
       |    const char *name, *ns3_name, *unit;
       |    uint32_t address, width, fraction, default_raw;
       |};
       |/* A rule that a set of parameters must obey, and its bit in REFUSED. */
       |struct sluice_rule {
       |    const char *name;
       |    uint32_t bit;
       |};
       |/* A reason for a mark or a drop, its code in verdicts, and its counter. */
       |struct sluice_reason {
       |    const char *name;
       |    uint32_t code, is_mark, address;
       |};
       |/* A counter: the low word, and at the next address the rest. */
       |struct sluice_counter {
       |    const char *name;
       |    uint32_t address;
       |};
       |/* A value for reading: value = raw / 2^fraction, in `unit`. */
       |struct sluice_status {
       |    const char *name, *unit;
       |    uint32_t address, width, fraction;
       |};
       |/* Everything about one configuration. `digest` is what DIGEST reads where this map holds. `tick_cycles` is from a tick to the first arrival that it concerns, of the kind that takes longest, 0: no ticks; `lead_cycles` of a datapath's latency are before its tile. The secret of the flow hash is `secret_count` words from `secret_address` on, 0: there is none. Counters called `selected_` are of the one of `counted_queues` queues whose number is in the word at `select_address`, 0: there are none. */
       |struct sluice_map {
       |    const char *config;
       |    uint32_t digest, latency_cycles, tick_cycles, lead_cycles, ring_packets;
       |    const struct sluice_parameter *parameters;
       |    uint32_t parameter_count;
       |    const struct sluice_rule *rules;
       |    uint32_t rule_count;
       |    const struct sluice_reason *reasons;
       |    uint32_t reason_count;
       |    const struct sluice_counter *counters;
       |    uint32_t counter_count;
       |    const struct sluice_status *status;
       |    uint32_t status_count;
       |    uint32_t secret_address, secret_count;
       |    uint32_t select_address, counted_queues;
       |};
       |#elif SLUICE_REGISTERS != $layout
       |#error "headers of Sluice releases that do not fit together"
       |#endif""".stripMargin
}
