package io.hudilite.stats

import io.hudilite.metadata.StatValue
import io.hudilite.stats.ColumnFilter._

import munit.FunSuite

/** Filters on columns of which sets of values are known, judged by what the sets do not have. */
class MembershipSuite extends FunSuite {

  private val name = FilterColumn(Seq("by_name"), ColumnKind.Texts)
  private val size = FilterColumn(Seq("by_size"), ColumnKind.Whole)
  private val plain = FilterColumn(Seq("age"), ColumnKind.Whole)

  private def text(value: String): ColumnFilter = Comparison(name, Operator.Equal, StatValue.Text(value))
  private def number(value: Long): ColumnFilter = Comparison(size, Operator.Equal, StatValue.Int64(value))
  private val older = Comparison(plain, Operator.Greater, StatValue.Int64(9))

  private def of(filter: ColumnFilter): ColumnFilter = Membership.of(filter, Set(name, size))

  /** A row of a file with these values may pass. */
  private def mayPass(filter: ColumnFilter, values: String*): Boolean = of(filter).outcomes {
    case Membership(_, value) if !values.contains(value) => Seq(Membership.Absent)
    case _ => Seq(ColumnRange.Unknown)
  }.isTrue

  test("a value that no set has excludes its rows, in lists and joined filters too") {
    assert(mayPass(text("a"), "a", "b") && !mayPass(text("a"), "b"))
    assert(mayPass(number(4), "4") && !mayPass(number(4), "5"))
    assert(mayPass(OneOf(name, Seq("a", "b").map(StatValue.Text(_))), "b"))
    assert(!mayPass(OneOf(name, Seq("a", "b").map(StatValue.Text(_))), "c"))
    assert(!mayPass(AllOf(Seq(text("a"), older)), "c") && mayPass(AnyOf(Seq(text("a"), older)), "c"))
    assert(!mayPass(AnyOf(Seq(text("a"), number(4))), "5", "b") && mayPass(AnyOf(Seq(text("a"), number(4))), "4"))
  }

  test("a filter below NOT excludes nothing, nor does one that sets do not judge") {
    Seq(Negation(text("a")), Negation(AllOf(Seq(text("a"), IsNull(name)))), Negation(AllOf(Seq(text("b"), text("a")))),
      AnyOf(Seq(text("a"), IsNull(name))), AllOf(Seq(IsNull(name), StartsWith(name, "a"))),
      Negation(Comparison(name, Operator.Less, StatValue.Text("a"))), OneOf(name, Nil))
      .foreach(filter => assert(mayPass(filter, "b"), filter.toString))
    Seq(IsNull(name), Negation(IsNull(name)), StartsWith(name, "a"),
      Comparison(name, Operator.Less,
        StatValue.Text("a")), AllOf(Seq(IsNull(name), IsNull(size)))).foreach(filter => assertEquals(of(filter), Other))
  }

  test("a set of one file of a slice alone leaves the rows of the others") {
    val outcomes = of(text("a")).outcomes(_ => Seq(Membership.Absent, ColumnRange.Unknown))
    assert(outcomes.isTrue && !of(text("a")).outcomes(_ => Seq(Membership.Absent, Membership.Absent)).isTrue)
  }
}
