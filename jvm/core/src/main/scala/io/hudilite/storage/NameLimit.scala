package io.hudilite.storage

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** How long the name of a file or folder may be. */
object NameLimit {

  /** Bytes of a name in UTF-8 on local disks. */
  private[storage] val LocalBytes = 255

  /** The limit where the path lies. Other stores have limits of their own, which they tell by themselves. */
  def of(path: String, conf: Configuration): Option[Int] =
    if (new Path(path).getFileSystem(conf).getScheme == "file") Some(LocalBytes) else None
}
