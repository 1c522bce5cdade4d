package io.hudilite.spark.row

import io.hudilite.config.{CommitNotes, HudiSettings, SessionSettings}
import io.hudilite.spark.shim.Sessions

import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.hadoop.codec.ZstandardCodec
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.internal.SQLConf

/** Settings of a session, and Hadoop's configuration with them. */
object SessionConf {

  private def readerKeys: Seq[String] = Seq(SQLConf.PARQUET_BINARY_AS_STRING.key,
    SQLConf.PARQUET_INT96_AS_TIMESTAMP.key,
    SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED.key, SQLConf.LEGACY_PARQUET_NANOS_AS_LONG.key,
    SQLConf.SESSION_LOCAL_TIMEZONE.key, SQLConf.NESTED_SCHEMA_PRUNING_ENABLED.key, SQLConf.CASE_SENSITIVE.key)

  /** Hadoop's configuration with the session's settings and the options of one read on top. */
  def hadoop(session: SparkSession, options: Map[String, String]): Configuration = {
    val conf = Sessions.hadoopConf(session)
    options.foreach { case (key, value) => if (value != null) conf.set(key, value) }
    conf
  }

  /** The configuration for Spark's parquet reader. The reader looks up its settings by name and has no defaults for
    * them.
    */
  def parquet(session: SparkSession, options: Map[String, String] = Map.empty): Configuration = {
    val conf = hadoop(session, options)
    readerKeys.foreach(key => conf.set(key, session.conf.get(key)))
    conf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    conf
  }

  /** The configuration for writers of files. zstd has hudilite's own level unless another is set (docs/decisions/0011).
    */
  def parquetWriter(session: SparkSession): Configuration = {
    val conf = parquet(session)
    conf.setIfUnset(ZstandardCodec.PARQUET_COMPRESS_ZSTD_LEVEL, ZstdLevel)
    conf
  }

  /** Options of hudilite for the whole active session, set as `spark.datasource.hudilite.<option>`. Raises `InvalidInput` for
    * an unknown setting with this prefix, and for a value that cannot be read.
    */
  def options: Map[String, String] = {
    val settings = SQLConf.get.getAllConfs
    SessionSettings.check(settings)
    lowerCase(settings.collect { case (key, value) if key.startsWith(Prefix) => key.stripPrefix(Prefix) -> value })
  }

  /** Settings of the active session by which Apache Hudi's SQL takes options, `SET hoodie.…`. */
  def ofHudi: Map[String, String] =
    lowerCase(SQLConf.get.getAllConfs.filter { case (key, _) => key.startsWith(HudiSettings.Prefix) })

  /** Greatest number of keys that are sent to every task. */
  def maxBroadcastKeys: Long = SessionSettings.MaxBroadcastKeys(SQLConf.get.getAllConfs)

  /** Options with lower-case names, as Spark hands some of them on. Entries of commits have the names that they were given.
    *
    * @param beside
    *   options that may say how such names begin
    */
  def lowerCase(options: Map[String, String], beside: Map[String, String] = Map.empty): Map[String, String] = {
    val all = beside ++ options
    options.map { case (key, value) =>
      (if (CommitNotes.isEntry(key, all)) key else key.toLowerCase(Locale.ROOT)) -> value
    }
  }

  private val ZstdLevel = "1"

  /** Prefix of options that are set for a session. */
  val Prefix: String = SessionSettings.OptionPrefix
}
