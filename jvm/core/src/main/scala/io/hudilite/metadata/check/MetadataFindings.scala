package io.hudilite.metadata.check

import io.hudilite.error.Listed
import io.hudilite.service.doctor.{Finding, FindingKind}

/** The differences of a metadata table as a finding of the doctor. */
object MetadataFindings {

  private val Named = 5
  private val Subject = ".hoodie/metadata"

  /** @param deep
    *   compare all of it, for which the footer of each base file is read; otherwise the names and sizes of files alone
    */
  def of(validator: MetadataValidator, deep: Boolean): Seq[Finding] = {
    val differences = if (deep) validator.differences() else validator.ofFiles()
    if (differences.isEmpty) Nil
    else Seq(Finding(FindingKind.WrongMetadata, Subject,
        s"The metadata table says in ${differences.size} place(s) otherwise than the files " +
          s"(${Listed.of(differences.map(told), Named)}): readers that use it may miss rows.",
        "See all of them with validate_metadata. A write with hoodie.metadata.enable=false takes the metadata table " +
          "away, and one with true makes it anew."))
  }

  private def told(of: MetadataDifference): String =
    s"${of.kind.name} ${Seq(of.partition, of.file).filter(_.nonEmpty).mkString("/")}" +
      (if (of.column.isEmpty) "" else s" ${of.column}")
}
