package io.hudilite.spark.catalog

import io.hudilite.config.{TableOptions, TableRequest}
import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.{Registered, TableProperty}
import io.hudilite.table.{Purpose, Table, TableSupport}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.catalog.{Column, Identifier, TableCatalog}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** CREATE TABLE LIKE where a Hudi table comes out: a CREATE TABLE with the columns of another table and, when that is a
  * Hudi table, with its facts.
  */
private[catalog] final case class LikeStatement(catalog: StatementCatalog, ident: Identifier, columns: StructType,
    partitions: Seq[Transform], properties: Map[String, String], ifNotExists: Boolean)
    extends LeafRunnableCommand {

  // As EXPLAIN shows it.
  override protected def stringArgs: Iterator[Any] = Iterator(ident, columns.simpleString, ifNotExists)

  override def run(session: SparkSession): Seq[Row] = {
    if (!catalog.tableExists(ident)) {
      val made = columns.map(field =>
        Column.create(field.name, field.dataType, field.nullable, field.getComment().orNull, null))
      catalog.createTable(ident, made.toArray, partitions.toArray, properties.asJava)
    } else if (!ifNotExists) throw new TableAlreadyExistsException(ident)
    Nil
  }
}

private[catalog] object LikeStatement {

  /** `None` when the new table is another format's. */
  def of(like: AskedLike): Option[LikeStatement] = {
    val provider = like.provider.fold(providerLike(like.source))(Registered.providerOf)
    provider.map { found =>
      val catalog = like.target.getOrElse(throw Refusal.Like.of(like.ident.name))
      val format = if (like.provider.isEmpty && catalog.isPath(like.ident)) Registered.Hudilite else found
      if (format == Registered.Hudi && !NamedTables.takesHudi) throw Refusal.HiveForHudi.of(like.ident.name)
      val said = TableProperty.options(like.properties)
      val columns = StructType(like.source.columns.map { field =>
        field.getCurrentDefaultValue().foreach(refuseDefault(field.name, _))
        CharVarcharUtils.getRawType(field.metadata).fold(field)(raw => field.copy(dataType = raw))
      })
      val facts = like.source.table.fold(Map.empty[String, String])(factsOf(_, said))
      val partitions =
        if (like.source.table.isDefined) Nil
        else like.source.partitions.map(name => Expressions.identity(s"`${name.replace("`", "``")}`"): Transform)
      val own = facts ++ like.source.buckets.filterNot { case (name, _) => ConfigKey.lookUp(said, name).isDefined }
      LikeStatement(catalog, like.ident, columns, partitions,
        own ++ said ++ like.location.map(TableCatalog.PROP_LOCATION -> _) + (TableCatalog.PROP_PROVIDER -> format),
        like.ifNotExists)
    }
  }

  /** The same where Spark's own catalog makes no other format's table with the columns of one that is not its own. */
  def orRefused(like: AskedLike): Option[LikeStatement] = of(like).orElse {
    for (table <- like.source.table; _ <- like.target; format <- like.provider)
      throw Refusal.LikeOther(format).of(table.basePath)
    None
  }

  private def providerLike(source: LikeSource): Option[String] =
    source.provider.orElse(source.table.map(_ => Registered.Hudilite))

  private def refuseDefault(column: String, value: String): Unit =
    throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> s"$column DEFAULT", "value" -> value,
      "reason" -> "a Hudi table keeps no default values of columns")

  /** The facts of a table that the statement does not say otherwise. Raises `UnsupportedTable` for what a new table cannot
    * have.
    */
  private def factsOf(table: Table, said: Map[String, String]): Map[String, String] = {
    TableSupport.of(table, Purpose.Write)
    TableRequest.facts(table.config).collect {
      case (key, value) if !(key +: FollowsFrom.getOrElse(key, Nil)).exists(_.isSet(said)) => key.name -> value
    }.toMap
  }

  // Facts that would be others, had the table been created with other ones of these.
  private val FollowsFrom: Map[ConfigKey[_], Seq[ConfigKey[_]]] = Map(
    TableOptions.RecordMergeMode -> Seq(TableOptions.OrderingFields),
    TableOptions.KeyGeneratorName ->
      Seq(TableOptions.KeyGeneratorClass, TableOptions.RecordKeyFields, TableOptions.PartitionPathFields))
}
