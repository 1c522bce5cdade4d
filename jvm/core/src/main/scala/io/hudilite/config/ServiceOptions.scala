package io.hudilite.config

/** Options of all table services together. */
object ServiceOptions {

  val Services: ConfigKey[Boolean] = ConfigKey.flag("hudilite.services", default = true,
    "Whether a table looks after itself: after a write, services that are due run. With `false` they run only when they " +
      "are called.")

  val all: Seq[ConfigKey[_]] = Seq(Services)
}
