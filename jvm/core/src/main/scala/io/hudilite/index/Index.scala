package io.hudilite.index

import io.hudilite.config.{IndexConf, TableConfig, WriteOptions}
import io.hudilite.error.InvalidInput

/** How a write finds the file group that a key is in (docs/format.md#indexes). */
sealed trait Index {

  /** Where a key is one key. */
  def scope: Scope

  final def isGlobal: Boolean = scope != Scope.Partition

  /** A row whose partition path has changed leaves its partition for the new one. With an index of partitions it does not:
    * the row in the other partition is another one.
    */
  final def movesRows: Boolean = scope == Scope.Table(moves = true)

  /** A row whose partition path has changed is updated where it is. */
  final def keepsPlaces: Boolean = scope == Scope.Table(moves = false)
}

object Index {

  /** The keys of base files are read. */
  final case class Simple(scope: Scope) extends Index

  /** The bloom filter of a base file is asked before its keys are read. */
  final case class Bloom(scope: Scope) extends Index

  /** The key itself says which file group of its partition it is in, so that nothing is looked up. */
  final case class Bucket(by: BucketIndex) extends Index {
    override def scope: Scope = Scope.Partition
  }

  /** The index that the options of a write ask for; raises `InvalidInput` when the table cannot have it. */
  def of(config: TableConfig, asked: IndexConf): Index = asked.kind match {
    case "SIMPLE" => Simple(Scope.Partition)
    case "GLOBAL_SIMPLE" => Simple(Scope.Table(asked.simpleMoves))
    case "BLOOM" => Bloom(Scope.Partition)
    case "GLOBAL_BLOOM" => Bloom(Scope.Table(asked.bloomMoves))
    case "BUCKET" =>
      val fields = asked.hashFields.getOrElse(config.recordKeyFields)
      Bucket(BucketIndex(asked.buckets.orElse(WriteOptions.Buckets.default).get,
          hashed(fields, config.recordKeyFields)))
    case other => throw new IllegalStateException(s"the index $other is none of the option's choices")
  }

  private def hashed(fields: Seq[String], keyFields: Seq[String]): Seq[String] =
    if (fields.nonEmpty && fields.forall(keyFields.contains)) fields
    else throw InvalidInput("INVALID_OPTION_VALUE", "option" -> WriteOptions.BucketHashFields.name,
      "value" -> fields.mkString(","), "reason" -> s"the record key has the fields ${keyFields.mkString(", ")}")
}

/** In which part of a table a key stands for one row. */
sealed trait Scope

object Scope {

  /** In its partition: other partitions may have rows of the same key. */
  case object Partition extends Scope

  /** In the whole table.
    *
    * @param moves
    *   whether a row whose partition path has changed moves there
    */
  final case class Table(moves: Boolean) extends Scope
}
