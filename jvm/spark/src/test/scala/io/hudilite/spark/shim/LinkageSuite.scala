package io.hudilite.spark.shim

import io.hudilite.spark.HudiliteSource

import java.io.InputStream
import java.nio.file.{Files, Path, Paths}

import org.apache.xbean.asm9.{ClassReader, ClassVisitor, FieldVisitor, MethodVisitor, Opcodes}

import scala.collection.JavaConverters._
import scala.collection.mutable

import munit.FunSuite

/** One jar serves several versions of Spark. A method that another one has in another form is found here, and not by the
  * user whose statement calls it.
  */
class LinkageSuite extends FunSuite {

  private val classes = Paths.get(classOf[HudiliteSource].getProtectionDomain.getCodeSource.getLocation.toURI)
  private val known = mutable.Map.empty[String, Set[String]]

  test("each of Spark's methods and fields that the classes name is there") {
    val files = classFiles
    assert(files.size > 1000, s"$classes has ${files.size} classes")
    val used = files.flatMap(usesIn)
    val own = used.filter(use => use.isOwn && use.forwards.isEmpty).map(_.member).toSet
    val missing = used.filter(use => use.isSparks && use.forwards.forall(own) && !membersOf(use.owner)(use.member))
    assertEquals(missing.map(_.toString).sorted, Nil)
  }

  /** @param forwards
    *   the method of that name that the compiler has made to pass the call on, which nobody may call
    */
  private case class Use(in: String, owner: String, member: String, forwards: Option[String]) {
    def isOwn: Boolean = owner.contains("/hudilite/")
    def isSparks: Boolean = owner.startsWith("org/apache/spark/") && !isOwn
    override def toString: String = s"$in: $owner.$member"
  }

  /** Classes but those of the shims, which try one form and then the other. */
  private def classFiles: Seq[Path] = {
    val walk = Files.walk(classes)
    try walk.iterator.asScala.filter(f => f.toString.endsWith(".class") && !f.getParent.endsWith("shim")).toList
    finally walk.close()
  }

  /** Members that a class file calls, reads or sets. */
  private def usesIn(file: Path): Set[Use] = {
    val found = Set.newBuilder[Use]
    read(Files.newInputStream(file)) {
      new ClassVisitor(Opcodes.ASM9) {
        override def visitMethod(access: Int, name: String, form: String, types: String, thrown: Array[String])
            : MethodVisitor = new MethodVisitor(Opcodes.ASM9) {
          override def visitMethodInsn(code: Int, owner: String, called: String, of: String, inTrait: Boolean): Unit = {
            val forwards = called + of == name + form ||
              (called == s"$name$$" && of == form.replaceFirst("\\(", s"(L$owner;"))
            found += Use(s"${file.getFileName}", owner, called + of, if (forwards) Some(name + form) else None)
          }
          override def visitFieldInsn(code: Int, owner: String, field: String, of: String): Unit =
            found += Use(s"${file.getFileName}", owner, s"$field:$of", None)
        }
      }
    }
    found.result()
  }

  /** Members that a class has or inherits. None of it is initialised, and a class that it only mentions may be missing. */
  private def membersOf(owner: String): Set[String] = known.getOrElseUpdate(owner, {
      val found = Set.newBuilder[String]
      Option(classOf[HudiliteSource].getClassLoader.getResourceAsStream(s"$owner.class")).foreach { in =>
        read(in) {
          new ClassVisitor(Opcodes.ASM9) {
            override def visit(version: Int, access: Int, name: String, types: String, parent: String,
                traits: Array[String]): Unit = (Option(parent).toSeq ++ traits).foreach(found ++= membersOf(_))
            override def visitMethod(access: Int, name: String, form: String, types: String, thrown: Array[String])
                : MethodVisitor = { found += name + form; null }
            override def visitField(access: Int, name: String, form: String, types: String, value: Any)
                : FieldVisitor = {
              found += s"$name:$form"
              null
            }
          }
        }
      }
      found.result()
    })

  private def read(in: InputStream)(visitor: ClassVisitor): Unit =
    try new ClassReader(in).accept(visitor, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES)
    finally in.close()
}
