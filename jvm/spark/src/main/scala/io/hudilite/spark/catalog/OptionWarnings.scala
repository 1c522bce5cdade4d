package io.hudilite.spark.catalog

import io.hudilite.config.{IneffectiveOption, IneffectiveOptions}

import java.util.WeakHashMap
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

/** Says once in a session of each option without effect that it has none. */
object OptionWarnings {

  private val log = LoggerFactory.getLogger("io.hudilite.options")
  private val told = new WeakHashMap[SparkSession, ConcurrentHashMap.KeySetView[String, java.lang.Boolean]]

  def tell(session: SparkSession, options: Map[String, String]): Unit =
    news(session, options).foreach(option => log.warn(option.text))

  /** What the session has not been told of. */
  private[catalog] def news(session: SparkSession, options: Map[String, String]): Seq[IneffectiveOption] = {
    val found = IneffectiveOptions.among(options)
    if (found.isEmpty) Nil
    else {
      val names = told.synchronized(told.computeIfAbsent(session, _ => ConcurrentHashMap.newKeySet[String]()))
      found.filter(option => names.add(option.name.toLowerCase(java.util.Locale.ROOT)))
    }
  }
}
