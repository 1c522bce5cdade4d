package io.hudilite.spark.logfile.show

import io.hudilite.log.HeaderKey

import java.nio.charset.StandardCharsets.ISO_8859_1

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Rows as JSON texts, spelled as Hudi spells its records: days and microseconds are numbers, bytes a text of one
  * character each.
  */
private[show] object RowText {

  private val json = new ObjectMapper()

  /** @param columns
    *   positions of the columns to show
    */
  def of(row: InternalRow, schema: StructType, columns: Seq[Int]): String = columns.map { i =>
    s"${quoted(schema(i).name)}: ${value(
        if (row.isNullAt(i)) null else row.get(i, schema(i).dataType), schema(i).dataType)}"
  }.mkString("{", ", ", "}")

  def of(row: InternalRow, schema: StructType): String = of(row, schema, schema.indices)

  /** Headers or footers of a block by Hudi's names. */
  def headers(of: Map[Int, String]): String = {
    val named = new java.util.LinkedHashMap[String, String]
    of.toSeq.sortBy(_._1).foreach { case (key, text) =>
      named.put(HeaderKey.Names.lift(key).getOrElse(key.toString), text)
    }
    json.writeValueAsString(named)
  }

  private def quoted(text: String): String = json.writeValueAsString(text)

  private def value(of: Any, dataType: DataType): String = (of, dataType) match {
    case (null, _) => "null"
    case (text: UTF8String, _) => quoted(text.toString)
    case (bytes: Array[Byte], _) => quoted(new String(bytes, ISO_8859_1))
    case (number: Double, _) if number.isNaN || number.isInfinite => quoted(number.toString)
    case (number: Float, _) if number.isNaN || number.isInfinite => quoted(number.toString)
    case (row: InternalRow, struct: StructType) => RowText.of(row, struct)
    case (items: ArrayData, ArrayType(element, _)) => array(items, element).mkString("[", ", ", "]")
    case (entries: MapData, MapType(_, element, _)) =>
      val keys = (0 until entries.numElements()).map(i => quoted(entries.keyArray().getUTF8String(i).toString))
      keys.zip(array(entries.valueArray(), element)).map { case (k, v) => s"$k: $v" }.mkString("{", ", ", "}")
    case (other, _) => other.toString
  }

  private def array(items: ArrayData, element: DataType): Seq[String] = (0 until items.numElements()).map(i =>
    value(if (items.isNullAt(i)) null else items.get(i, element), element))
}
