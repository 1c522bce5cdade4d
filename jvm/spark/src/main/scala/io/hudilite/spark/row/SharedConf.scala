package io.hudilite.spark.row

import io.hudilite.storage.WeightedCache

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{HashMap, Map => JMap}

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** A Hadoop configuration on its way to tasks.
  *
  * Each process makes one `Configuration` of equal settings, for all tasks, stages and writes that have them. Hadoop's
  * own serialized form compresses each setting's origin by itself. To read it takes longer than a small task runs.
  */
final class SharedConf private (private[row] val settings: Array[Byte], @transient private val own: Configuration)
    extends Serializable {

  @transient private lazy val shared: Configuration = SharedConf.of(settings)

  /** The configuration. It is shared, so nobody changes it. */
  def value: Configuration = if (own != null) own else shared
}

object SharedConf {

  /** A configuration takes some 300 KiB. */
  private val MostKept = 32L

  // A configuration loads classes by the loader of the thread that made it. Sessions may have loaders of their own.
  private val kept = new WeightedCache[(ClassLoader, ByteBuffer), Configuration](MostKept)

  // All scans of a query have equal settings, and so have most queries of a session.
  private val MostWritten = 4L
  private val written = new WeightedCache[JMap[String, String], Array[Byte]](MostWritten)

  def apply(conf: Configuration): SharedConf = {
    val settings = new HashMap[String, String]
    conf.iterator.asScala.foreach(entry => settings.put(entry.getKey, entry.getValue)) // as set, variables not replaced
    new SharedConf(encoded(settings), conf)
  }

  private def encoded(settings: JMap[String, String]): Array[Byte] = written.getOrElsePut(settings) {
    val bytes = new ByteArrayOutputStream(1 << 16)
    val out = new DataOutputStream(bytes)
    settings.asScala.foreach { case (key, value) =>
      write(out, key)
      write(out, value)
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
    kept.getOrElsePut(key)(decoded(settings))
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
