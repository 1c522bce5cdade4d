package io.hudilite.spark.write

import io.hudilite.config.{ConfigKey, Options, TableConfig, TableOptions}
import io.hudilite.error.InvalidInput

/** Options that state a fact of the table must agree with the table: a table never changes by being written to. */
object Contradictions {

  def check(config: TableConfig, options: Map[String, String]): Unit = {
    compare(TableOptions.Name, config.name)
    compare(TableOptions.Database, config.database)
    compare(TableOptions.Type, config.tableType.name)
    compare(TableOptions.TableVersion, config.version)
    compareFields(TableOptions.RecordKeyFields, config.recordKeyFields)
    compareFields(TableOptions.PartitionPathFields, config.partitionFields)
    compareFields(TableOptions.OrderingFields, config.orderingFields)
    compare(TableOptions.HiveStyle, config.hiveStyle)
    compare(TableOptions.UrlEncode, config.urlEncode)
    compareKeyGenerator()
    Options.mergeMode(options).filter(_ != config.mergeMode).foreach(m =>
      refuse(TableOptions.RecordMergeMode.name, m.name, config.mergeMode.name))

    def compare[T](key: ConfigKey[T], fact: T): Unit =
      if (key.isSet(options)) key.get(options).filter(_ != fact).foreach(v => refuse(key.name, v.toString, fact.toString))

    def compareFields(key: ConfigKey[Seq[String]], fact: Seq[String]): Unit =
      if (key.isSet(options)) key.get(options).map(_.map(_.takeWhile(_ != ':'))).filter(_ != fact)
        .foreach(v => refuse(key.name, v.mkString(","), fact.mkString(",")))

    def compareKeyGenerator(): Unit =
      WriteTarget.keyGenerator(options).filter(_ != config.keyGenerator).foreach(g =>
        refuse(TableOptions.KeyGeneratorClass.name, g.name, config.keyGenerator.name))
  }

  private def refuse(option: String, value: String, fact: String): Nothing =
    throw InvalidInput("CONTRADICTING_OPTION", "option" -> option, "value" -> value, "fact" -> fact)
}
