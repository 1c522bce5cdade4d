// One tree, two Spark lines: -Dspark=3.5 (Scala 2.12) or -Dspark=4 (Scala 2.13, the default).
// The jar of the 4 line is compiled on the oldest 4.x. -Dspark.test.jars=<folder of Spark's jars> runs the tests on
// another 4.x, such as that of an installed PySpark.
val line = sys.props.getOrElse("spark", "4")

val stack = line match {
  case "3.5" => Stack("2.12.18", "3.5.9", "3.3.4", "1.13.1", "1.11.5", "2.15.2", "0.9.45", "1.16.1")
  case "4" => Stack("2.13.16", "4.0.1", "3.4.1", "1.15.2", "1.12.0", "2.18.2", "1.3.0", "1.17.2")
  case other => sys.error(s"-Dspark must be 3.5 or 4, not $other")
}
val testJars = sys.props.get("spark.test.jars").map(file)
// The folder of a suite says on which Sparks `test` runs it: src/test on one of either line, 3.5 and the newest 4, or of
// core on both versions of Scala; src/test-each on every Spark; src/test-once on the newest, or of core on Scala 2.13.
// -Dspark.test=line leaves src/test-once out, -Dspark.test=each src/test of the connector, too, and either leaves out
// what is tagged for the newest Spark. Spark interprets plans then, all but those of tests that ask for compiled ones:
// to generate and compile code for each query takes a fifth of their time. Whole-stage code stays on, for with it
// hudilite reads columns instead of rows. All folders are compiled together, and testOnly finds the suites of all.
val suiteFolders = Seq("test", "test-each", "test-once")
val fewer = sys.props.get("spark.test")
val interpreted = if (fewer.isDefined) Seq("-Dspark.sql.codegen.factoryMode=NO_CODEGEN") else Nil

def suites(ofEach: String): Seq[Setting[_]] = Seq(
  Test / unmanagedSourceDirectories ++= suiteFolders.tail.map(baseDirectory.value / "src" / _ / "scala"),
  Test / test / testOptions ++= fewer.toSeq.flatMap { which =>
    val run = which match {
      case "line" => Set("test", "test-each")
      case "each" => Set(ofEach)
      case other => sys.error(s"-Dspark.test must be line or each, not $other")
    }
    val others = suiteFolders.filterNot(run).map(baseDirectory.value / "src" / _ / "scala").flatMap { root =>
      (root ** "*Suite.scala").get.flatMap(IO.relativize(root, _)).map(_.stripSuffix(".scala").replace('/', '.'))
    }
    Seq(Tests.Exclude(others), Tests.Argument(TestFrameworks.MUnit, "--exclude-tags=NewestSpark"))
  })

ThisBuild / organization := "io.hudilite"
// The Python package names the version.
ThisBuild / version := """__version__ = "(.+)"""".r.findFirstMatchIn(
  IO.read(file("python/hudilite/_version.py"))).map(_.group(1)).getOrElse(sys.error("no version in _version.py"))
ThisBuild / scalaVersion := stack.scala
ThisBuild / licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0"))
ThisBuild / description := "Apache Hudi tables in Spark's DataSource V2 planner"

val jdkOpens = Seq("java.base/java.lang", "java.base/java.lang.invoke", "java.base/java.io", "java.base/java.net",
  "java.base/java.nio", "java.base/java.util", "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/sun.nio.ch", "java.base/sun.nio.cs", "java.base/sun.security.action", "java.base/sun.util.calendar")

val common = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint:-byname-implicit,_", "-Xfatal-warnings",
    "-Wconf:cat=deprecation&msg=JavaConverters:s"),
  scalacOptions :=
    (if (line == "3.5") scalacOptions.value.map(_.replace("-byname-implicit,", "")) else scalacOptions.value),
  javacOptions ++= Seq("-source", "17", "-target", "17"),
  autoScalaLibrary := false, // Spark brings it
  libraryDependencies += "org.scala-lang" % "scala-library" % scalaVersion.value % Provided,
  libraryDependencies += "org.scalameta" %% "munit" % "1.2.2" % Test,
  Compile / unmanagedSourceDirectories += baseDirectory.value / "src" / "main" / s"scala-spark-${line.head}",
  Test / fork := true,
  Test / baseDirectory := (ThisBuild / baseDirectory).value,
  Test / javaOptions ++= jdkOpens.flatMap(p => Seq("--add-opens", s"$p=ALL-UNNAMED")) ++
    Seq("-Xmx3g", "-Duser.timezone=UTC", "-Dspark.ui.enabled=false", "-Dspark.buffer.pageSize=1m", "-XX:+UseSerialGC",
      // A young generation that most of what a test makes is dead in before it is full, and room for classes: a heap that
      // grows with its use, as by default, is cleared ten times as often.
      "-Xmn900m", "-XX:MetaspaceSize=512m",
      // Most code of a test runs a few times only: the second compiler takes a third of the time and gives little back.
      // Without it the JVM reserves but 48 MB for code, and stops compiling when they are full.
      "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", s"-Dhudilite.line=$line") ++ interpreted,
  Test / parallelExecution := false,
  Test / testOptions += Tests.Argument(TestFrameworks.MUnit, "+l"),
  Compile / doc / sources := Nil)

