package io.hudilite.filegroup

import org.apache.avro.{JsonProperties, Schema}
import org.apache.avro.generic.GenericData

import scala.collection.JavaConverters._

/** Avro schemas of the records in the index of a bootstrap, with Hudi's names and order (docs/format.md#bootstrapped-tables).
  */
private[filegroup] object BootstrapSchemas {

  private val Namespace = "org.apache.hudi.avro.model"

  val Path: Schema = record("HoodiePath", "uri" -> text)

  val Permission: Schema = record("HoodieFSPermission", "userAction" -> text, "groupAction" -> text,
    "otherAction" -> text, "stickyBit" -> flag)

  val Status: Schema = record("HoodieFileStatus", "path" -> Path, "length" -> long, "isDir" -> flag,
    "blockReplication" -> int, "blockSize" -> long, "modificationTime" -> long, "accessTime" -> long,
    "permission" -> Permission, "owner" -> text, "group" -> text, "symlink" -> Path)

  /** Value of a file group. */
  val File: Schema = record("HoodieBootstrapFilePartitionInfo", "bootstrapPartitionPath" -> text,
    "bootstrapFileStatus" -> Status, "partitionPath" -> text)

  /** Value of a partition. */
  val Partition: Schema = record("HoodieBootstrapPartitionMetadata", "bootstrapPartitionPath" -> text,
    "partitionPath" -> text, "fileIdToBootstrapFile" -> mapOf(Status))

  /** Facts on a whole file of the index. */
  val Index: Schema =
    record("HoodieBootstrapIndexInfo", "bootstrapBasePath" -> text, "createdTimestamp" -> long, "numKeys" -> int)

  private def text: Schema = withJavaStrings(Schema.create(Schema.Type.STRING))
  private def long: Schema = Schema.create(Schema.Type.LONG)
  private def int: Schema = Schema.create(Schema.Type.INT)
  private def flag: Schema = Schema.create(Schema.Type.BOOLEAN)
  private def mapOf(values: Schema): Schema = withJavaStrings(Schema.createMap(values))

  private def withJavaStrings(schema: Schema): Schema = {
    GenericData.setStringType(schema, GenericData.StringType.String)
    schema
  }

  /** A record of a version and of fields that may be null. */
  private def record(name: String, fields: (String, Schema)*): Schema = {
    val nothing = Schema.create(Schema.Type.NULL)
    val version = new Schema.Field("version", Schema.createUnion(int, nothing), null, Int.box(1))
    val others = fields.map { case (field, schema) =>
      new Schema.Field(field, Schema.createUnion(nothing, schema), null, JsonProperties.NULL_VALUE)
    }
    Schema.createRecord(name, null, Namespace, false, (version +: others).asJava)
  }
}
