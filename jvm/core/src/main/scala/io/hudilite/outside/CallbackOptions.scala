package io.hudilite.outside

import io.hudilite.config.key.ConfigKey
import io.hudilite.error.InvalidInput

import java.net.URI
import java.net.http.HttpRequest

import scala.util.control.NonFatal

/** A service that is told of commits.
  *
  * @param timeoutSeconds
  *   longest wait for a connection, and for the answer
  * @param headers
  *   headers of the request, by their names
  */
final case class CallbackConf(url: URI, timeoutSeconds: Int, headers: Seq[(String, String)]) {

  /** A request without content. Raises `IllegalArgumentException` for a URL or header that HTTP does not have. */
  def request: HttpRequest.Builder =
    headers.foldLeft(HttpRequest.newBuilder(url)) { case (built, (name, value)) => built.setHeader(name, value) }
}

/** Options of Hudi's callback by HTTP after each write. */
object CallbackOptions {

  val On: ConfigKey[Boolean] = ConfigKey.flag("hoodie.write.commit.callback.on", default = false,
    "A write that has committed is told to `hoodie.write.commit.callback.http.url`; where that fails, a warning says so.")

  val Kind: ConfigKey[String] = ConfigKey.text("hoodie.write.commit.callback.class", Some(Http),
    "The kind of callback: by HTTP.")

  val Url: ConfigKey[String] = ConfigKey.text("hoodie.write.commit.callback.http.url", None,
    "Address to which the callback posts Hudi's message as JSON.")

  val TimeoutSeconds: ConfigKey[Int] = ConfigKey.int("hoodie.write.commit.callback.http.timeout.seconds", 3,
    "Longest wait for the callback's connection, and again for its answer.", 1, "seconds")

  val ApiKey: ConfigKey[String] = ConfigKey.text("hoodie.write.commit.callback.http.api.key",
    Some("hudi_write_commit_http_callback"), "Value of the callback's header `HUDI-CALLBACK-KEY`.")

  val Headers: ConfigKey[String] = ConfigKey.text("hoodie.write.commit.callback.http.custom.headers", None,
    "More headers of the callback: `Name:value;Other:value`.")

  val all: Seq[ConfigKey[_]] = Seq(On, Kind, Url, TimeoutSeconds, ApiKey, Headers)

  private lazy val Http = "org.apache.hudi.callback.impl.HoodieWriteCommitHttpCallback"

  /** The service to tell. Raises `InvalidInput` where it cannot be called. */
  def of(options: Map[String, String]): Option[CallbackConf] = if (!On(options)) None
  else {
    if (Kind(options) != Http) throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> Kind.name,
      "value" -> Kind(options), "reason" -> "only callbacks by HTTP are known")
    val said = Url.get(options).map(_.trim).filter(_.nonEmpty).getOrElse(
      throw InvalidInput.option(On.name, "true", s"set ${Url.name}, the address to call"))
    val conf = try CallbackConf(URI.create(said), TimeoutSeconds(options),
        Seq("Content-Type" -> "application/json; charset=UTF-8", "HUDI-CALLBACK-KEY" -> ApiKey(options)))
    catch { case NonFatal(_) => throw noAddress(said) }
    try conf.request
    catch { case NonFatal(_) => throw noAddress(said) }
    val whole = conf.copy(headers = conf.headers ++ headers(options))
    try whole.request
    // The value of a header may be a secret.
    catch { case NonFatal(_) => throw InvalidInput.option(Headers.name, "***", "a request cannot have such headers") }
    Some(whole)
  }

  private def headers(options: Map[String, String]): Seq[(String, String)] =
    Headers.get(options).toSeq.flatMap(_.split(';')).map(_.trim).filter(_.nonEmpty).map(_.split(":", 2) match {
      case Array(name, value) => name.trim -> value.trim
      case _ => throw InvalidInput.option(Headers.name, "***", "each header is a name, a colon and a value")
    })

  private def noAddress(said: String): InvalidInput =
    InvalidInput.option(Url.name, said, "it must be an address that begins with http:// or https://")
}
