package io.hudilite.spark.task

import io.hudilite.spark.write.WriteFixture

import org.apache.spark.TaskContext
import org.apache.spark.sql.hudilite.Listeners
import org.apache.spark.sql.internal.SQLConf

class TaskJobSuite extends WriteFixture {

  test("each item is a task of one job, whose answers come in the order of the items") {
    val context = session.sparkContext
    context.setJobGroup("task-job", "what the caller says")
    try {
      val found = TaskJob.run(session, "the label", TaskJobSuite.Described, Seq("b", "a", "c"))
      assertEquals(found, Seq("b in 0 of the label", "a in 1 of the label", "c in 2 of the label"))
      Listeners.settle(context)
      assertEquals(context.statusTracker.getJobIdsForGroup("task-job").length, 1)
      assertEquals(context.getLocalProperty("spark.job.description"), "what the caller says")
    } finally context.clearJobGroup()
    assertEquals(context.getLocalProperty("spark.job.description"), null)
  }

  test("tasks see the settings of the session that was named") {
    val other = session.newSession()
    other.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    assertEquals(TaskJob.run(other, "the label", TaskJobSuite.Zones, Seq("a")), Seq("Asia/Tokyo"))
  }

  test("an error of a task is the caller's, and the description is as it was") {
    val error = intercept[org.apache.spark.SparkException](
      TaskJob.run(session, "the label", TaskJobSuite.Failing, Seq("a", "b")))
    assert(error.getMessage.contains("no such item: "), error.getMessage)
    assertEquals(session.sparkContext.getLocalProperty("spark.job.description"), null)
  }

  test("without items there are no answers") {
    assertEquals(TaskJob.run(session, "the label", TaskJobSuite.Failing, Seq.empty[String]), Nil)
  }
}

object TaskJobSuite {

  object Described extends TaskWork[String, String] {
    override def apply(item: String): Seq[String] = {
      val task = TaskContext.get()
      Seq(s"$item in ${task.partitionId()} of ${task.getLocalProperty("spark.job.description")}")
    }
  }

  object Zones extends TaskWork[String, String] {
    override def apply(item: String): Seq[String] = Seq(SQLConf.get.sessionLocalTimeZone)
  }

  object Failing extends TaskWork[String, String] {
    override def apply(item: String): Seq[String] = throw new IllegalArgumentException(s"no such item: $item")
  }
}
