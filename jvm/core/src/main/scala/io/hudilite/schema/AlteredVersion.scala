package io.hudilite.schema

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.avro.Schema

import scala.collection.JavaConverters._

/** A change to the name of a column. Types, comments, order and new columns are read from the columns afterwards. */
sealed trait ColumnEdit {

  /** Names from the column of the table inwards; a list's elements are `element`, a map's values are `value`. */
  def path: Seq[String]
}

object ColumnEdit {
  final case class Rename(path: Seq[String], to: String) extends ColumnEdit
  final case class Drop(path: Seq[String]) extends ColumnEdit
}

/** Makes the version of columns with ids for a change of the table's columns: pure (docs/format.md#columns-by-id). */
object AlteredVersion {

  private val mapper = new ObjectMapper()

  /** JSON of version 0, for columns without ids so far.
    *
    * @param avroJson
    *   the columns without meta columns
    * @param meta
    *   names of the meta columns, which get the first ids
    */
  def first(avroJson: String, meta: Seq[String]): String = {
    val root = mapper.createObjectNode()
    root.put("max_column_id", meta.size - 1).put("version_id", SchemaVersion.BeforeChanges.toLong).put("type", "record")
    val fields = root.putArray("fields")
    meta.zipWithIndex.foreach { case (name, id) =>
      fields.addObject().put("id", id).put("name", name).put("optional", true).put("type", "string").put("doc", "")
    }
    grown(root, AvroColumns.parse(avroJson))
    mapper.writeValueAsString(root)
  }

  /** JSON of all versions, oldest first, for columns without ids so far: the first one, and one for each write that
    * added or widened columns. Readers rely on it that a file has the columns of its instant.
    *
    * @param states
    *   instants of writes with the columns from then on, oldest first; a state that does not continue the one before is
    *   passed over
    * @param avroJson
    *   the present columns; where the states do not lead there, they are the only version
    */
  def untilNow(states: Seq[(String, String)], avroJson: String, meta: Seq[String]): Seq[String] = {
    val steps = states.foldLeft(Vector.empty[(String, String)])((done, state) =>
      if (done.lastOption.forall(last => ColumnSets.growsTo(last._2, state._2))) done :+ state else done)
    val leadsHere = steps.lastOption.exists { case (_, last) =>
      ColumnSets.contains(last, avroJson) && ColumnSets.contains(avroJson, last)
    }
    if (!leadsHere) Seq(first(avroJson, meta))
    else steps.tail.foldLeft(Vector(first(steps.head._2, meta))) { case (done, (instant, columns)) =>
      done ++ NextVersion.of(done.last, columns, instant)
    }
  }

  /** JSON of the version with these edits, and otherwise with the columns of `avroJson` in their order.
    *
    * @param present
    *   JSON of the present version
    * @param edits
    *   edits in order, each on the names that the one before has left
    * @param avroJson
    *   the columns after the edits, without meta columns
    * @param instant
    *   instant of the change
    */
  def of(present: String, edits: Seq[ColumnEdit], avroJson: String, instant: String): String = {
    val root = objectOf(mapper.readTree(present))
    edits.foreach(edit(root, _))
    val after = AvroColumns.parse(avroJson)
    grown(root, after)
    arrange(root, after)
    mapper.writeValueAsString(root.put("version_id", instant.toLong))
  }

  /** A history that begins with a version. */
  def history(version: String): String = {
    val root = mapper.createObjectNode()
    root.putArray("schemas").add(mapper.readTree(version))
    mapper.writeValueAsString(root)
  }

  private def grown(root: ObjectNode, schema: Schema): Unit = {
    val growth = new NextVersion.Growth(NextVersion.lastId(root))
    growth.record(root, schema, Nil)
    root.put("max_column_id", growth.lastId)
    ()
  }

  private def edit(root: ObjectNode, edit: ColumnEdit): Unit = {
    val fields = inside(root, edit.path.toList.init).withArray[ArrayNode]("fields")
    val at = indexOf(fields, edit.path.last)
    if (at < 0) throw new IllegalArgumentException(s"there is no column ${edit.path.mkString(".")} to change")
    edit match {
      case ColumnEdit.Rename(_, to) => objectOf(fields.get(at)).put("name", to)
      case ColumnEdit.Drop(_) => fields.remove(at)
    }
    ()
  }

  private def inside(node: ObjectNode, path: List[String]): ObjectNode = (node.path("type").asText, path) match {
    case (_, Nil) => node
    case ("array", _ :: rest) => inside(objectOf(node.get("element")), rest)
    case ("map", _ :: rest) => inside(objectOf(node.get("value")), rest)
    case (_, name :: rest) =>
      val fields = node.withArray[ArrayNode]("fields")
      inside(objectOf(fields.path(indexOf(fields, name)).get("type")), rest)
  }

  private def indexOf(fields: ArrayNode, name: String): Int = {
    val names = fields.elements.asScala.map(_.path("name").asText).toList
    if (names.contains(name)) names.indexOf(name) else names.indexWhere(_.equalsIgnoreCase(name))
  }

  /** Puts the columns into the order of the schema, with its comments. Meta columns, which the schema lacks, stay in
    * front.
    */
  private def arrange(node: JsonNode, schema: Schema): Unit = schema.getType match {
    case Schema.Type.RECORD =>
      val fields = objectOf(node).withArray[ArrayNode]("fields")
      val told = schema.getFields.asScala.toList.map(f => f -> objectOf(fields.path(indexOf(fields, f.name))))
      val front = fields.elements.asScala.filterNot(told.map(_._2).contains).toList
      fields.removeAll()
      (front ++ told.map(_._2)).foreach(fields.add)
      told.foreach { case (field, column) =>
        if (field.doc != null && field.doc.nonEmpty) column.put("doc", field.doc)
        arrange(column.get("type"), AvroColumns.nullable(field.schema)._1)
      }
    case Schema.Type.ARRAY => arrange(node.get("element"), AvroColumns.nullable(schema.getElementType)._1)
    case Schema.Type.MAP => arrange(node.get("value"), AvroColumns.nullable(schema.getValueType)._1)
    case _ =>
  }

  private def objectOf(node: JsonNode): ObjectNode = node match {
    case found: ObjectNode => found
    case _ => throw new IllegalArgumentException("a version of columns lacks one that the table has")
  }
}
