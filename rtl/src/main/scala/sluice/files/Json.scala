// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

import sluice.blocks.cardinality.MinCountConfig
import sluice.boards.BoardConfig
import sluice.contract._
import sluice.packet.DatapathConfig
import sluice.shells.ShellConfig
import sluice.tile._
import sluice.tile.registers._
import sluice.tile.account.Accountant
import sluice.checks.Proofs
import ujson.{Arr, Null, Obj, Value}

/** The declarations as JSON: what software, documentation and tests read. */
object Json {

  /** The register map of one configuration. */
  def registers(config: TileConfig, design: Design): Obj = {
    val map = new RegisterMap(config, design.latency)
    Obj(
      "licence" -> FileHead.licence,
      "config" -> config.name,
      "algorithm" -> config.algorithm.name,
      "version" -> RegisterMap.versionText,
      "digest" -> map.digest.reset.toDouble,
      "in_force_offset" -> RegisterMap.inForce,
      "latency_cycles" -> design.latency,
      "core_latency_cycles" -> design.coreLatency,
      "core_head_latency_cycles" -> design.headLatency,
      "ticks" -> Arr.from(config.algorithm.ticks.zip(design.tickCycles).map { case (kind, cycles) =>
        Obj("name" -> kind.name, "period" -> kind.period.fold[Value](Null)(_.name), "cycles" -> cycles)
      }),
      "lead_cycles" -> design.lead,
      "data_width" -> 32,
      "needs" -> needs(config.algorithm.needs),
      "registers" -> Arr.from(map.all.map { w =>
        Obj(
          "name" -> w.name,
          "address" -> w.address,
          "access" -> w.access,
          "width" -> w.width,
          "reset" -> w.reset.toDouble,
          "doc" -> w.doc
        )
      }),
      "parameters" -> Arr.from(map.parameters.map { case (p, w) => parameter(p, w.address) }),
      "rules" -> Arr.from(config.rules.zipWithIndex.map { case (r, bit) =>
        Obj("bit" -> bit, "name" -> r.name, "doc" -> r.doc)
      }),
      "faults" -> Arr.from(Faults.all.zipWithIndex.map { case (f, bit) =>
        Obj("bit" -> bit, "name" -> f.name, "doc" -> f.doc)
      }),
      "reasons" -> Arr.from(config.reasons.map { case (code, r) =>
        val address = map.counters.collectFirst { case (low, _) if low.name == Accountant.nameOf(r) => low.address }.get
        reason(code, r).tap("address", address)
      }),
      "counters" -> Arr.from(map.counters.map { case (low, high) =>
        Obj("name" -> low.name, "address" -> low.address, "width" -> (low.width + high.width))
      }),
      "status" -> Arr.from(map.status.map { case (s, w) =>
        Obj(
          "name" -> s.name,
          "address" -> w.address,
          "width" -> s.width,
          "fraction" -> s.fraction,
          "unit" -> s.unit,
          "doc" -> s.doc
        )
      })
    )
  }

