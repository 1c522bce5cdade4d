package org.apache.spark

import _root_.io.hudilite.spark.catalog.metastore.Registered

import com.esotericsoftware.kryo.Kryo
import org.apache.spark.serializer.KryoRegistrator

/** `spark.kryo.registrator` of jobs that were written for Apache Hudi. hudilite sends no class of its own by Kryo. */
final class HoodieSparkKryoRegistrar extends KryoRegistrator {
  Registered.requireNoHudi()
  override def registerClasses(kryo: Kryo): Unit = ()
}
