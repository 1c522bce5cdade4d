package io.hudilite.spark.basefile.read

import io.hudilite.config.{TableConfig, TableOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.record.KeyEncoding
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration

/** Spelling of a table's record keys, with or without the names of their fields, where its properties do not state it.
  * Releases of Hudi disagree about keys of a complex key generator with one key field, so one of the table's rows is
  * looked at. A key that is stored nowhere has either.
  */
private[spark] object KeySpelling {

  def isPrefixed(config: TableConfig, existing: Option[Table], conf: => Configuration): Boolean =
    !config.generatesKeys &&
      KeyEncoding.isPrefixed(config.keyGenerator, config.recordKeyFields.size, config.version).getOrElse(
        config.populateMetaFields && firstIsPrefixed(config, existing, conf))

  private def firstIsPrefixed(config: TableConfig, existing: Option[Table], conf: => Configuration): Boolean = {
    val field = config.recordKeyFields.head
    val rows = existing.iterator.flatMap(_.files.iterator()).flatMap(_._2).flatMap(_.base)
      .flatMap(file => FirstRows.of(existing.get, file, Seq(field), most = 1, conf))
    rows.take(1).toSeq.headOption.map(isPrefixed(field, _)).getOrElse(throw unknown(config))
  }

  // No value but a text can itself look like the name of a field and a colon.
  private def isPrefixed(field: String, row: FirstRow): Boolean = row.text(field) match {
    case Some(value) => KeyEncoding.detectPrefixed(field, value, row.key)
    case None => row.key.startsWith(s"$field:")
  }

  private def unknown(config: TableConfig): InvalidInput = InvalidInput("INVALID_OPTION_VALUE",
    "option" -> TableOptions.KeyGeneratorClass.name, "value" -> config.keyGenerator.name,
    "reason" ->
      (s"below table version 9 releases of Hudi spell the key of a complex key generator with the one key " +
        s"field ${config.recordKeyFields.head} in two ways, and no row of the table tells which; create it with " +
        s"${TableOptions.TableVersion.name}=9 or without this key generator, or let Apache Hudi write the first row"))
}
