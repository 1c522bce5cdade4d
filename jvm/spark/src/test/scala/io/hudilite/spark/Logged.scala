package io.hudilite.spark

import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.logging.log4j.LogManager
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property

import scala.collection.JavaConverters._

/** What is logged under a name while something runs, in whichever thread. */
object Logged {

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
    logger.addAppender(appender)
    try body
    finally logger.removeAppender(appender)
    lines.asScala.toSeq
  }
}
