package io.hudilite.spark.shim

import org.apache.spark.sql.sources.CreatableRelationProvider

/** A source whose saves Spark plans as commands. */
trait SavesByCommand extends CreatableRelationProvider
