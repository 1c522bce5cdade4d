package io.hudilite.spark.catalog

import io.hudilite.config.{IneffectiveOption, IneffectiveOptions}
import io.hudilite.spark.row.SessionConf

import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

/** Warnings of options without effect, each once in a session. */
object OptionWarnings {

  private val logger = LoggerFactory.getLogger("io.hudilite.options")
  private val told = new WeakHashMap[SparkSession, ConcurrentHashMap.KeySetView[String, java.lang.Boolean]]

  def tell(session: SparkSession, options: Map[String, String]): Unit =
    log(news(session, IneffectiveOptions.among(options)))

  /** Warns of settings by which Apache Hudi would set options of all statements. */
  def tellOfSettings(session: SparkSession): Unit = log(news(session, settings))

  private[catalog] def settings: Seq[IneffectiveOption] = SessionConf.withoutPrefix.map(name =>
    IneffectiveOption(name, s"the session's options are set as ${SessionConf.Prefix}<option>"))

  private def log(news: Seq[IneffectiveOption]): Unit = news.foreach(option => logger.warn(option.text))

  /** Options that the session was not warned of before. */
  private[catalog] def news(session: SparkSession, found: Seq[IneffectiveOption]): Seq[IneffectiveOption] = {
    if (found.isEmpty) Nil
    else {
      val names = told.synchronized(told.computeIfAbsent(session, _ => ConcurrentHashMap.newKeySet[String]()))
      found.filter(option => names.add(option.name.toLowerCase(java.util.Locale.ROOT)))
    }
  }
}
