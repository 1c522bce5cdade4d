package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.spark.Logged
import io.hudilite.spark.catalog.NamedSession

import java.net.InetSocketAddress
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.sun.net.httpserver.{HttpExchange, HttpServer}

import scala.collection.JavaConverters._

/** A service that is told by HTTP of each write. */
final class CommitCallbackSuite extends NamedSession {

  override protected val database = "called"

  import CommitCallbackSuite.Call

  private val on = "hoodie.write.commit.callback.on"
  private val http = "hoodie.write.commit.callback.http"
  private val logger = "io.hudilite.spark.service.inline.CommitCallback"

  /** Runs `body` with the address of a server that gives this answer, and returns the calls that it got. */
  private def calls(answer: Int = 200, delayMs: Long = 0L)(body: String => Any): Seq[Call] = {
    val got = new ConcurrentLinkedQueue[Call]()
    val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.createContext("/",
      (exchange: HttpExchange) => {
        val headers = exchange.getRequestHeaders.asScala.map { case (name, values) =>
          name.toLowerCase -> values.asScala.mkString(",")
        }
        got.add(Call(exchange.getRequestMethod, exchange.getRequestURI.toString, headers.toMap,
            new ObjectMapper().readTree(exchange.getRequestBody.readAllBytes())))
        if (delayMs > 0) Thread.sleep(delayMs)
        exchange.sendResponseHeaders(answer, -1)
        exchange.close()
      })
    server.setExecutor(java.util.concurrent.Executors.newCachedThreadPool { (work: Runnable) =>
      val thread = new Thread(work)
      thread.setDaemon(true)
      thread
    })
    server.start()
    try body(s"http://127.0.0.1:${server.getAddress.getPort}")
    finally server.stop(0)
    got.asScala.toSeq
  }

  private def write(path: String, options: (String, String)*): Unit =
    spark.sql("SELECT id, concat('p', id % 2) AS p, 1L AS ts FROM range(4)").write.format("hudilite")
      .option("hoodie.table.name", "told").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p")
      .option("hoodie.datasource.write.precombine.field", "ts")
      .options(options.toMap).mode("append").save(path)

  private def count(path: String): Long = spark.read.format("hudilite").load(path).count()

  test("each write posts Hudi's message once it has committed") {
    val path = s"$home/told"
    val got = calls() { url =>
      write(path, on -> "true", s"$http.url" -> s"$url/a/b?c=d", s"$http.custom.headers" -> "X-One: 1;X-Two:a:b")
      write(path, on -> "true", s"$http.url" -> s"$url/a/b", s"$http.api.key" -> "mine")
      write(path)
      sql(s"SET $on = true")
      sql(s"SET $http.url = $url/sql")
      try sql(s"DELETE FROM hudilite.`$path` WHERE id = 0")
      finally Seq(on, s"$http.url").foreach(name => spark.conf.unset(name))
    }
    assertEquals(got.map(call => s"${call.method} ${call.path}"), Seq("POST /a/b?c=d", "POST /a/b", "POST /sql"))
    val first = got.head
    assertEquals(first.headers.get("hudi-callback-key"), Some("hudi_write_commit_http_callback"): Option[String])
    assertEquals(first.headers.get("content-type"), Some("application/json; charset=UTF-8"): Option[String])
    assertEquals((first.headers.get("x-one"), first.headers.get("x-two")),
      (Some("1"), Some("a:b")): (Option[String],
          Option[String]))
    assertEquals(got(1).headers.get("hudi-callback-key"), Some("mine"): Option[String])
    assertEquals(first.body.fieldNames.asScala.toSeq,
      Seq("commitTime", "tableName", "basePath", "hoodieWriteStat",
        "commitActionType", "extraMetadata"))
    assertEquals(got.map(_.body.path("commitTime").asText),
      sql(s"SELECT time FROM hudilite.`$path`.history ORDER BY time").map(_.getString(0)).patch(2, Nil, 1))
    assertEquals((first.body.path("tableName").asText, first.body.path("basePath").asText.stripPrefix("file:")),
      ("told", path))
    val stats = first.body.path("hoodieWriteStat").elements.asScala.toSeq
    assertEquals(stats.map(s => s"${s.path("partitionPath").asText} ${s.path("numInserts").asInt}").sorted,
      Seq("p0 2", "p1 2"))
    assert(stats.forall(s => s.path("path").asText.startsWith(s.path("partitionPath").asText + "/")), stats)
  }

