package io.hudilite.spark.catalog

import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.named.{NamedIndexes, NamedKeys, NamedValues}

import java.util.{Collections, Locale, Map => JMap, Properties}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{IndexAlreadyExistsException, NoSuchIndexException}
import org.apache.spark.sql.connector.catalog.index.{SupportsIndex, TableIndex}
import org.apache.spark.sql.connector.expressions.NamedReference

import scala.collection.JavaConverters._

/** CREATE INDEX and DROP INDEX on the partitions of the metadata table. */
private[catalog] trait IndexStatements extends SupportsIndex { self: PlannedTable =>

  def session: SparkSession

  override def createIndex(index: String, columns: Array[NamedReference],
      ofColumns: JMap[NamedReference, JMap[String, String]], properties: JMap[String, String]): Unit = {
    if (indexExists(index)) throw new IndexAlreadyExistsException(index, name(), None)
    val options = properties.asScala.toMap
    val asked = IndexRequest(index, options.getOrElse(SupportsIndex.PROP_TYPE, "").toLowerCase(Locale.ROOT),
      columns.toSeq.map(_.fieldNames.mkString(".")), options - SupportsIndex.PROP_TYPE)
    val found = table.get // called for existing tables only
    if (asked.ofKeys) {
      val conf = writeConf(asked.ofWrite)
      val options = KeyedOptions.of(session, basePath, conf.commit)
      if (asked.isWhole && options.indexes.partitionKeys.isAsked) throw asked.contradiction.of(basePath)
      NamedKeys.create(found, asked.columns, options, conf.index.byBuckets)
    } else if (asked.ofValues) asked.valued match {
      case Left(refused) => throw refused.of(basePath)
      case Right(column) =>
        val conf = writeConf(asked.options)
        NamedValues.create(found, asked.name, column, KeyedOptions.of(session, basePath, conf.commit),
          conf.index.byBuckets)
    }
    else asked.made(found.config.version, found.storedJson) match {
      case Left(refused) => throw refused.of(basePath)
      case Right(expression) => NamedIndexes.create(found, expression, asked.function, asked.options,
          TransactionOptions.of(writeConf().commit), new FactsJob(session))
    }
  }

  override def dropIndex(index: String): Unit =
    if (!table.exists(NamedIndexes.drop(_, index, TransactionOptions.of(writeConf().commit))))
      throw new NoSuchIndexException(index, name(), None)

  override def indexExists(index: String): Boolean = table.exists(t => NamedIndexes.of(t.config, index).nonEmpty)

  override def listIndexes(): Array[TableIndex] = table.toArray.flatMap(_.config.metadataPartitions.sorted)
    .map(partition => new TableIndex(partition, partition, Array.empty, Collections.emptyMap(), new Properties()))
}
