package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of all table services together. */
object ServiceOptions {

  val Services: ConfigKey[Boolean] = ConfigKey.flag("hudilite.services", default = true,
    "A table looks after itself: after a write, services that are due run. With `false` they run only when they " +
      "are called.")

  val Async: ConfigKey[Boolean] = ConfigKey.flag("hudilite.services.async", default = false,
    "The services that are due after a write run beside the next ones, in threads of the application: for " +
      "programs that go on writing. What fails is logged and shown by `services()`; what the end of the program cuts " +
      "off, the next writer takes up.")

  val all: Seq[ConfigKey[_]] = Seq(Services, Async)
}
