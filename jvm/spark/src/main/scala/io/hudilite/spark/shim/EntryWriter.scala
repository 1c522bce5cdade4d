package io.hudilite.spark.shim

import java.lang.invoke.MethodType
import java.lang.reflect.{InvocationTargetException, Method}
import java.util.{ArrayList => JList, HashMap => JHashMap, List => JavaList, Locale, Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.{
  CatalogTable,
  ExternalCatalog,
  ExternalCatalogUtils,
  ExternalCatalogWithListener
}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** A partition of an entry.
  *
  * @param values
  *   values of the partition columns, in their order
  */
final case class EntryPartition(columns: Seq[String], values: Seq[String], location: String) {

  def spec: Map[String, String] = columns.zip(values).toMap

  /** Its name in a metastore. */
  def name: String = EntryPartition.nameOf(columns, values)
}

object EntryPartition {

  private[shim] def nameOf(columns: Seq[String], values: Seq[String]): String = columns.zip(values).map {
    case (column, value) =>
      s"${column.toLowerCase(Locale.ROOT)}=${ExternalCatalogUtils.escapePathName(value)}"
  }.mkString("/")
}

/** Writes entries of tables, and their partitions, to the session's catalog by Spark's own methods.
  *
  * @param catalog
  *   keeps what is written
  */
class EntryWriter private[shim] (catalog: ExternalCatalog) {

  def find(name: TableIdentifier): Option[CatalogTable] = {
    val database = EntryWriter.databaseOf(name)
    if (catalog.databaseExists(database) && catalog.tableExists(database, name.table))
      Some(catalog.getTable(database, name.table))
    else None
  }

  def hasDatabase(name: String): Boolean = catalog.databaseExists(name)

  def create(entry: CatalogTable): Unit = catalog.createTable(entry, ignoreIfExists = false)

  /** Gives an entry these columns and properties.
    *
    * @param columns
    *   true when its columns are others now
    */
  def change(entry: CatalogTable, columns: Boolean): Unit = {
    if (columns) catalog.alterTableDataSchema(database(entry), entry.identifier.table, entry.dataSchema)
    catalog.alterTable(entry)
  }

  /** Names of those that the entry has. */
  def present(entry: CatalogTable, partitions: Seq[EntryPartition]): Set[String] = partitions.filter(p =>
    catalog.getPartitionOption(database(entry), entry.identifier.table, p.spec).isDefined).map(_.name).toSet

  /** All partitions of the entry, by their names, with their values. */
  def all(entry: CatalogTable): Map[String, Seq[String]] =
    catalog.listPartitions(database(entry), entry.identifier.table).map { found =>
      val values = entry.partitionColumnNames.map(column =>
        found.spec.collectFirst { case (name, value) if name.equalsIgnoreCase(column) => value }.getOrElse(""))
      EntryPartition.nameOf(entry.partitionColumnNames, values) -> values
    }.toMap

  def add(entry: CatalogTable, partitions: Seq[EntryPartition]): Unit =
    catalog.createPartitions(database(entry), entry.identifier.table,
      partitions.map(p => CatalogEntries.partition(entry, p.spec, p.location)), ignoreIfExists = true)

  /** Takes partitions out by their values; their files stay. */
  def drop(entry: CatalogTable, partitions: Seq[Seq[String]]): Unit =
    catalog.dropPartitions(database(entry), entry.identifier.table,
      partitions.map(values => entry.partitionColumnNames.zip(values).toMap), ignoreIfNotExists = true, purge = false,
      retainData = true)

  protected def database(entry: CatalogTable): String = EntryWriter.databaseOf(entry.identifier)
}

object EntryWriter {

  private[shim] def databaseOf(name: TableIdentifier): String = name.database.getOrElse("default")

  /** @param propertyLength
    *   letters of a property in a Hive metastore, at most
    */
  def of(session: SparkSession, propertyLength: Int): EntryWriter = {
    val catalog = CatalogEntries.catalog(session).externalCatalog
    val own = catalog match {
      case listener: ExternalCatalogWithListener => listener.unwrapped
      case other => other
    }
    HiveClient.of(own).fold(new EntryWriter(catalog))(client =>
      new HiveEntryWriter(catalog, client, session.sparkContext.sparkUser, session.version, propertyLength))
  }
}

/** Writes entries to a Hive metastore as Hudi's sync does: Hive finds columns, partitions and its input format, Spark
  * finds provider and schema among the properties.
  *
  * Spark's own methods would hide the columns of a provider that Hive lacks, and look for the class of the input format,
  * which only Hive's readers need. So the session's client is asked for the metastore that lies below it.
  */
private[shim] final class HiveEntryWriter(catalog: ExternalCatalog, client: HiveClient, user: String, version: String,
    propertyLength: Int) extends EntryWriter(catalog) {

  override def create(entry: CatalogTable): Unit = client.run(metastore => metastore("createTable", raw(entry).target))

  override def change(entry: CatalogTable, columns: Boolean): Unit = client.run { metastore =>
    val now = metastore("getTable", database(entry), entry.identifier.table)
    val wanted = raw(entry)
    if (columns) now("getSd")("setCols", wanted("getSd")("getCols").target)
    val properties = now("getParameters").target.asInstanceOf[JMap[String, String]]
    properties.keySet.removeIf(_.startsWith(SparkSchema))
    properties.putAll(wanted("getParameters").target.asInstanceOf[JMap[String, String]])
    val how = client.made("org.apache.hadoop.hive.metastore.api.EnvironmentContext")
    how("putToProperties", "DO_NOT_UPDATE_STATS", "true")
    if (columns && entry.partitionColumnNames.nonEmpty) how("putToProperties", "CASCADE", "true")
    metastore("alter_table_with_environmentContext", database(entry), entry.identifier.table, now.target, how.target)
  }

  override def present(entry: CatalogTable, partitions: Seq[EntryPartition]): Set[String] = client.run { metastore =>
    val names = new JList[String](partitions.map(_.name).asJava)
    val found = metastore("getPartitionsByNames", database(entry), entry.identifier.table, names)
    found.elements.map(p => EntryPartition.nameOf(entry.partitionColumnNames, valuesOf(p))).toSet
  }

  private def valuesOf(partition: Reflected): Seq[String] =
    partition("getValues").target.asInstanceOf[JavaList[String]].asScala.toList

  override def add(entry: CatalogTable, partitions: Seq[EntryPartition]): Unit = client.run { metastore =>
    val storage = metastore("getTable", database(entry), entry.identifier.table)("getSd")
    val all = new JList[AnyRef]
    partitions.foreach { p =>
      val made = client.made("org.apache.hadoop.hive.metastore.api.Partition")
      val place = storage("deepCopy")
      place("setLocation", p.location)
      made("setDbName", database(entry))
      made("setTableName", entry.identifier.table)
      made("setValues", new JList[String](p.values.asJava))
      made("setSd", place.target)
      made("setParameters", new JHashMap[String, String]())
      all.add(made.target)
    }
    metastore("add_partitions", all, Boolean.box(true), Boolean.box(false))
  }

  override def drop(entry: CatalogTable, partitions: Seq[Seq[String]]): Unit = client.run(metastore =>
    partitions.foreach(values =>
      metastore("dropPartition", database(entry), entry.identifier.table, new JList[String](values.asJava),
        Boolean.box(false))))

  private val SparkSchema = "spark.sql.sources.schema"

  /** The entry in the metastore's own form. */
  private def raw(entry: CatalogTable): Reflected = {
    val hive = CatalogEntries.described(entry, entry.properties ++ forSpark(entry), entry.comment)
    val plain = CatalogEntries.inHive(hive, HiveEntryWriter.known(entry.schema))
    val made = client.convert("toHiveTable", plain, Some(user))("getTTable")
    val storage = made("getSd")
    entry.storage.inputFormat.foreach(storage("setInputFormat", _))
    entry.storage.outputFormat.foreach(storage("setOutputFormat", _))
    made
  }

  private def forSpark(entry: CatalogTable): Map[String, String] = {
    val parts = entry.schema.json.grouped(propertyLength).toSeq
    val partitions = entry.partitionColumnNames
    Map("spark.sql.sources.provider" -> entry.provider.getOrElse(""), "spark.sql.create.version" -> version,
      s"$SparkSchema.numParts" -> parts.size.toString) ++
      parts.zipWithIndex.map { case (part, at) => s"$SparkSchema.part.$at" -> part } ++
      (if (partitions.isEmpty) Nil else Seq(s"$SparkSchema.numPartCols" -> partitions.size.toString)) ++
      partitions.zipWithIndex.map { case (column, at) => s"$SparkSchema.partCol.$at" -> column }
  }
}

private[shim] object HiveEntryWriter {

  /** The columns with types that Hive has. Spark takes its own from the properties. */
  def known(schema: StructType): StructType = of(schema).asInstanceOf[StructType]

  private def of(dataType: DataType): DataType = dataType match {
    case s: StructType => StructType(s.map(field => field.copy(dataType = of(field.dataType))))
    case ArrayType(element, nullable) => ArrayType(of(element), nullable)
    case MapType(key, value, nullable) => MapType(of(key), of(value), nullable)
    case TimestampNTZType => TimestampType
    case other => other
  }
}

/** The client by which Spark's catalog talks to a Hive metastore. Its classes may come from a loader of their own. */
private[shim] final class HiveClient(client: Reflected) {

  private def loader: ClassLoader = client.target.getClass.getClassLoader

  /** Runs the body on the metastore that lies below, as the client runs its own work. */
  def run[T](body: Reflected => T): T = {
    var result: Option[T] = None // the client gives back what it is given, and knows no type of it
    val work: () => AnyRef = () => {
      val hive = Class.forName("org.apache.hadoop.hive.ql.metadata.Hive", true, loader).getMethod("get").invoke(null)
      result = Some(body(new Reflected(hive)("getMSC")))
      null
    }
    client("withHiveState", work)
    result.get
  }

  /** A new object of a class of Hive's. */
  def made(name: String): Reflected =
    new Reflected(Class.forName(name, true, loader).getConstructor().newInstance().asInstanceOf[AnyRef])

  /** Result of a method that turns something of Spark's into something of Hive's. */
  def convert(method: String, arguments: AnyRef*): Reflected = {
    val companion = Class.forName(client.target.getClass.getName + "$", true, loader).getField("MODULE$").get(null)
    new Reflected(companion)(method, arguments: _*)
  }
}

private[shim] object HiveClient {

  /** `None` where the catalog is no Hive metastore. */
  def of(catalog: ExternalCatalog): Option[HiveClient] = {
    val kinds = Iterator.iterate[Class[_]](catalog.getClass)(_.getSuperclass).takeWhile(_ != null).map(_.getName)
    if (!kinds.contains("org.apache.spark.sql.hive.HiveExternalCatalog")) None
    else Some(new HiveClient(new Reflected(catalog)("client")))
  }
}

/** An object whose methods are called by their names. */
private[shim] final class Reflected(val target: AnyRef) {

  def apply(method: String, arguments: AnyRef*): Reflected = {
    val found = methods.find(m => m.getName == method && takes(m, arguments)).getOrElse(
      throw new NoSuchMethodException(s"${target.getClass.getName}.$method"))
    try new Reflected(found.invoke(target, arguments: _*))
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  /** The elements of a Java list. */
  def elements: Seq[Reflected] = target.asInstanceOf[JavaList[AnyRef]].asScala.map(new Reflected(_)).toList

  // Proxies lie in packages of their own, and can be called by their interfaces alone.
  private def methods: Seq[Method] = (target.getClass.getInterfaces.toSeq :+ target.getClass).flatMap(_.getMethods)

  private def takes(method: Method, arguments: Seq[AnyRef]): Boolean =
    method.getParameterCount == arguments.size && method.getParameterTypes.toSeq.zip(arguments).forall {
      case (kind, argument) => MethodType.methodType(kind).wrap().returnType().isInstance(argument)
    }
}
