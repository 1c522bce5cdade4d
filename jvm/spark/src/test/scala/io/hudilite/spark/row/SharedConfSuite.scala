package io.hudilite.spark.row

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

class SharedConfSuite extends FunSuite {

  private def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration()
    settings.foreach { case (key, value) => made.set(key, value) }
    made
  }

  /** The configuration as a task gets it. */
  private def sent(conf: Configuration): Configuration = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(SharedConf(conf))
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[SharedConf].value
  }

  test("a task has the settings of the driver, Hadoop's defaults and variables included") {
    val long = "x" * 100000
    val raw = "ü $" + "{other.key}"
    val received = sent(conf("a.key" -> raw, "other.key" -> "value", "long.key" -> long, "empty.key" -> ""))
    assertEquals(received.get("a.key"), "ü value")
    assertEquals(received.getRaw("a.key"), raw)
    assertEquals(received.get("long.key"), long)
    assertEquals(received.get("empty.key"), "")
    assertEquals(received.get("io.file.buffer.size"), new Configuration().get("io.file.buffer.size"))
  }

  test("a setting that was taken away is not there") {
    val changed = conf()
    changed.unset("io.file.buffer.size")
    assertEquals(sent(changed).get("io.file.buffer.size"), null)
  }

  test("tasks with the same settings share one configuration, others do not") {
    assert(sent(conf("a.key" -> "1")) eq sent(conf("a.key" -> "1")))
    assertEquals(sent(conf("a.key" -> "2")).get("a.key"), "2")
  }

  test("settings are encoded once, until they change") {
    val first = SharedConf(conf("a.key" -> "1"))
    assert(SharedConf(conf("a.key" -> "1")).settings eq first.settings)
    assert(!(SharedConf(conf("a.key" -> "2")).settings eq first.settings))
  }

  test("the driver keeps the configuration that it has") {
    val own = conf()
    assert(SharedConf(own).value eq own)
  }
}
