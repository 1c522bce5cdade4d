package io.hudilite.spark.shim

/** Buckets of one table dealt as fewer, which Spark knows from 4.0 on. */
trait BucketReduction
