package io.hudilite.config.service

/** The options of table services, read once with those of the write or call that they belong to.
  *
  * @param byThemselves
  *   services that are due run after a write
  * @param beside
  *   they run beside the writes that come next
  */
final case class ServiceConf(
    byThemselves: Boolean,
    beside: Boolean,
    compaction: CompactionConf,
    clustering: ClusteringConf,
    expiry: ExpiryConf,
    cleaning: CleanConf,
    archiving: ArchiveConf) {

  /** The services that follow a write, each with whether these options let it. */
  def inlineClustering: Boolean = byThemselves && clustering.inline
  def inlineExpiry: Boolean = byThemselves && expiry.inline
  def inlineCleaning: Boolean = byThemselves && cleaning.automatic
  def inlineArchiving: Boolean = byThemselves && archiving.automatic
}

object ServiceConf {

  /** Raises `InvalidInput` for a value that cannot be read, and for options that contradict each other.
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
