package io.hudilite.spark.row

import io.hudilite.storage.WeightedCache

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** A Hadoop configuration on its way to tasks.
  *
  * Each process makes one `Configuration` of the same settings, for all tasks, stages and writes that have them. Hadoop's
  * own serialized form, with each setting's origin compressed by itself, takes longer to read than a small task runs.
  */
final class SharedConf private (settings: Array[Byte], @transient private val own: Configuration)
    extends Serializable {

  @transient private lazy val shared: Configuration = SharedConf.of(settings)

  /** The configuration; others have it, too, so nobody changes it. */
  def value: Configuration = if (own != null) own else shared
}

object SharedConf {

  /** A configuration takes some 300 KiB. */
  private val MostKept = 32L

  // A configuration loads classes by the loader of the thread that made it, and sessions may have loaders of their own.
  private val kept = new WeightedCache[(ClassLoader, ByteBuffer), Configuration](MostKept)

  def apply(conf: Configuration): SharedConf = new SharedConf(encoded(conf), conf)

  private def encoded(conf: Configuration): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(1 << 16)
    val out = new DataOutputStream(bytes)
    conf.iterator.asScala.foreach { entry => // values as they were set, with variables not replaced
      write(out, entry.getKey)
      write(out, entry.getValue)
    }
    bytes.toByteArray
  }

  // DataOutputStream.writeUTF has a limit of 64 KiB.
  private def write(out: DataOutputStream, text: String): Unit = {
    val bytes = text.getBytes(UTF_8)
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def of(settings: Array[Byte]): Configuration = {
    val key = (Thread.currentThread.getContextClassLoader, ByteBuffer.wrap(settings))
    kept.get(key).getOrElse {
      val made = decoded(settings)
      kept.put(key, made)
      made
    }
  }

  private def decoded(settings: Array[Byte]): Configuration = {
    val conf = new Configuration(false)
    val in = new DataInputStream(new ByteArrayInputStream(settings))
    while (in.available > 0) conf.set(read(in), read(in))
    conf
  }

  private def read(in: DataInputStream): String = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    new String(bytes, UTF_8)
  }
}
