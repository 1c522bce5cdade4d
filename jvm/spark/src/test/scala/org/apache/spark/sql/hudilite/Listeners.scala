package org.apache.spark.sql.hudilite

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListener

import scala.reflect.ClassTag

/** The listeners of a kind that an application has. */
object Listeners {
  def of[T <: SparkListener: ClassTag](context: SparkContext): Seq[T] =
    context.listenerBus.findListenersByClass[T]().toSeq
}
