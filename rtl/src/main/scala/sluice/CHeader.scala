// SPDX-License-Identifier: Apache-2.0
package sluice

import sluice.tile._

/** The register map of one configuration as a C header: addresses, formats and reason codes, as plain constants and as the
  * tables that a driver or simulator walks.
  */
object CHeader {
  def apply(config: TileConfig, design: Design): String = {
    val map = new RegisterMap(config, design.latency)

    def table(typeName: String, name: String, rows: Seq[String]): String =
      if (rows.isEmpty) s"#define SLUICE_${name.toUpperCase}_COUNT 0\n"
      else
        s"""#define SLUICE_${name.toUpperCase}_COUNT ${rows.size}
           |static const struct $typeName sluice_$name[SLUICE_${name.toUpperCase}_COUNT] = {
           |${rows.map(r => s"    {$r},").mkString("\n")}
           |};
           |""".stripMargin

    s"""/* SPDX-License-Identifier: Apache-2.0
       | * Registers of the configuration '${config.name}', generated from its declaration.
       | */
       |#ifndef SLUICE_REGISTERS_H
       |#define SLUICE_REGISTERS_H
       |#include <stdint.h>
       |
       |#define SLUICE_CONFIG "${config.name}"
       |#define SLUICE_LATENCY_CYCLES ${design.latency}
       |#define SLUICE_DIGEST_VALUE 0x${map.digest.reset.toString(16)}u /* what DIGEST reads where this map holds */
       |#define SLUICE_IN_FORCE_OFFSET 0x${RegisterMap.inForce.toHexString}u /* from a parameter to its value in force */
       |#define SLUICE_TICK_CYCLES ${design.tickCycles} /* from a tick to the first arrival that it concerns, 0: no ticks */
       |
       |${map.all
        .map(w => f"#define SLUICE_${w.name.toUpperCase}%-28s 0x${w.address}%03xu /* ${w.access}: ${w.doc} */")
        .mkString("\n")}
       |
       |/* value = raw / 2^fraction, in `unit` */
       |struct sluice_parameter {
       |    const char *name, *ns3_name, *unit;
       |    uint32_t address, width, fraction;
       |    double default_value;
       |};
       |struct sluice_rule {
       |    const char *name;
       |    uint32_t bit;
       |};
       |struct sluice_reason {
       |    const char *name;
       |    uint32_t code, is_mark, address;
       |};
       |struct sluice_counter {
       |    const char *name;
       |    uint32_t address;
       |};
       |struct sluice_status {
       |    const char *name;
       |    uint32_t address, width, fraction;
       |};
       |
       |${table(
        "sluice_parameter",
        "parameters",
        map.parameters.map { case (p, w) =>
          f""""${p.name}", "${p.ns3}", "${p.unit}", 0x${w.address}%03x, ${p.width}, ${p.fraction}, ${p.default.toDouble}"""
        }
      )}
       |${table("sluice_rule", "rules", config.rules.zipWithIndex.map { case (r, bit) => s""""${r.name}", $bit""" })}
       |${table(
        "sluice_reason",
        "reasons",
        config.reasons.map { case (code, r) =>
          val address =
            map.counters.collectFirst { case (low, _) if low.name == Accountant.nameOf(r) => low.address }.get
          f""""${r.name}", $code, ${if (r.isMark) 1 else 0}, 0x$address%03x"""
        }
      )}
       |${table(
        "sluice_counter",
        "counters",
        map.counters.map { case (low, _) => f""""${low.name}", 0x${low.address}%03x""" }
      )}
       |${table(
        "sluice_status",
        "status",
        map.status.map { case (s, w) =>
          f""""${s.name}", 0x${w.address}%03x, ${s.width}, ${s.fraction}"""
        }
      )}
       |#endif
       |""".stripMargin
  }
}
