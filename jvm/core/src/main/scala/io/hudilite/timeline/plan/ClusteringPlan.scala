package io.hudilite.timeline.plan

/** One file slice that a clustering reads; file names carry no folder. */
final case class ClusteringInput(partition: String, fileId: String, baseFile: Option[String], logFiles: Seq[String])

/** Parts of a clustering plan about one of its groups, besides the files.
  *
  * @param outputs
  *   number of file groups that the clustering makes of it
  */
final case class ClusteringGroupFacts(outputs: Int = 1, metrics: Map[String, Double] = Map.empty)

/** Content of a clustering's requested file.
  *
  * @param strategy
  *   Hudi's class to run it, with its parameters: options by their names
  * @param facts
  *   one for each group, in their order
  */
final case class ClusteringPlan(groups: Seq[Seq[ClusteringInput]], strategy: String = "",
    params: Map[String, String] = Map.empty, facts: Seq[ClusteringGroupFacts] = Nil)
