package io.hudilite.service

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf

/** The options of services in tests, read as writes and calls read them. */
object Services {
  def of(options: (String, String)*): ServiceConf = WriteConf.of(options.toMap).services
}
