package io.hudilite.spark

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.logging.log4j.{Level, LogManager}
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{Configurator, Property}
import org.slf4j.LoggerFactory
import org.slf4j.helpers.NOPLoggerFactory

import scala.collection.JavaConverters._

/** Messages logged under a name while something runs, in any thread. */
object Logged {

  /** Not so where the tests of the core, which log nothing, come before Spark in the classpath. */
  val isHeard: Boolean = !LoggerFactory.getILoggerFactory.isInstanceOf[NOPLoggerFactory]

  /** `LEVEL message` of each. */
  def during(name: String)(body: => Any): Seq[String] = {
    val lines = new ConcurrentLinkedQueue[String]()
    val appender = new AbstractAppender("test", null, null, true, Property.EMPTY_ARRAY) {
      override def append(event: LogEvent): Unit = {
        lines.add(s"${event.getLevel} ${event.getMessage.getFormattedMessage}")
        ()
      }
    }
    appender.start()
    val logger = LogManager.getLogger(name).asInstanceOf[Logger]
    val level = logger.getLevel
    logger.addAppender(appender)
    Configurator.setLevel(name, Level.INFO)
    try body
    finally {
      logger.removeAppender(appender)
      Configurator.setLevel(name, level)
    }
    lines.asScala.toSeq
  }
}
