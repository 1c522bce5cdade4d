package io.hudilite.spark.service

import io.hudilite.spark.service.inline.BackgroundRounds

import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue, TimeUnit}

import munit.FunSuite

import scala.collection.JavaConverters._

/** Work beside the writers. */
class BackgroundRoundsSuite extends FunSuite {

  private val Soon = 30000L

  test("rounds of a name follow each other, and those asked for meanwhile become one") {
    val rounds = new BackgroundRounds(2)
    val (begun, go) = (new CountDownLatch(1), new CountDownLatch(1))
    val done = new LinkedBlockingQueue[Int]()
    rounds.ask("t",
      () => {
        begun.countDown()
        go.await()
        done.add(0)
        ()
      })
    begun.await()
    (1 to 5).foreach(n => rounds.ask("t", () => { done.add(n); () }))
    assert(!rounds.await("t", 1L))
    go.countDown()
    assert(rounds.await("t", Soon))
    assertEquals(done.asScala.toSeq, Seq(0, 5))
  }

  test("a round has nothing of the thread that asked for it first") {
    val properties = new InheritableThreadLocal[String]
    properties.set("of the first writer")
    val rounds = new BackgroundRounds(1)
    val seen = new LinkedBlockingQueue[String]()
    rounds.ask("t", () => { seen.add(String.valueOf(properties.get)); () })
    assert(rounds.await("t", Soon))
    assertEquals(seen.asScala.toSeq, Seq("null"))
  }

  test("names do not wait for each other, and a round that fails does not end its name") {
    val rounds = new BackgroundRounds(2)
    val go = new CountDownLatch(1)
    rounds.ask("slow", () => go.await())
    rounds.ask("t", () => throw new IllegalStateException("a round of this test fails"))
    assert(rounds.await("t", Soon))
    val again = new CountDownLatch(1)
    rounds.ask("t", () => again.countDown())
    assert(again.await(Soon, TimeUnit.MILLISECONDS))
    go.countDown()
    assert(rounds.await("slow", Soon))
    assert(rounds.await("unknown", 0L))
  }

  test("after the end no round begins, the one under way goes on, and then no thread is left") {
    val rounds = new BackgroundRounds(1)
    val (begun, go, done) = (new CountDownLatch(1), new CountDownLatch(1), new LinkedBlockingQueue[String]())
    assert(rounds.ask("t",
        () => {
          begun.countDown()
          go.await()
          done.add("under way")
          ()
        }))
    begun.await()
    rounds.ask("t", () => { done.add("the next"); () })
    rounds.ask("u", () => { done.add("of another name"); () })
    rounds.end()
    assert(!rounds.ask("v", () => { done.add("too late"); () }))
    assert(!rounds.ended(1L))
    go.countDown()
    assert(Seq("t", "u", "v").forall(rounds.await(_, Soon)))
    assert(rounds.ended(Soon))
    assertEquals(done.asScala.toSeq, Seq("under way"))
  }
}
