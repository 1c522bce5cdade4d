package org.apache.spark.sql.hudilite

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.SparkListener

import scala.reflect.ClassTag

/** Listeners of an application. */
object Listeners {

  /** Returns when all that has happened was told. */
  def settle(context: SparkContext): Unit = context.listenerBus.waitUntilEmpty()

  /** Those of a kind. */
  def of[T <: SparkListener: ClassTag](context: SparkContext): Seq[T] =
    context.listenerBus.findListenersByClass[T]().toSeq
}
