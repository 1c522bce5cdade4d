package io.hudilite.storage

import java.util.UUID

/** Names under which files are written before they get their own: `.<name>.<random id>`, beside it.
  *
  * A writer that is killed leaves them, and nobody else does anything with them.
  */
object Temporaries {

  private val Name = "\\..+\\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}".r

  def nameFor(name: String): String = s".$name.${UUID.randomUUID()}"

  def isTemporary(name: String): Boolean = Name.pattern.matcher(name).matches()
}
