package io.hudilite.spark

import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteSessionCatalog, PathCatalogRule}
import io.hudilite.spark.catalog.statement.{
  NamesRule,
  ReadsRule,
  RefusalsRule,
  RewritesRule,
  TimesRule,
  ViewsRule,
  WritesRule
}
import io.hudilite.spark.dialect.Dialect
import io.hudilite.spark.function.TableFunctions
import io.hudilite.spark.plan.{BusyTasks, WriteLoopRule, WriteRule}
import io.hudilite.spark.plan.delta.{DeltaLayoutRule, LateMoves}
import io.hudilite.spark.plan.merge.{IndexProbeRule, IndexProbeStrategy, MadeKeys}
import io.hudilite.spark.procedure.Procedures
import io.hudilite.spark.scan.rule.{AggregatesRule, RuntimeFilterRule, SubqueryScans}
import io.hudilite.spark.service.inline.InlineServices
import io.hudilite.spark.shim.{Calls, EarlyRules}
import io.hudilite.spark.write.attempt.CommitJudge

import java.lang.{Boolean => JBoolean}
import java.util.{Collections, Set => JSet, WeakHashMap}

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}

/** hudilite's rules for Spark's planner. Spark 4 finds them by itself; on 3.5 PySpark needs
  * `spark.sql.extensions=io.hudilite.spark.HudiliteExtensions`.
  *
  * @param judge
  *   decides about attempts of writes
  */
final class HudiliteExtensions private[hudilite] (judge: CommitJudge) extends SparkSessionExtensionsProvider {

  def this() = this(CommitJudge.OfGate)

  override def apply(extensions: SparkSessionExtensions): Unit =
    if (HudiliteExtensions.isFirst(extensions)) inject(extensions)

  private def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectResolutionRule { session =>
      HudiliteSessionCatalog.register(session)
      HudiliteCatalog.register(session) // names are resolved before this rule is run for the first time
      PathCatalogRule(session)
    }
    EarlyRules.inject(extensions, NamesRule(_))
    EarlyRules.injectForTimes(extensions, TimesRule(_))
    extensions.injectResolutionRule(ReadsRule(_))
    extensions.injectResolutionRule(_ => RefusalsRule)
    extensions.injectResolutionRule(_ => ViewsRule)
    extensions.injectResolutionRule(RewritesRule(_))
    extensions.injectResolutionRule(WritesRule(_, InlineServices))
    extensions.injectResolutionRule(WriteRule(_, InlineServices, judge))
    extensions.injectResolutionRule(RuntimeFilterRule(_))
    extensions.injectPreCBORule(_ => AggregatesRule)
    extensions.injectPreCBORule(_ => SubqueryScans)
    extensions.injectPreCBORule(_ => MadeKeys)
    extensions.injectPreCBORule(_ => LateMoves)
    extensions.injectPreCBORule(_ => IndexProbeRule)
    extensions.injectPreCBORule(DeltaLayoutRule(_))
    extensions.injectPlannerStrategy(IndexProbeStrategy(_))
    extensions.injectQueryStageOptimizerRule(_ => BusyTasks)
    extensions.injectColumnar(_ => WriteLoopRule(InlineServices))
    Calls.inject(extensions, HudiliteCatalog.Name, Procedures.in)
    TableFunctions.inject(extensions)
    Dialect.inject(extensions) // around the parser that takes calls
  }
}

object HudiliteExtensions {

  // Spark 4 applies it once by itself, and again where the settings name it, too.
  private val applied: JSet[SparkSessionExtensions] =
    Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap[SparkSessionExtensions, JBoolean]))

  private def isFirst(extensions: SparkSessionExtensions): Boolean = applied.add(extensions)
}
