package io.hudilite.spark.write.table

import io.hudilite.config.{BucketRule, IndexConf, TableConfig, TableOptions, TableRequest, WriteConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.Index
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.spark.row.{Nullability, SchemaAlignment}
import io.hudilite.table.{Buckets, Table, TableSupport}
import io.hudilite.transaction.Redefinition

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** A table that gives way to other rows as a whole, with its columns and its facts.
  *
  * Other columns go into the commit, as those of any write do, and older states keep theirs. Other facts lie in the
  * properties, which have no history: these the commit puts in place, and older states are not read any more.
  */
private[table] final class TableReplacement(table: Table, support: TableSupport, present: StructType,
    incoming: StructType, spelt: StructType => WriteConf, hadoop: () => Configuration) {

  private val config = table.config

  /** Columns of the table after the write: where those of the rows only add to the old ones, these come first. */
  private val columns: StructType = {
    val named = StructType(incoming.map(field =>
        SchemaAlignment.find(present, field.name).fold(field)(old => field.copy(name = old.name))))
    val added = StructType(present.flatMap(old => SchemaAlignment.find(named, old.name)) ++
      named.filter(field => SchemaAlignment.find(present, field.name).isEmpty))
    if (grows(added)) added else named
  }

  private val conf = spelt(columns)
  private val index = Buckets(table)

  /** Each column of the table is among these, as it was. */
  private def grows(next: StructType): Boolean = present.forall(old =>
    SchemaAlignment.find(next, old.name).exists(now => Nullability.sameType(old.dataType, now.dataType)))

  /** The columns cannot be told apart from the old ones by the table's own history of them. */
  private def losesHistory: Boolean = support.schema.exists(_.byId.isDefined) && !grows(columns)

  private def keepsFacts: Boolean = TableRequest.isKept(config, conf.options, TableOptions.facts)

  private def keepsKeys: Boolean = passes(SchemaAlignment.requireKeyTypes(present, columns, config))

  private def keepsIndex: Boolean = conf.index.kind.isEmpty ||
    (if (conf.index.byBuckets) passes(index.check(Index.of(config, conf.index))) else !index.haveRows)

  private def passes(check: => Unit): Boolean =
    try { check; true }
    catch { case _: InvalidInput => false }

  /** `None` where the rows have the columns of the table, or more, and the options state its own facts. */
  def target: Option[WriteTarget] =
    if (conf.columns.fillNull || !conf.columns.grow) None
    else if (!(keepsFacts && keepsKeys && keepsIndex) || losesHistory) Some(redefined)
    else if (grows(columns)) None
    else {
      SchemaAlignment.requireColumns(columns, config)
      Some(checked(config, conf.copy(index = WriteTarget.indexOf(table, conf, hadoop)), Some(table)))
    }

  private def redefined: WriteTarget = {
    index.checkReplaced()
    if (conf.index.isConsistent) throw InvalidInput.option(WriteOptions.BucketEngine.name,
      WriteOptions.ConsistentHashing,
      "the rows of the table do not lie by hash rings; drop the table and create it anew")
    TableRequest.requireVersion(config, conf.options)
    val asked = TableRequest.redefined(config, conf.options)
    val facts = TableConfig.create(TableRequest.newTable(asked, config.name))
    Redefinition.check(table, facts)
    SchemaAlignment.requireColumns(columns, facts)
    checked(facts, conf.copy(index = newIndex(facts)), None).copy(redefines = true)
  }

  private def checked(facts: TableConfig, conf: WriteConf, spelledAs: Option[Table]): WriteTarget = {
    SchemaAlignment.requireDeleteColumn(columns, facts, table.basePath)
    WriteTarget(table.basePath, table.storage, Some(table), conf,
      TableShape.of(table.basePath, spelledAs, facts, conf, columns, None, hadoop))
  }

  /** The index that the options name, else that of the table, whose buckets are dealt anew. */
  private def newIndex(facts: TableConfig): IndexConf = {
    val keys = facts.recordKeyFields
    val asked = conf.index
    if (asked.kind.exists(_ => !asked.byBuckets) || (asked.kind.isEmpty && !index.haveRows)) asked
    else table.statedBuckets match {
      case Some(stated) =>
        val fields = if (stated.hashFields.forall(keys.contains)) stated.hashFields else keys
        val rule = if (facts.partitionFields == config.partitionFields) stated.rule else BucketRule.None
        asked.copy(kind = Some(WriteOptions.ByBuckets)).orBuckets(stated.count, fields, rule)
      case None if asked.kind.isEmpty =>
        index.asked(asked, new SampledKeys(table, hadoop)).copy(hashFields = asked.hashFields)
      case None => asked
    }
  }
}

private[table] object TableReplacement {

  /** @param spelt
    *   options of the write, with the names of columns as these columns spell them
    */
  def of(table: Table, support: TableSupport, present: StructType, incoming: StructType,
      spelt: StructType => WriteConf, hadoop: () => Configuration): Option[WriteTarget] =
    new TableReplacement(table, support, present, incoming, spelt, hadoop).target
}
