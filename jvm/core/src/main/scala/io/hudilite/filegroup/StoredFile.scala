package io.hudilite.filegroup

import io.hudilite.storage.{OpenFile, Storage}

import java.io.InputStream

import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}

/** A Parquet file as the storage of its table reads it. */
private[hudilite] final class StoredFile(storage: Storage, path: String, length: Long) extends InputFile {
  override def getLength: Long = length
  override def newStream(): SeekableInputStream = new StoredStream(new StoredBytes(storage.open(path, length), length))
  override def toString: String = path
}

private final class StoredStream(bytes: StoredBytes) extends DelegatingSeekableInputStream(bytes) {
  override def getPos: Long = bytes.position
  override def seek(position: Long): Unit = bytes.position = position
}

private final class StoredBytes(file: OpenFile, length: Long) extends InputStream {

  var position = 0L

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(target: Array[Byte], offset: Int, count: Int): Int = {
    val some = math.min(count.toLong, length - position).toInt
    if (some <= 0) { if (count == 0) 0 else -1 }
    else {
      val bytes = new Array[Byte](some)
      file.readFully(position, bytes)
      System.arraycopy(bytes, 0, target, offset, some)
      position += some
      some
    }
  }

  override def close(): Unit = file.close()
}
