package io.hudilite.spark.write.task

import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, LogBlockWriter, OrderingValue, RowPosition}
import io.hudilite.spark.basefile.encode.SizeChecks
import io.hudilite.spark.basefile.read.BaseKeys
import io.hudilite.spark.logfile.encode.{
  AvroBuffer,
  BlockPositions,
  LogBlockBuilder,
  OrderingValues,
  PartialRecords,
  TaskBlocks
}
import io.hudilite.spark.row.CarriedSchema
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Appends changes of one file slice to its log: data blocks, and behind them blocks of deletes.
  *
  * Changes come in the order of their keys' bytes. Where the table has a place for it, blocks say which rows of the base
  * file they replace; rows that nobody has told are looked for among the base file's keys. Records of keys that it does
  * not have go to blocks of their own, so that all others can name a row, and so do records that lack columns, for each
  * set of columns that they have. Rows in memory are as large as one block.
  *
  * @param folded
  *   instants whose blocks those written here replace
  */
private[spark] final class LogGroupWriter(output: TaskOutput, slice: FileSlice, folded: Seq[String] = Nil)
    extends GroupWriter {

  private val job = output.job
  private val settings =
    job.logs.getOrElse(throw new IllegalStateException("a copy-on-write table has no log files"))
  private val keys = {
    val told = output.keysOf(slice.partition, slice.fileId)
    val mayBeGone = slice.logs.nonEmpty && job.telling.exists(_.revives)
    new LogKeys(told, mayBeGone, job.rule.compares, output.outcomesIn(slice, settings, told))
  }
  private val names = new LogFileNames(output, settings, slice)
  private val orderings = new OrderingValues(job.orderingOrdinals, job.dataSchema)
  private val stats = mutable.ArrayBuffer.empty[WriteStat]
  private var open: Option[LogFileWriter] = None

  private val present = new Pending(output.blocks, output.blocks.buffer, isPartial = false)
  private var absent: Option[Pending] = None
  // Records that lack columns, and whether the base file has none of their keys.
  private val parts = mutable.LinkedHashMap.empty[(PartialRecords, Boolean), Pending]
  private var baseKeys: Option[BaseKeys] = None
  // The last delete of a row, until it shows that no row of its key is inserted.
  private var lastDelete: Option[LastDelete] = None

  /** The row of a key that was deleted just before takes its place: blocks of deletes are written behind those of rows, and
    * of two records of a key readers see the later one.
    */
  override def insert(key: UTF8String, row: InternalRow): Unit =
    if (settings.takesInserts) lastDelete match {
      case Some(deleted) if deleted.key == key =>
        if (job.rule.compares) throw LogGroupWriter.comesBack(key, slice.partition, job.basePath)
        lastDelete = None
        replace(key, row, deleted.place, None)
      case _ => putBack(key, row, RowPosition.Unknown)
    }
    else
      throw new IllegalStateException(s"the new row $key in the log of ${slice.fileId}, where no index finds it again")

  override def update(key: UTF8String, row: InternalRow, position: Long): Unit =
    replace(key, row, position, output.updates)

  private def replace(key: UTF8String, row: InternalRow, position: Long, some: Option[PartialRecords]): Unit = {
    change(key, row, position, some)
    keys.updated(key, row, job.isDelete(row))
  }

  override def putBack(key: UTF8String, row: InternalRow, position: Long): Unit = {
    change(key, row, position, None)
    if (!job.isDelete(row)) keys.came(key)
  }

  override def upsert(key: UTF8String, row: InternalRow): Unit = putBack(key, row, RowPosition.Unknown)

  private def change(key: UTF8String, row: InternalRow, position: Long, some: Option[PartialRecords]): Unit =
    if (job.isDelete(row)) delete(key, orderings.of(row), position)
    else {
      if (lastDelete.exists(_.key != key)) writeDelete()
      val place = placeOf(key, position)
      some match {
        case Some(records) => part(records, place).add(key, records.ofData(row), place)
        case None => pending(place).add(key, row, place)
      }
    }

  /** Appends a record that another instant wrote, as it is; the columns are those of `CarriedSchema.schema`. */
  def keep(row: InternalRow, position: Long): Unit = {
    val place = placeOf(row.getUTF8String(CarriedSchema.KeyOrdinal), position)
    pending(place).keep(row, place)
  }

  /** As [[keep]], for a record that has only some of the columns. */
  def keepPart(row: InternalRow, records: PartialRecords, position: Long): Unit = {
    val place = placeOf(row.getUTF8String(CarriedSchema.KeyOrdinal), position)
    part(records, place).keep(records.of(row), place)
  }

  /** Deletes a key that another instant deleted. */
  def keepDelete(key: UTF8String, ordering: OrderingValue, position: Long): Unit = delete(key, ordering, position)

  /** A delete by key alone holds whatever the ordering values are. */
  override def delete(key: UTF8String, position: Long): Unit = {
    writeDelete()
    lastDelete = Some(LastDelete(key.copy(), placeOf(key, position)))
  }

  private def writeDelete(): Unit = lastDelete.foreach { deleted =>
    lastDelete = None
    keys.deleted(deleted.key)
    pending(deleted.place).delete(deleted.key, OrderingValue.CommitTime, deleted.place)
  }

  override def remove(key: UTF8String, row: InternalRow, position: Long): Boolean = {
    delete(key, position)
    true
  }

  private def delete(key: UTF8String, ordering: OrderingValue, position: Long): Unit = {
    writeDelete()
    val place = placeOf(key, position)
    pending(place).delete(key, ordering, place)
  }

  private def placeOf(key: UTF8String, told: Long): Long =
    if (!settings.findsPositions) RowPosition.Unknown
    else if (told != RowPosition.Unknown || slice.base.isEmpty) told
    else {
      if (baseKeys.isEmpty) baseKeys = slice.base.map(base =>
        new BaseKeys(job.basePath, base, output.readers, job.keyCheck(base)))
      baseKeys.get.position(key)
    }

  private def pending(place: Long): Pending =
    if (place != RowPosition.Absent) present
    else {
      if (absent.isEmpty) absent = Some(new Pending(output.blocks, output.blocks.absentBuffer, isPartial = false))
      absent.get
    }

  private def part(records: PartialRecords, place: Long): Pending = {
    val of = (records, place == RowPosition.Absent)
    if (parts.size >= LogGroupWriter.MostParts && !parts.contains(of)) flushLargest(parts.values)
    def opened = new Pending(records.blocks, new AvroBuffer(LogGroupWriter.PartBytes), isPartial = true)
    parts.getOrElseUpdate(of, opened)
  }

  /** Records of blocks that are not written yet. */
  private final class Pending(blocks: TaskBlocks, buffer: => AvroBuffer, isPartial: Boolean) {

    private val data = LogBlockBuilder.open(blocks, settings, slice.partition, slice.fileId, buffer)
    private val deletes = mutable.ArrayBuffer.empty[DeleteRecord]
    private val dataPositions = new BlockPositions
    private val deletePositions = new BlockPositions
    private var sizes = new SizeChecks(LogGroupWriter.RowsBetweenSizeChecks)

    def add(key: UTF8String, row: InternalRow, place: Long): Unit = {
      data.add(key, row)
      added(place)
    }

    def keep(row: InternalRow, place: Long): Unit = {
      data.keep(row)
      added(place)
    }

    private def added(place: Long): Unit = {
      dataPositions.add(place)
      if (sizes.isDue(data.rows.toLong, data.takenBytes)) flushFullData()
    }

    def bytes: Long = data.bytes

    def deleted: Int = deletes.size

    def delete(key: UTF8String, ordering: OrderingValue, place: Long): Unit = {
      deletePositions.add(place)
      deletes += DeleteRecord(key.toString, slice.partition, ordering)
      flushFullDeletes()
    }

    def flushData(): Unit = if (data.rows > 0) {
      val rows = data.rows
      data.finish((bytes, count) => file.append(data.kind, headers(dataPositions), bytes, count))
      file.updates += rows
      sizes = new SizeChecks(LogGroupWriter.RowsBetweenSizeChecks)
      finishFull()
    }

    def flushDeletes(): Unit = if (deletes.nonEmpty) {
      val content = DeleteBlock.encode(deletes.toList, settings.version)
      file.append(BlockKind.Delete, headers(deletePositions), content, content.length)
      file.deletes += deletes.size
      deletes.clear()
      finishFull()
    }

    def free(): Unit = data.free()

    private def headers(positions: BlockPositions): Map[Int, String] = {
      val known = for (base <- slice.base; rows <- positions.take()) yield base.instant -> rows
      LogBlockWriter.headers(settings.version, job.instant, blocks.layout.avroSchema, known, folded, isPartial)
    }
  }

  private def flushFullData(): Unit =
    if (all.map(_.bytes).sum >= settings.blockBytes) flushLargest(all)

  /** The buffers of blocks whose records lack columns go with them: any number of kinds of blocks may come. */
  private def flushLargest(of: Iterable[Pending]): Unit = {
    val largest = of.maxBy(_.bytes)
    largest.flushData()
    parts.find(_._2 eq largest).foreach(found => parts.remove(found._1))
  }

  private def flushFullDeletes(): Unit =
    if (present.deleted + absent.fold(0)(_.deleted) >= LogGroupWriter.DeletesPerBlock) {
      val most = all.maxBy(_.deleted)
      most.flushData()
      most.flushDeletes()
    }

  private def file: LogFileWriter = open.getOrElse {
    val opened = new LogFileWriter(output, slice, names)
    open = Some(opened)
    opened
  }

  private def finishFull(): Unit = if (open.exists(_.length >= settings.fileBytes)) finishFile()

  private def finishFile(): Unit = {
    open.foreach(f => stats += f.close(settings))
    open = None
  }

  private def all: Seq[Pending] = Seq(present) ++ absent ++ parts.values

  override def close(): Seq[WriteStat] = {
    writeDelete()
    keys.settle()
    all.foreach(_.flushData())
    all.foreach(_.flushDeletes())
    finishFile()
    baseKeys.foreach(_.close())
    counted(stats.toList)
  }

  // The last one of the files says it of all.
  private def counted(files: List[WriteStat]): List[WriteStat] = if (folded.nonEmpty) files
  else files.dropRight(1).map(_.copy(taken = keys.taken.map(_ => 0L))) ++
    files.takeRight(1).map(_.copy(taken = keys.taken))

  override def abort(): Unit =
    try present.free()
    finally
      try all.drop(1).foreach(_.free())
      finally
        try open.foreach(_.abort())
        finally baseKeys.foreach(_.close())
}

private final case class LastDelete(key: UTF8String, place: Long)

private object LogGroupWriter {

  /** The new row could lose against the one in the base file, whatever stands between them in the log. */
  def comesBack(key: UTF8String, partition: String, path: String): Throwable = LastAttempts.failure(InvalidInput(
      "STATEMENT_NOT_SUPPORTED",
      "statement" ->
        s"A change that deletes the row $key of the partition '$partition' and brings another one of its key there",
      "path" -> path,
      "reason" ->
        ("in the log of a bucket whose rows have ordering values the new one could lose against the old one; " +
          "delete that by a statement of its own and compact the table before")))

  val RowsBetweenSizeChecks = 16L

  /** Deletes are kept as objects, some 200 bytes each. */
  val DeletesPerBlock = 100000

  /** Blocks that are open at a time whose records lack columns, and the bytes that each begins with. */
  val MostParts = 64
  val PartBytes = 4096
}
