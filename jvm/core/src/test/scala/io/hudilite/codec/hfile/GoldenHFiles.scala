package io.hudilite.codec.hfile

import io.hudilite.GoldenFolder

import java.nio.file.{Files, Path}

import scala.collection.JavaConverters._

/** The HFiles that Apache Hudi wrote into the metadata tables of the golden tables. */
object GoldenHFiles {

  lazy val all: Seq[Path] = {
    val walk = Files.walk(GoldenFolder.folder)
    try walk.iterator.asScala.filter(_.toString.endsWith(".hfile")).toList.sorted
    finally walk.close()
  }
}