  /** The algorithms and configurations, and apart from them the datapaths around witnesses and the counters of flows, each of these
    * with its latency, the wrappers for shells and the boards. An algorithm is there if the configuration of its name is.
    */
  def catalog(
      designs: Seq[(TileConfig, Design)],
      witnesses: Seq[TileConfig],
      datapaths: Seq[(DatapathConfig, Design)],
      witnessDatapaths: Seq[(DatapathConfig, Design)],
      counters: Seq[(MinCountConfig, Int)],
      shells: Seq[ShellConfig],
      boards: Seq[BoardConfig]
  ): Obj = Obj(
    "licence" -> FileHead.licence,
    "version" -> RegisterMap.versionText,
    "algorithms" -> Arr.from(
      for (a <- Catalog.algorithms; (config, design) <- designs.find(_._1.name == a.name)) yield {
        Obj(
          "name" -> a.name,
          "summary" -> a.summary,
          "latency_cycles" -> design.latency,
          "default_config" -> config.name,
          "reasons" -> Arr.from(config.reasons.map { case (code, r) => reason(code, r) }),
          "parameters" -> Arr.from(a.parameters.map(p => Obj("name" -> p.name, "unit" -> p.unit, "doc" -> p.doc)))
        )
      }
    ),
    "configs" -> Arr.from(designs.map { case (config, design) =>
      Obj(
        "name" -> config.name,
        "algorithm" -> config.algorithm.name,
        "grade" -> config.grade,
        "latency_cycles" -> design.latency,
        "digest" -> digest(config, design),
        "settings" -> Obj(
          "ring_packets" -> config.ringPackets,
          "cookie_bits" -> config.cookieBits,
          "queues" -> config.queues,
          "scheduler" -> config.scheduler,
          "queue_by" -> config.queueBy
        )
      )
    }),
    "witnesses" -> Arr.from(witnesses.map(_.name)),
    "datapaths" -> Arr.from(datapaths.map { case (config, design) => datapath(config, design) }),
    "witness_datapaths" -> Arr.from(witnessDatapaths.map { case (config, design) => datapath(config, design) }),
    "counters" -> Arr.from(counters.map { case (config, latency) => counter(config, latency) }),
    "shells" -> Arr.from(shells.map { config =>
      Obj("name" -> config.name, "shell" -> config.shell.name, "datapath" -> config.datapath.name)
    }),
    "boards" -> Arr.from(boards.map { config =>
      Obj("name" -> config.name, "board" -> config.board.name, "config" -> config.base.name)
    }),
    "proofs" -> Arr.from(Proofs.all.map(claim => Obj("name" -> claim.name, "states" -> claim.states)))
  )

  private def datapath(config: DatapathConfig, design: Design): Obj = Obj(
    "name" -> config.name,
    "config" -> config.base.name,
    "algorithm" -> config.base.algorithm.name,
    "grade" -> config.base.grade,
    "latency_cycles" -> design.latency,
    "digest" -> digest(config.tile, design),
    "data_bits" -> config.dataBits,
    "buffer_bytes" -> config.bufferBytes,
    "user_bits" -> config.band.userBits,
    "id_bits" -> config.band.idBits,
    "dest_bits" -> config.band.destBits
  )

  private def counter(config: MinCountConfig, latency: Int): Obj = Obj(
    "name" -> config.name,
    "grade" -> config.grade,
    "buckets" -> config.buckets,
    "values" -> config.values,
    "estimate" -> config.estimate,
    "latency_cycles" -> latency
  )

  private def needs(n: Needs): Obj = Obj(
    "random_words" -> n.randomWords,
    "limit" -> n.limit,
    "rtt" -> n.rtt,
    "samples" -> n.samples,
    "takes_victims" -> n.takesVictims,
    "tag_bits" -> n.tagBits,
    "idle" -> n.idle,
    "settled" -> n.settled,
    "departed" -> n.departed,
    "rest" -> n.rest,
    "head" -> n.head,
    "head_state" -> n.headState.getOrElse[Int](0),
    "queues" -> n.queues,
    "chooses_queue" -> n.choosesQueue,
    "gives_quanta" -> n.givesQuanta,
    "profiles" -> n.profiles,
    "picks_late" -> n.picksLate
  )

  private def digest(config: TileConfig, design: Design): Double =
    new RegisterMap(config, design.latency).digest.reset.toDouble

  private def parameter(p: Parameter, address: Int): Obj = Obj(
    "name" -> p.name,
    "ns3" -> p.ns3,
    "address" -> address,
    "width" -> p.width,
    "fraction" -> p.fraction,
    "unit" -> p.unit,
    "default" -> p.default.toDouble,
    "follows" -> p.follows.fold[Value](Null)(f => Obj("fact" -> f.name, "factor" -> f.factor.toDouble)),
    "doc" -> p.doc
  )

  private def reason(code: Int, r: Reason): Obj =
    Obj("code" -> code, "name" -> r.name, "action" -> (if (r.isMark) "mark" else "drop"))

  private implicit class ObjOps(o: Obj) {
    def tap(key: String, value: Int): Obj = { o(key) = value; o }
  }
}
