package io.hudilite.spark.service.inline

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerApplicationEnd}

/** The work beside the writes of an application, which all its sessions share: it ends with the application, and one that
  * is started later in this process has its own.
  */
private[service] object ApplicationRounds {

  // Tables that are worked on at once.
  private val Threads = 2

  private val all = new ConcurrentHashMap[SparkContext, BackgroundRounds]()

  private lazy val none: BackgroundRounds = {
    val rounds = new BackgroundRounds(Threads)
    rounds.end()
    rounds
  }

  def of(context: SparkContext): BackgroundRounds =
    if (context.isStopped) none
    else all.computeIfAbsent(context,
      { _ =>
        val rounds = new BackgroundRounds(Threads)
        context.addSparkListener(new Ending(context, rounds))
        rounds
      })

  private[service] final class Ending(context: SparkContext, rounds: BackgroundRounds) extends SparkListener {
    override def onApplicationEnd(end: SparkListenerApplicationEnd): Unit = {
      rounds.end()
      all.remove(context)
      ()
    }
  }
}
