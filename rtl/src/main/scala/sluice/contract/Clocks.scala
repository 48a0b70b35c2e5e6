// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.contract

import spinal.core._
import spinal.core.internals._

import scala.collection.mutable

/** Clocks that a calculation takes, counted on the netlist: the registers on the longest way from where it begins. So what a block
  * declares is held against what stands there whenever it is elaborated, and not against a sum on paper.
  *
  * A way ends at where it began, and at what stands still. A register that feeds itself has no longest way: a state that waits for its
  * moment stands still until then, and a unit that works for many clocks is a [[Clocks.Span]] with the latency that it declares.
  *
  * @param from
  *   what is new in the first clock
  * @param still
  *   what does not change meanwhile
  * @param spans
  *   units on the way
  */
class Clocks(from: Seq[Data], still: Seq[Data] = Nil, spans: Seq[Clocks.Span] = Nil) {
  import Clocks._
  private val begins = nodesOf(from)
  private val stands = nodesOf(still)
  private val spanOf = spans.flatMap(span => nodesOf(Seq(span.result)).map(_ -> span)).toMap

  /** What a node is made of, and the clocks from there to it. */
  private def step(node: BaseNode): (Seq[BaseNode], Int) =
    if (begins(node)) (Nil, 0)
    else
      spanOf.get(node) match {
        case Some(span) => (nodesOf(Seq(span.begin)).toSeq, span.clocks)
        case None       => (sources(node).filterNot(stands), registers(node))
      }

  /** Clocks from the first one to that in which all of it is new. */
  def to(data: Data): Int = {
    val ends = nodesOf(Seq(data))
    val steps = mutable.LinkedHashMap.empty[BaseNode, (Seq[BaseNode], Int)]
    reach(ends.toSeq) { node =>
      steps(node) = step(node)
      steps(node)._1
    }
    val uses = mutable.Map.empty[BaseNode, mutable.ArrayBuffer[BaseNode]]
    for ((node, (of, _)) <- steps; source <- of) uses.getOrElseUpdate(source, mutable.ArrayBuffer.empty) += node
    val led = reach(begins.filter(steps.contains).toSeq)(uses.getOrElse(_, Nil).toSeq)
    require(ends.exists(led), s"nothing leads to ${nameOf(data)}")

    // In the order in which all that a node is made of has been counted.
    val left = mutable.Map.from(led.map(node => node -> steps(node)._1.count(led)))
    val clocks = mutable.Map.empty[BaseNode, Int]
    val ready = mutable.Queue.from(left.filter(_._2 == 0).keys)
    while (ready.nonEmpty) {
      val node = ready.dequeue()
      val (of, more) = steps(node)
      clocks(node) = of.flatMap(clocks.get).maxOption.fold(0)(_ + more)
      for (use <- uses.getOrElse(node, Nil) if led(use)) {
        left(use) -= 1
        if (left(use) == 0) ready += use
      }
    }
    for (node <- led.find(!clocks.contains(_))) {
      val loop = onLoop(node, of => steps(of)._1.find(source => led(source) && !clocks.contains(source)))
      throw new IllegalArgumentException(
        s"${nameOf(loop)} feeds itself, so that no clocks to ${nameOf(data)} can be counted"
      )
    }
    ends.toSeq.flatMap(clocks.get).max
  }
}

object Clocks {

  /** A unit that works for so many clocks from `begin` on, and then shows `result`. */
  case class Span(begin: Data, clocks: Int, result: Data)

  /** Fails elaboration, with this name, where what is declared is less than the netlist takes. */
  def suffice(name: String, declared: Int, taken: Int): Unit =
    require(taken <= declared, s"$name is $declared clocks, and the netlist takes $taken")

  /** The same where it is not just that. */
  def are(name: String, declared: Int, taken: Int): Unit =
    require(taken == declared, s"$name is $declared clocks, and the netlist takes $taken")

  private def nodesOf(data: Seq[Data]): Set[BaseNode] = data.flatMap(_.flatten).toSet

  private def registers(node: BaseNode): Int = node match {
    case base: BaseType if base.isReg => 1
    case _: MemReadSync               => 1
    case _                            => 0
  }

  /** All that is assigned to a node, and under which conditions. */
  private def sources(node: BaseNode): Seq[BaseNode] = {
    val found = mutable.LinkedHashSet.empty[BaseNode]
    node match {
      case base: BaseType =>
        base.foreachStatements { statement =>
          statement.foreachDrivingExpression(found += _)
          statement.walkParentTreeStatementsUntilRootScope(_.walkDrivingExpressions(found += _))
        }
      case expression: Expression => expression.foreachDrivingExpression(found += _)
      case _                      =>
    }
    found.toSeq
  }

  /** All nodes to which steps lead from some. */
  private def reach(from: Seq[BaseNode])(next: BaseNode => Seq[BaseNode]): mutable.LinkedHashSet[BaseNode] = {
    val found = mutable.LinkedHashSet.from(from)
    val open = mutable.Queue.from(from)
    while (open.nonEmpty) for (node <- next(open.dequeue()) if found.add(node)) open += node
    found
  }

  /** A register on the loop that steps back from a node end in. */
  private def onLoop(node: BaseNode, back: BaseNode => Option[BaseNode]): BaseNode = {
    val passed = mutable.LinkedHashSet.empty[BaseNode]
    var at = node
    while (passed.add(at)) at = back(at).getOrElse(at)
    val loop = passed.dropWhile(_ != at)
    loop.find(registers(_) > 0).getOrElse(at)
  }

  private def nameOf(node: Any): String = node match {
    case named: Nameable if named.isNamed => named.getName()
    case other                            => other.toString
  }
}
