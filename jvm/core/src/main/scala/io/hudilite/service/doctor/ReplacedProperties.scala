package io.hudilite.service.doctor

import io.hudilite.config.{TableKeys, TableProperties}
import io.hudilite.error.InvalidInput
import io.hudilite.table.Table
import io.hudilite.transaction.{Transaction, TransactionOptions}

/** The properties of a table replaced by others, as far as they say nothing of its files: those must stay as they lie. */
object ReplacedProperties {

  /** Replaces them under the table lock, and returns those from before and those of now. Raises `InvalidInput` where a fact
    * of the table would be another one; nothing is touched then.
    *
    * @param option
    *   name of the argument that names the file
    * @param file
    *   where the content is from
    */
  def run(table: Table, option: String, file: String, content: Array[Byte], options: TransactionOptions)
      : (Map[String, String], Map[String, String]) = {
    def invalid(reason: String): InvalidInput = InvalidInput.option(option, file, reason)
    val asked = TableProperties.parse(content).fold(flaw => throw invalid(flaw), identity) - TableKeys.Checksum
    Transaction.unchanged(table, options) { now =>
      val before = now.properties
      changedFact(before, asked).foreach(reason => throw invalid(reason))
      TableProperties.update(table.storage, table.basePath) { current =>
        changedFact(current, asked).foreach(reason => throw invalid(reason))
        asked
      }
      before -> TableProperties.read(table.storage, table.basePath).properties
    }
  }

  private val Free = Set(TableKeys.Name, TableKeys.Database, TableKeys.Checksum)

  private def isFact(key: String): Boolean = (key.startsWith("hoodie.") || key.startsWith("hudilite.")) && !Free(key)

  private def changedFact(before: Map[String, String], asked: Map[String, String]): Option[String] =
    (before.keySet ++ asked.keySet).toSeq.sorted.filter(isFact).find(key => before.get(key) != asked.get(key)).map {
      key =>
        def said(value: Option[String]): String = value.fold("missing")(text => s"'$text'")
        s"it has $key ${said(asked.get(key))}, where the table has it ${said(before.get(key))}: the files that are there " +
          "were written by it"
    }
}
