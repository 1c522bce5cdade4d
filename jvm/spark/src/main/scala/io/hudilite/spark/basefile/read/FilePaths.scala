package io.hudilite.spark.basefile.read

private[spark] object FilePaths {
  def absolute(basePath: String, relativePath: String): String = s"${basePath.stripSuffix("/")}/$relativePath"
}
