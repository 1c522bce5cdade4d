package io.hudilite.config.service

/** Options of table services, read once with those of their write or call.
  *
  * @param byThemselves
  *   true when services that are due run after a write
  * @param beside
  *   true when they run beside the writes that come next
  */
final case class ServiceConf(
    byThemselves: Boolean,
    beside: Boolean,
    compaction: CompactionConf,
    clustering: ClusteringConf,
    expiry: ExpiryConf,
    cleaning: CleanConf,
    archiving: ArchiveConf) {

  /** True when these options let a clustering follow a write; the next methods are of the other services. */
  def inlineClustering: Boolean = byThemselves && clustering.inline
  def inlineExpiry: Boolean = byThemselves && expiry.inline
  def inlineCleaning: Boolean = byThemselves && cleaning.automatic
  def inlineArchiving: Boolean = byThemselves && archiving.automatic
}

object ServiceConf {

  /** Options of services. Raises `InvalidInput` for a malformed value, and for options that contradict each other.
    *
    * @param fileBytes
    *   size at which a write begins another base file
    */
  private[config] def of(options: Map[String, String], fileBytes: Long): ServiceConf = {
    val (compaction, cleaning) = (CompactionConf.of(options, fileBytes), CleanConf.of(options))
    ServiceConf(
      byThemselves = ServiceOptions.Services(options) && CompactionOptions.TableServices(options),
      beside = ServiceOptions.Async(options),
      compaction = compaction,
      clustering = ClusteringConf.of(options),
      expiry = ExpiryConf.of(options),
      cleaning = cleaning,
      archiving = ArchiveConf.of(options, cleaning, compaction.trigger))
  }
}
