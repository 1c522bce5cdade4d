package io.hudilite.spark.service.inline

import io.hudilite.outside.CallbackConf
import io.hudilite.spark.write.attempt.CommittedWrite
import io.hudilite.timeline.CommitJson

import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.time.Duration

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** The message to a service, by HTTP, that a write has committed. The write is visible by then, so that no failure here
  * fails it.
  */
private[inline] object CommitCallback {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.service.inline.CommitCallback")

  def apply(write: CommittedWrite): Unit = write.target.conf.callback.foreach { conf =>
    try {
      val metadata = write.table.store.readCommit(write.instant)
      val answer = sent(conf,
        CommitJson.message(write.instant, metadata, write.target.config.name,
          write.table.basePath))
      if (answer >= 300) tell(conf, write, s"it answered $answer")
    } catch {
      case NonFatal(e) => tell(conf, write, Option(e.getMessage).getOrElse(e.getClass.getSimpleName))
    }
  }

  // The time of a request ends with the headers of its answer, so the body, which may never come, is not read.
  private def sent(conf: CallbackConf, message: Array[Byte]): Int = {
    val wait = Duration.ofSeconds(conf.timeoutSeconds.toLong)
    val answer = HttpClient.newBuilder().connectTimeout(wait).build()
      .send(conf.request.timeout(wait).POST(HttpRequest.BodyPublishers.ofByteArray(message)).build(),
        HttpResponse.BodyHandlers.ofInputStream())
    answer.body.close()
    answer.statusCode()
  }

  // The rest of the address may hold a secret.
  private def tell(conf: CallbackConf, write: CommittedWrite, reason: String): Unit =
    log.warn(s"The write ${write.instant.time} to ${write.table.basePath} is committed, but the callback to " +
      s"${conf.url.getScheme}://${conf.url.getHost}${conf.url.getPath} failed: $reason.")
}
