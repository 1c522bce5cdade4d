package io.hudilite.storage

/** Paths below a table's base path, in the one form in which they are compared (docs/format.md#paths): levels joined by
  * one `/`, none of them empty, `.` or `..`. The empty path is the table itself.
  *
  * Whatever the table's own files say of paths goes through here before it is used, so that nothing outside the table is
  * read, written or deleted because of them. A path outside is an `IllegalArgumentException` with the reason.
  */
object TablePath {

  private val Here = "."
  private val Above = ".."

  /** The path in its one form. As for Hadoop's paths a leading, trailing or doubled `/` and a level `.` mean nothing. */
  def relative(text: String): String =
    if (isNormal(text)) text
    else {
      val levels = text.split('/').filter(level => level.nonEmpty && level != Here)
      if (levels.contains(Above)) throw new IllegalArgumentException(s"the path '$text' leads out of its folder")
      if (text.indexOf('\u0000') >= 0) throw new IllegalArgumentException(s"the path '$text' has a null character")
      levels.mkString("/")
    }

  /** True when the path is in its one form already. */
  def isNormal(path: String): Boolean = path.isEmpty ||
    (path.indexOf('\u0000') < 0 &&
      path.split("/", -1).forall(level => level.nonEmpty && level != Here && level != Above))

  /** The name of a file or of a file group: one level of a path, not empty. */
  def name(text: String): String =
    if (text.nonEmpty && text.indexOf('/') < 0 && isNormal(text)) text
    else throw new IllegalArgumentException(s"'$text' is no name of a file")

  /** The name of the file at a path, which may be absolute: its last level. */
  def fileName(path: String): String = name(path.substring(path.lastIndexOf('/') + 1))

  /** A path that may be absolute or a URI, below the folder at `basePath` and in its one form. Two spellings of one
    * store's scheme are the same, and a path without a scheme is on the folder's own.
    */
  def below(basePath: String, text: String): String = {
    val (base, path) = (Location.of(basePath), Location.of(text))
    def outside = new IllegalArgumentException(s"the path '$text' does not lie in $basePath")
    if (!path.isAbsolute) relative(text)
    else if (!path.store.forall(s => base.store.forall(_ == s))) throw outside
    else {
      val (inner, folder) = (relative(path.path), relative(base.path))
      if (inner == folder) ""
      else if (folder.isEmpty) inner
      else if (inner.startsWith(folder + "/")) inner.substring(folder.length + 1)
      else throw outside
    }
  }

  /** @param store
    *   scheme and authority, where the text has a scheme
    */
  private final case class Location(store: Option[String], path: String) {
    def isAbsolute: Boolean = store.nonEmpty || path.startsWith("/")
  }

  private object Location {
    private val Uri = "(?s)([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(/.*)".r
    private val S3 = Set("s3a", "s3n")

    def of(text: String): Location = text match {
      case Uri(scheme, authority, path) =>
        val name = scheme.toLowerCase(java.util.Locale.ROOT)
        Location(Some(s"${if (S3(name)) "s3" else name}://${Option(authority).getOrElse("")}"), path)
      case path => Location(None, path)
    }
  }
}
