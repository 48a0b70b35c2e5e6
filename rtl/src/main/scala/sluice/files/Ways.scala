// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice
package files

/** The ways through a combinational process of one variable: which value it has under which conditions.
  *
  * SpinalHDL writes a default first, and then what is assigned under conditions, the last one that holds counting. Written as a tree of
  * conditions the same value is assigned once, at the end of each way. Processes of more variables, of parts of one, or with a `case`
  * stay as they are: a `case` of SpinalHDL's assigns once by itself.
  */
private object Ways {

  /** Body of a process, each line with its end, so that each way assigns once. */
  def once(body: String): String = {
    val lines = body.linesIterator.toList
    val written = for {
      (statements, Nil) <- parsed(lines)
      if targets(statements).distinct.size == 1
      tree <- after(statements, None)
    } yield text(targets(statements).head, tree, indent = 4)
    written.fold(body)(_.map(_ + "\n").mkString)
  }

  private sealed trait Statement
  private case class Assign(target: String, value: String) extends Statement
  private case class If(condition: String, yes: List[Statement], no: List[Statement]) extends Statement

  private sealed trait Tree
  private case class Value(value: String) extends Tree
  private case class Choice(condition: String, yes: Tree, no: Tree) extends Tree

  private val assign = """ *(\w+) = (.*);""".r
  private val begin = """ *if\((.*)\) begin""".r
  private val elseBegin = """ *end else begin""".r
  private val elseIf = """ *end else (if\(.*\) begin)""".r
  private val end = """ *end""".r

  /** Statements up to the end of their block, and the lines from there on; none if one is of another kind. */
  private def parsed(lines: List[String]): Option[(List[Statement], List[String])] = lines match {
    case assign(target, value) :: rest =>
      parsed(rest).map { case (others, left) => (Assign(target, value) :: others, left) }
    case begin(condition) :: rest =>
      for {
        (yes, afterYes) <- parsed(rest)
        (no, afterNo) <- otherwise(afterYes)
        (others, left) <- parsed(afterNo)
      } yield (If(condition, yes, no) :: others, left)
    case Nil | (elseBegin() | elseIf(_) | end()) :: _ => Some((Nil, lines))
    case _                                            => None
  }

  /** What stands behind the end of a condition's block. */
  private def otherwise(lines: List[String]): Option[(List[Statement], List[String])] = lines match {
    case elseIf(condition) :: rest => // a condition of its own, whose end is that of all
      for {
        (yes, afterYes) <- parsed(rest)
        (no, left) <- otherwise(afterYes)
      } yield (List(If(condition.stripPrefix("if(").stripSuffix(") begin"), yes, no)), left)
    case elseBegin() :: rest => parsed(rest).map { case (no, left) => (no, left.drop(1)) }
    case end() :: rest       => Some((Nil, rest))
    case _                   => None
  }

  private def targets(statements: List[Statement]): List[String] = statements.flatMap {
    case Assign(target, _) => List(target)
    case If(_, yes, no)    => targets(yes) ++ targets(no)
  }

  /** The variable's value behind statements; none if there is a way on which nothing has assigned it. */
  private def after(statements: List[Statement], before: Option[Tree]): Option[Tree] = statements.foldLeft(before) {
    case (_, Assign(_, value))                => Some(Value(value))
    case (so, If(condition, whenYes, whenNo)) =>
      for {
        yes <- after(whenYes, so)
        no <- after(whenNo, so)
      } yield if (yes == no) yes else Choice(condition, yes, no)
  }

  private def text(target: String, tree: Tree, indent: Int): List[String] = {
    val space = " " * indent
    tree match {
      case Value(value)               => List(s"$space$target = $value;")
      case Choice(condition, yes, no) =>
        val otherwise = text(target, no, indent + 2) match {
          case first :: rest if first.trim.startsWith("if(") => s"${space}end else ${first.trim}" :: rest.map(_.drop(2))
          case lines                                         => (s"${space}end else begin" :: lines) :+ s"${space}end"
        }
        s"${space}if($condition) begin" :: text(target, yes, indent + 2) ::: otherwise
    }
  }
}
