package io.hudilite.spark.shim

import org.apache.spark.sql.sources.CreatableRelationProvider

/** A source to which Spark plans saves as commands. */
trait SavesByCommand extends CreatableRelationProvider
