package io.hudilite.config

/** Names of the only index of a bootstrapped table that is read and made: Hudi's in HFiles. */
object BootstrapIndexName {

  val Type = "HFILE"

  val Class = "org.apache.hudi.common.bootstrap.index.hfile.HFileBootstrapIndex"

  /** The name without its package, which was another one before. */
  val Short: String = shortOf(Class)

  /** True for the class, in any of its packages. */
  def isClass(name: String): Boolean = name.contains('.') && shortOf(name) == Short

  private def shortOf(name: String): String = name.substring(name.lastIndexOf('.') + 1)
}