// The format and the timeline: no Spark on this classpath.
lazy val core = project.in(file("jvm/core")).settings(common, suites(ofEach = "test"),
  name := "hudilite-core",
  publish / skip := true,
  libraryDependencies ++= Seq(
    "org.apache.hadoop" % "hadoop-client-api" % stack.hadoop % Provided,
    "org.apache.parquet" % "parquet-hadoop" % stack.parquet % Provided,
    "org.apache.avro" % "avro" % stack.avro % Provided,
    "org.roaringbitmap" % "RoaringBitmap" % stack.roaring % Provided,
    "com.fasterxml.jackson.core" % "jackson-databind" % stack.jackson % Provided,
    "commons-codec" % "commons-codec" % stack.codec % Provided,
    "org.apache.hadoop" % "hadoop-client-runtime" % stack.hadoop % Test,
    "org.slf4j" % "slf4j-nop" % "2.0.16" % Test))

// The connector; its jar carries the classes of core.
lazy val spark = project.in(file("jvm/spark")).dependsOn(core % "provided;test->test").settings(common,
  suites(ofEach = "test-each"),
  name := s"hudilite-spark-$line",
  moduleName := s"hudilite-spark-$line", // keeps the dot of 3.5, which a name would lose
  libraryDependencies += "org.apache.spark" %% "spark-sql" % stack.spark % Provided,
  Test / fullClasspath := testJars.fold((Test / fullClasspath).value) { jars =>
    val own = (Test / exportedProducts).value ++ (core / Test / exportedProducts).value ++
      (Compile / exportedProducts).value ++ (core / Compile / exportedProducts).value
    val testTools = Set("org.scalameta", "junit", "org.hamcrest", "org.scala-sbt")
    own ++ (Test / managedClasspath).value.filter(_.get(moduleID.key).exists(m => testTools(m.organization))) ++
      (jars ** "*.jar").classpath
  },
  Compile / packageBin / mappings ++= (core / Compile / packageBin / mappings).value,
  Compile / packageBin / mappings += (ThisBuild / baseDirectory).value / "LICENSE" -> "META-INF/LICENSE",
  Compile / packageSrc / mappings ++= (core / Compile / packageSrc / mappings).value,
  // Whoever resolves the artifact needs its jar alone: all else is in Spark or in the jar.
  makePomConfiguration ~= (_.withConfigurations(Vector(Compile, Runtime))),
  Compile / packageDoc / publishArtifact := false)

// Names of Apache Hudi's classes in settings and programs, for jobs that are to change nothing but their jars.
lazy val hudi = project.in(file("jvm/hudi-name")).dependsOn(core % "provided", spark).settings(common,
  name := s"hudilite-hudi-$line",
  moduleName := s"hudilite-hudi-$line",
  libraryDependencies += "org.apache.spark" %% "spark-sql" % stack.spark % Provided,
  Compile / packageBin / mappings += (ThisBuild / baseDirectory).value / "LICENSE" -> "META-INF/LICENSE",
  makePomConfiguration ~= (_.withConfigurations(Vector(Compile, Runtime))),
  Compile / packageDoc / publishArtifact := false)

// JMH benchmarks, in Java because JMH's own annotation processor is all they need: sbt "bench/run -f 1 -i 5 -wi 5".
lazy val bench = project.in(file("jvm/bench")).dependsOn(core, spark).settings(common,
  name := "hudilite-bench",
  publish / skip := true,
  publishMavenStyle := false, // else sbt warns of what depends on nothing
  libraryDependencies ++= Seq(
    "org.apache.spark" %% "spark-sql" % stack.spark,
    "org.openjdk.jmh" % "jmh-core" % "1.37",
    // Hudi's own classes, a yardstick; what they need besides is in Spark.
    "org.apache.hudi" % "hudi-io" % "1.2.0",
    ("org.apache.hudi" % "hudi-common" % "1.2.0").intransitive(),
    ("org.apache.hudi" % "hudi-client-common" % "1.2.0").intransitive(),
    "org.openjdk.jmh" % "jmh-generator-annprocess" % "1.37" % Provided),
  javacOptions ++= Seq("-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"),
  run / fork := true,
  run / javaOptions ++= (Test / javaOptions).value.filterNot(_.startsWith("-XX:Tiered")),
  Compile / mainClass := Some("org.openjdk.jmh.Main"))

lazy val root = project.in(file(".")).aggregate(core, spark, hudi).settings(
  name := "hudilite", publish / skip := true)
