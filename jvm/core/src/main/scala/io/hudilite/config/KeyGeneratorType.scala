package io.hudilite.config

/** A way to make record key and partition path from a row's columns. */
sealed abstract class KeyGeneratorType(val name: String, val className: String) extends Serializable

object KeyGeneratorType {

  /** One key field, or none where keys are generated; one partition field. */
  case object Simple extends KeyGeneratorType("SIMPLE", "org.apache.hudi.keygen.SimpleKeyGenerator")

  /** Any number of key and partition fields; keys are spelled `field:value,…`. */
  case object Complex extends KeyGeneratorType("COMPLEX", "org.apache.hudi.keygen.ComplexKeyGenerator")

  /** One key field; the partition path is a formatted time. */
  case object Timestamp extends KeyGeneratorType("TIMESTAMP", "org.apache.hudi.keygen.TimestampBasedKeyGenerator")

  /** Partition fields given as `field:SIMPLE` or `field:TIMESTAMP`. */
  case object Custom extends KeyGeneratorType("CUSTOM", "org.apache.hudi.keygen.CustomKeyGenerator")

  /** No partitions. */
  case object NonPartitioned
      extends KeyGeneratorType("NON_PARTITION", "org.apache.hudi.keygen.NonpartitionedKeyGenerator")

  val all: Seq[KeyGeneratorType] = Seq(Simple, Complex, Timestamp, Custom, NonPartitioned)

  /** The type by an enum name as in `hoodie.table.keygenerator.type`. The `_AVRO` twins have equal meanings. */
  def ofName(name: String): Option[KeyGeneratorType] = {
    val plain = name.trim.toUpperCase(java.util.Locale.ROOT).stripSuffix("_AVRO")
    all.find(_.name == plain)
  }

  /** The type by a class name. The `Avro` twins (`SimpleAvroKeyGenerator`) have equal meanings. */
  def ofClass(className: String): Option[KeyGeneratorType] = {
    val plain = className.trim.replace("AvroKeyGenerator", "KeyGenerator")
    all.find(_.className == plain)
  }

  /** The type that Hudi chooses when neither type nor class is given. `partitionItems` are the items as configured. */
  def infer(recordKeyFields: Int, partitionItems: Seq[String]): KeyGeneratorType =
    if (partitionItems.isEmpty) NonPartitioned
    else if (partitionItems.exists(_.contains(':'))) Custom
    else if (partitionItems.size == 1 && recordKeyFields <= 1) Simple
    else Complex
}
