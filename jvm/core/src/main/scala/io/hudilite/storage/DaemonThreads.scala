package io.hudilite.storage

import java.util.concurrent.ThreadFactory

/** Threads of this name, which do not keep the process alive. */
private[hudilite] final class DaemonThreads(name: String) extends ThreadFactory {
  override def newThread(work: Runnable): Thread = {
    val thread = new Thread(work, name)
    thread.setDaemon(true)
    thread
  }
}
