package io.hudilite.timeline.plan

/** An instant named inside a plan. */
final case class InstantName(time: String, action: String)
