package io.hudilite.spark.shim

import io.hudilite.spark.HudiliteSource

import java.nio.file.{Files, Path, Paths}

import org.apache.xbean.asm9.{ClassReader, ClassVisitor, MethodVisitor, Opcodes, Type}

import scala.collection.JavaConverters._
import scala.util.Try

import munit.FunSuite

/** One jar serves several versions of Spark. A method that another one has in another form is found here, and not by the
  * user whose statement calls it.
  */
class LinkageSuite extends FunSuite {

  private val loader = classOf[HudiliteSource].getClassLoader
  private val classes = Paths.get(classOf[HudiliteSource].getProtectionDomain.getCodeSource.getLocation.toURI)

  test("each of Spark's methods and fields that the classes name is there") {
    val files = classFiles
    assert(files.size > 1000, s"$classes has ${files.size} classes")
    val missing = files.flatMap(file => named(file).map(use => use -> file)).toMap
      .filterNot { case (use, _) => isThere(use) }
    assertEquals(missing.map { case (use, file) => s"$use in ${file.getFileName}" }.toSeq.sorted, Nil)
  }

  private def classFiles: Seq[Path] = {
    val walk = Files.walk(classes)
    try walk.iterator.asScala.filter(_.toString.endsWith(".class")).toList
    finally walk.close()
  }

  private case class Use(owner: String, member: String, descriptor: String) {
    override def toString: String = s"${owner.replace('/', '.')}.$member$descriptor"
  }

  /** Members of Spark's classes that a class file calls, reads or sets. */
  private def named(file: Path): Set[Use] = {
    val found = Set.newBuilder[Use]
    def use(owner: String, member: String, descriptor: String): Unit =
      if (owner.startsWith("org/apache/spark/") && !owner.contains("/hudilite/")) found += Use(owner, member, descriptor)
    val method = new MethodVisitor(Opcodes.ASM9) {
      override def visitMethodInsn(code: Int, owner: String, name: String, descriptor: String, inTrait: Boolean): Unit =
        use(owner, name, descriptor)
      override def visitFieldInsn(code: Int, owner: String, name: String, descriptor: String): Unit =
        use(owner, name, descriptor)
    }
    new ClassReader(Files.readAllBytes(file)).accept(new ClassVisitor(Opcodes.ASM9) {
      override def visitMethod(access: Int, name: String, descriptor: String, signature: String,
          exceptions: Array[String]): MethodVisitor = method
    }, ClassReader.SKIP_DEBUG)
    found.result()
  }

  private def isThere(use: Use): Boolean =
    Try(Class.forName(use.owner.replace('/', '.'), false, loader)).toOption.exists(supers(_).exists(has(_, use)))

  private def supers(of: Class[_]): Stream[Class[_]] =
    of #:: (Option(of.getSuperclass).toStream ++ of.getInterfaces.toStream).flatMap(supers(_))

  private def has(in: Class[_], use: Use): Boolean =
    if (use.member == "<init>") in.getDeclaredConstructors.exists(Type.getConstructorDescriptor(_) == use.descriptor)
    else if (use.descriptor.startsWith("("))
      in.getDeclaredMethods.exists(m => m.getName == use.member && Type.getMethodDescriptor(m) == use.descriptor)
    else in.getDeclaredFields.exists(f => f.getName == use.member && Type.getDescriptor(f.getType) == use.descriptor)
}
