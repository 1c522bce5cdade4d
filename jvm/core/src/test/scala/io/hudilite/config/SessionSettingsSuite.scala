package io.hudilite.config

import io.hudilite.error.InvalidInput

import munit.FunSuite

class SessionSettingsSuite extends FunSuite {

  private def error(setting: (String, String)): InvalidInput =
    intercept[InvalidInput](SessionSettings.check(Map("spark.app.name" -> "mine", setting)))

  test("a setting with a value that cannot be read is refused by its name") {
    SessionSettings.all.foreach { key =>
      SessionSettings.check(Map(key.name -> key.default.get.toString))
      Seq("some", "", "-1", "1.5", "99999999999999999999").foreach { value =>
        val e = error(key.name -> value)
        assertEquals((e.condition, e.parameters("option"), e.parameters("value")),
          ("INVALID_OPTION_VALUE", key.name, value))
      }
    }
  }

  test("a setting that is not known is refused with the nearest one, which may be an option of a session") {
    def nearest(name: String): Option[String] = {
      val e = error(name -> "1")
      assertEquals((e.condition, e.parameters("option")), ("UNKNOWN_OPTION", name))
      e.parameters.get("nearest")
    }
    assertEquals(nearest("spark.hudilite.lookup.maxbroadcastKey"), Some("spark.hudilite.lookup.maxBroadcastKeys"))
    assertEquals(nearest("spark.hudilite.hoodie.index.type"), Some("spark.datasource.hudilite.hoodie.index.type"))
    assertEquals(nearest("spark.hudilite.hoodie.index.typ"), Some("spark.datasource.hudilite.hoodie.index.type"))
    assertEquals(nearest("spark.hudilite.x"), None)
  }

  test("settings of others are not looked at") {
    SessionSettings.check(Map("spark.hudilites.x" -> "1", "hoodie.index.typ" -> "1", "spark.sql.hudilite" -> "some"))
  }
}
