package io.hudilite.spark.basefile.stored

import java.math.{BigDecimal, BigInteger}

import org.apache.spark.sql.types.{Decimal, DecimalType}

/** Decimals from their bytes in a file: a number in two's complement, the highest byte first. */
private[spark] object Unscaled {

  /** @param bytes
    *   any number of bytes but none
    */
  def decimal(bytes: Array[Byte], own: DecimalType): Decimal = {
    // hot path
    if (own.precision <= Decimal.MAX_LONG_DIGITS && bytes.length > 0 && bytes.length <= java.lang.Long.BYTES) {
      var number = bytes(0).toLong
      var i = 1
      while (i < bytes.length) {
        number = (number << 8) | (bytes(i) & 0xffL)
        i += 1
      }
      Decimal(number, own.precision, own.scale)
    } else Decimal(new BigDecimal(new BigInteger(bytes), own.scale), own.precision, own.scale)
  }
}