  test("a service that does not answer, or not in time, makes no write fail") {
    val path = s"$home/failing"
    def told(options: (String, String)*): Seq[String] =
      Logged.during(logger)(write(path, (on -> "true") +: options: _*))
    var said = Seq.empty[Seq[String]]
    calls(answer = 500)(url => said :+= told(s"$http.url" -> s"$url/x"))
    calls(delayMs = 3000L)(url =>
      said :+= told(s"$http.url" -> s"$url/x?token=secret", s"$http.timeout.seconds" -> "1"))
    said :+= told(s"$http.url" -> "http://127.0.0.1:1/x")
    assertEquals(count(path), 4L)
    if (Logged.isHeard) {
      assertEquals(said.map(_.size), Seq(1, 1, 1))
      assert(said.flatten.forall(_.startsWith("WARN The write ")), said)
      assert(said.head.head.contains("it answered 500") && !said(1).head.contains("secret"), said)
    }
  }

  test("a service whose answer stops after its headers holds no write up") {
    val path = s"$home/silent"
    val (written, cut) = (new CountDownLatch(1), new CountDownLatch(1))
    val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.createContext("/",
      (exchange: HttpExchange) => {
        exchange.getRequestBody.readAllBytes()
        exchange.sendResponseHeaders(200, 10)
        exchange.getResponseBody.flush()
        if (written.await(60, TimeUnit.SECONDS)) cut.countDown()
        exchange.close()
      })
    server.start()
    try
      write(path, on -> "true", s"$http.url" -> s"http://127.0.0.1:${server.getAddress.getPort}/x",
        s"$http.timeout.seconds" -> "1")
    finally {
      written.countDown()
      assert(cut.await(10, TimeUnit.SECONDS), "the write ended when the service had given up")
      server.stop(0)
    }
    assertEquals(count(path), 4L)
  }

  test("a callback that cannot be called is refused before anything is written") {
    val path = s"$home/refused"
    Seq(Nil -> "INVALID_OPTION_VALUE", Seq(s"$http.url" -> "ftp://host/x") -> "INVALID_OPTION_VALUE",
      Seq(s"$http.url" -> "host") -> "INVALID_OPTION_VALUE", Seq(s"$http.url" -> " ") -> "INVALID_OPTION_VALUE",
      Seq(s"$http.url" -> "http://h/x", s"$http.custom.headers" -> "Host:x") -> "INVALID_OPTION_VALUE",
      Seq(s"$http.url" -> "http://h/x", s"$http.custom.headers" -> "none") -> "INVALID_OPTION_VALUE",
      Seq(s"$http.url" -> "http://h/x", s"$http.timeout.seconds" -> "0") -> "INVALID_OPTION_VALUE",
      Seq("hoodie.write.commit.callback.class" -> "org.example.Callback") -> "OPTION_NOT_SUPPORTED").foreach {
      case (options, expected) =>
        assertEquals(intercept[InvalidInput](write(path, (on -> "true") +: options: _*)).condition, expected,
          options.toString)
        assert(!java.nio.file.Files.exists(home.resolve("refused")))
    }
    write(path, s"$http.url" -> "nothing", on -> "false")
    assertEquals(count(path), 4L)
  }
}

private object CommitCallbackSuite {
  final case class Call(method: String, path: String, headers: Map[String, String], body: JsonNode)
}
