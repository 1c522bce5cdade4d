package io.hudilite.storage

import munit.FunSuite

import java.util.concurrent.TimeUnit

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}

class ParallelSuite extends FunSuite {

  test("work that asks for more at once does not wait for itself, however much of it there is") {
    val answers = Future(Parallel.map(0 until 100)(n => Parallel.map(0 until 3)(_ + n).sum))(ExecutionContext.global)
    assertEquals(Await.result(answers, Duration(60, TimeUnit.SECONDS)), (0 until 100).map(n => 3 * n + 3))
    assertEquals(Parallel.map(0 until 40)(_ + 1), (1 to 40).toList)
  }
}
