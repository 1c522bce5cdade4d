package io.hudilite.config.key

import io.hudilite.error.InvalidInput

/** One option, declared once: docs/options.md and the Python constants are generated from it.
  *
  * @param name
  *   Hudi's spelling, `hoodie.…`
  * @param alternatives
  *   older spellings that mean the same
  * @param default
  *   value when the option is absent; `None` = no value
  * @param unit
  *   unit of the value, empty when it has none
  * @param parse
  *   text to value; throws `IllegalArgumentException` with the reason when the text is not valid
  */
final case class ConfigKey[T](
    name: String,
    default: Option[T],
    doc: String,
    parse: String => T,
    unit: String = "",
    valueType: String = "string",
    alternatives: Seq[String] = Nil,
    since: String = "0.1.0") {

  /** Value of the option in `options`, or else its default. */
  def get(options: Map[String, String]): Option[T] =
    raw(options).map { case (key, text) => read(key, text) }.orElse(default)

  /** Value of the option. A call for an absent option without a default is a bug of the caller. */
  def apply(options: Map[String, String]): T =
    get(options).getOrElse(throw new IllegalStateException(s"option $name has no default and is not set"))

  def isSet(options: Map[String, String]): Boolean = raw(options).isDefined

  /** Value of the option as of [[apply]], with its origin. */
  def setting(options: Map[String, String]): Setting[T] = Setting(apply(options), isSet(options))

  /** Spelling and text of the option as given; `None` when it is absent. */
  def raw(options: Map[String, String]): Option[(String, String)] =
    names.flatMap(key => ConfigKey.lookUp(options, key).map(key -> _)).headOption

  /** Name and all older spellings. */
  def names: Seq[String] = name +: alternatives

  private def read(key: String, text: String): T =
    try parse(text.trim)
    catch {
      case e: IllegalArgumentException =>
        throw InvalidInput.because(e, "INVALID_OPTION_VALUE", "option" -> key, "value" -> text,
          "reason" -> (Option(e.getMessage).getOrElse("it cannot be read") + inUnit))
    }

  private def inUnit: String = if (unit.isEmpty) "" else s", in $unit"
}

object ConfigKey {

  /** Text of an option. Names are compared without regard to case, since Spark hands options on in lower case. */
  def lookUp(options: Map[String, String], name: String): Option[String] =
    options.get(name).orElse(options.get(name.toLowerCase(java.util.Locale.ROOT)))
      .orElse(options.collectFirst { case (key, text) if key.equalsIgnoreCase(name) => text })

  def text(name: String, default: Option[String], doc: String, alternatives: Seq[String] = Nil): ConfigKey[String] =
    ConfigKey(name, default, doc, (s: String) => s, alternatives = alternatives)

  def flag(name: String, default: Boolean, doc: String, alternatives: Seq[String] = Nil): ConfigKey[Boolean] =
    ConfigKey(name, Some(default), doc, boolean, valueType = "boolean", alternatives = alternatives)

  def int(name: String, default: Int, doc: String, min: Int, unit: String, alternatives: Seq[String] = Nil,
      max: Int = Int.MaxValue): ConfigKey[Int] =
    ConfigKey(name, Some(default), doc, (s: String) => within(min.toLong, max.toLong)(s).toInt, unit, "int",
      alternatives)

  def long(name: String, default: Long, doc: String, min: Long, unit: String, alternatives: Seq[String] = Nil)
      : ConfigKey[Long] =
    ConfigKey(name, Some(default), doc, within(min, Long.MaxValue), unit, "long", alternatives)

  def double(name: String, default: Double, doc: String, check: Double => Boolean, range: String): ConfigKey[Double] =
    ConfigKey(name, Some(default), doc,
      (s: String) => {
        val value = try s.toDouble
        catch { case _: NumberFormatException => throw new IllegalArgumentException("it must be a number") }
        if (check(value)) value else throw new IllegalArgumentException(s"it must be $range")
      }, valueType = "double")

  /** An option with one of `values`, which is compared without regard to case and kept in the declared spelling. */
  def choice(name: String, default: Option[String], values: Seq[String], doc: String,
      alternatives: Seq[String] = Nil): ConfigKey[String] =
    ConfigKey(name, default, doc,
      (s: String) =>
        values.find(_.equalsIgnoreCase(s)).getOrElse(
          throw new IllegalArgumentException(s"it must be one of ${values.mkString(", ")}")),
      valueType = values.mkString(" or "), alternatives = alternatives)

  /** An option with a comma separated list. Blanks around items are dropped, and so are empty items. */
  def list(name: String, doc: String, alternatives: Seq[String] = Nil): ConfigKey[Seq[String]] =
    ConfigKey(name, None, doc, (s: String) => s.split(',').map(_.trim).filter(_.nonEmpty).toSeq,
      valueType = "comma separated list", alternatives = alternatives)

  private def boolean(s: String): Boolean = s.toLowerCase(java.util.Locale.ROOT) match {
    case "true" => true
    case "false" => false
    case _ => throw new IllegalArgumentException("it must be true or false")
  }

  private def within(min: Long, max: Long)(s: String): Long = {
    val value = try product(s)
    catch {
      case _: NumberFormatException | _: ArithmeticException =>
        throw new IllegalArgumentException("it must be a whole number")
    }
    if (value < min) throw new IllegalArgumentException(s"it must be at least $min")
    if (value > max) throw new IllegalArgumentException(s"it must be at most $max")
    value
  }

  // Hudi's pages write sizes as 1024*1024*1024.
  private def product(s: String): Long = s.split("[*]", -1).map(_.trim.toLong).reduce(Math.multiplyExact(_: Long, _))
}
