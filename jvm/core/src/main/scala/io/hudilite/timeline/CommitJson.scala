package io.hudilite.timeline

import io.hudilite.codec.avro.AvroFields

import java.util.{Collection => JCollection, Map => JMap}

import com.fasterxml.jackson.core.io.JsonEOFException
import com.fasterxml.jackson.databind.node.NullNode
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.avro.Schema
import org.apache.avro.generic.GenericRecord

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Commit metadata as the indented JSON of layout 1: the fields of layout 2's record, in Hudi's order for JSON. Unknown
  * fields are ignored.
  */
private[hudilite] object CommitJson {

  private val mapper = new ObjectMapper()

  // `totalLogFiles` has no name in JSON.
  private val StatFields = Seq("numInserts", "numUpdates", "numDeletes", "totalLogReadTimeMs", "totalLogRecords",
    "totalLogFilesCompacted", "totalLogSizeCompacted", "totalUpdatedRecordsCompacted", "totalLogBlocks",
    "totalCorruptLogBlock", "totalRollbackBlocks", "fileId", "path", "cdcStats", "prevCommit", "numWrites",
    "numUpdateWrites", "totalWriteBytes", "totalWriteErrors", "tempPath", "partitionPath", "fileSizeInBytes",
    "minEventTime", "maxEventTime", "prevBaseFile", "runtimeStats")

  private val LogFields = Seq("logVersion", "logOffset", "baseFile", "logFiles")

  private val CommitFields = Seq("partitionToWriteStats", "compacted", "extraMetadata", "operationType")

  private val ReplacedField = "partitionToReplaceFileIds"

  def write(metadata: CommitMetadata, replaces: Boolean): Array[Byte] =
    mapper.writerWithDefaultPrettyPrinter().writeValueAsBytes(nodeOf(CommitAvro.encode(metadata, replaces)))

  /** The message of Apache Hudi's callbacks after a write. Of the action and the entries of the commit it says no more than
    * that they are there, as Hudi's does.
    */
  def message(instant: Instant, metadata: CommitMetadata, table: String, basePath: String): Array[Byte] = {
    val stats = nodeOf(CommitAvro.encode(metadata, replaces = false)).path("partitionToWriteStats")
    val node =
      mapper.createObjectNode().put("commitTime", instant.time).put("tableName", table).put("basePath", basePath)
    val told = node.putArray("hoodieWriteStat")
    stats.elements.asScala.flatMap(_.elements.asScala).foreach(told.add)
    Seq("commitActionType", "extraMetadata").foreach(name =>
      node.putObject(name).put("empty", false).put("present", true))
    mapper.writeValueAsBytes(node)
  }

  private def nodeOf(value: Any): JsonNode = value match {
    case null => NullNode.getInstance()
    case record: GenericRecord => objectOf(fieldsOf(record).map(name => name -> record.get(name)))
    case entries: JMap[_, _] => objectOf(entries.asScala.map { case (key, of) => key.toString -> (of: Any) })
    case items: JCollection[_] =>
      val array = mapper.createArrayNode()
      items.asScala.foreach(item => array.add(nodeOf(item)))
      array
    case plain => mapper.valueToTree[JsonNode](plain)
  }

  private def objectOf(fields: Iterable[(String, Any)]): JsonNode = {
    val node = mapper.createObjectNode()
    fields.foreach { case (name, value) => node.set[JsonNode](name, nodeOf(value)) }
    node
  }

  private def fieldsOf(record: GenericRecord): Seq[String] =
    if (record.getSchema eq TimelineSchemas.WriteStat)
      StatFields ++ LogFields.filter(_ => record.get(LogFields.head) != null)
    else CommitFields ++ Option(record.getSchema.getField(ReplacedField)).map(_.name)

  /** True when the text is the beginning of an object. */
  def isCutShort(bytes: Array[Byte]): Boolean =
    try { mapper.readTree(bytes); false }
    catch { case _: JsonEOFException => true; case NonFatal(_) => false }

  def read(bytes: Array[Byte]): CommitMetadata = {
    val root = mapper.readTree(bytes)
    if (root == null || !root.isObject) throw new IllegalArgumentException("it is neither Avro nor a JSON object")
    CommitAvro.read(fields(TimelineSchemas.ReplaceCommit, root))
  }

  private def fields(schema: Schema, node: JsonNode): AvroFields =
    new AvroFields(schema, schema.getFields.asScala.map(field => valueOf(field.schema, node.path(field.name))).toArray)

  private def valueOf(schema: Schema, node: JsonNode): Any =
    if (node.isNull || node.isMissingNode) null
    else schema.getType match {
      case Schema.Type.UNION => valueOf(schema.getTypes.asScala.find(_.getType != Schema.Type.NULL).get, node)
      case Schema.Type.RECORD => fields(schema, node)
      case Schema.Type.ARRAY =>
        node.elements.asScala.filterNot(_.isNull).map(valueOf(schema.getElementType, _)).toList
      case Schema.Type.MAP => node.fields.asScala.filterNot(_.getValue.isNull)
          .map(entry => entry.getKey -> valueOf(schema.getValueType, entry.getValue)).toMap
      case Schema.Type.BOOLEAN => node.asBoolean(false)
      case Schema.Type.INT | Schema.Type.LONG => node.asLong(0L)
      case _ => node.asText
    }
}
