package io.hudilite.transaction

import io.hudilite.storage.{Caches, FileInfo, ForwardingStorage, Storage}

import java.time.{Clock, Duration}
import java.util.concurrent.{CountDownLatch, TimeUnit}

/** A storage as one process sees it, which remembers nothing of what others do.
  *
  * @param before
  *   is shown each request before it is made, as its kind and path
  * @param after
  *   is shown each request after it was made
  * @param exclusive
  *   the storage lets one of two win a name; else it looks for the name and then puts the file there, as S3A of Hadoop
  *   3.3 does
  * @param behind
  *   how much slower its clock is
  */
final class ProcessView(to: Storage, before: String => Unit = _ => (), after: String => Unit = _ => (),
    exclusive: Boolean = true, behind: Duration = Duration.ZERO) extends ForwardingStorage(to) {

  private def call[T](kind: String, path: String)(made: => T): T = {
    before(s"$kind $path")
    val result = made
    after(s"$kind $path")
    result
  }

  override val caches: Caches = new Caches
  override val clock: Clock = Clock.offset(to.clock, behind.negated)

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] =
    call("list", directories.headOption.getOrElse(""))(super.list(directories))
  override def createNew(path: String, content: Array[Byte]): Boolean =
    if (exclusive) call("create", path)(super.createNew(path, content))
    else if (call("exists", path)(super.exists(path))) false
    else {
      replace(path, content)
      true
    }
  override def replace(path: String, content: Array[Byte]): Unit = call("replace", path)(super.replace(path, content))
  override def delete(path: String): Boolean = call("delete", path)(super.delete(path))
  override def deleteOwn(directory: String): Unit = call("delete", directory)(super.deleteOwn(directory))
  override def exists(path: String): Boolean = call("exists", path)(super.exists(path))
  override def read(path: String): Option[Array[Byte]] = call("read", path)(super.read(path))
}

/** Two processes on different machines at work on one storage, `a` and `b`. */
object TwoProcesses {

  def options(name: String): TransactionOptions =
    TransactionOptions(process = Processes.elsewhere(name, name), claimWaitMs = 0L)

  /** Outcomes of both, and true where the second was held. */
  final case class Outcome(first: Either[Throwable, Unit], second: Option[Either[Throwable, Unit]], wasHeld: Boolean)

  /** The first one is held before its request of the number `n`, while the second one runs until its own of the number `m`;
    * then the first one goes on to its end, and after it the second one.
    */
  def run(storage: Storage, n: Int, m: Int, exclusive: Boolean = true, behind: Duration = Duration.ZERO)(
      first: Storage => Unit, second: Storage => Unit): Outcome = {
    val (mayGoOn, paused) = (new CountDownLatch(1), new CountDownLatch(1))
    var held = false
    var ended: Option[Either[Throwable, Unit]] = None
    val other = new Thread(() => {
      val view = new ProcessView(storage,
        at(m) {
          held = true
          paused.countDown()
          await(mayGoOn)
        }, exclusive = exclusive, behind = behind)
      ended = Some(outcome(second(view)))
      paused.countDown()
    })
    val view = new ProcessView(storage, at(n) { other.start(); await(paused) }, exclusive = exclusive,
      behind = behind)
    val done = outcome(first(view))
    mayGoOn.countDown()
    if (other.getState != Thread.State.NEW) other.join(TimeUnit.SECONDS.toMillis(60))
    Outcome(done, ended, held)
  }

  /** Has the first one held at each of its requests, and for each of these the second one at every `step`th of its own; one
    * more than the first one makes.
    *
    * @param run
    *   is given the numbers of both requests
    */
  def heldAnywhere(step: Int)(run: (Int, Int) => Outcome): Int = {
    var number = 1
    var goesOn = true
    while (goesOn) {
      var other = 1
      var wasHeld = true
      while (wasHeld) {
        val ended = run(number, other)
        goesOn = ended.second.isDefined
        wasHeld = ended.wasHeld
        other += step
      }
      number += 1
    }
    number
  }

  /** Both take turns: the first one makes `n` requests, then the second one `m`, and so on. */
  def alternating(storage: Storage, n: Int, m: Int, exclusive: Boolean = true, behind: Duration = Duration.ZERO)(
      first: Storage => Unit, second: Storage => Unit): Outcome = {
    val turns = new Turns(Seq(n, m))
    def run(process: Int, body: Storage => Unit): Either[Throwable, Unit] =
      try outcome(body(new ProcessView(storage, _ => turns.request(process), exclusive = exclusive,
              behind = behind)))
      finally turns.end(process)
    var ended: Option[Either[Throwable, Unit]] = None
    val other = new Thread(() => ended = Some(run(1, second)))
    other.start()
    val done = run(0, first)
    other.join(TimeUnit.SECONDS.toMillis(60))
    Outcome(done, ended, wasHeld = true)
  }

  private final class Turns(requests: Seq[Int]) {
    private var turn = 0
    private var left = requests.head
    private val ended = Array(false, false)

    /** Returns when it is the process's turn to make one. */
    def request(process: Int): Unit = synchronized {
      if (turn == process && left == 0) pass()
      while (turn != process) wait(TimeUnit.SECONDS.toMillis(60))
      left -= 1
    }

    def end(process: Int): Unit = synchronized {
      ended(process) = true
      if (turn == process) pass()
    }

    private def pass(): Unit = {
      if (!ended(1 - turn)) turn = 1 - turn
      left = requests(turn)
      notifyAll()
    }
  }

  private def at(number: Int)(step: => Unit): String => Unit = {
    var calls = 0
    _ => {
      calls += 1
      if (calls == number) step
    }
  }

  private def await(latch: CountDownLatch): Unit =
    if (!latch.await(60, TimeUnit.SECONDS)) throw new IllegalStateException("the other process is stuck")

  private def outcome(run: => Unit): Either[Throwable, Unit] =
    try Right(run)
    catch { case e: Throwable => Left(e) }
}
