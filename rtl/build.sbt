// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
ThisBuild / scalaVersion := "2.13.16"

val spinalVersion = "1.14.2"

lazy val rtl = (project in file("."))
  .settings(
    organization := "sluice",
    name := "sluice",
    // As the register VERSION shows it.
    version := IO
      .readLines(file("src/main/scala/sluice/tile/registers/RegisterMap.scala"))
      .collectFirst { case line if line.trim.startsWith("val versionText") => line.split('"')(1) }
      .get,
    Compile / packageDoc / publishArtifact := false,
    publishM2Configuration := publishM2Configuration.value.withOverwrite(true), // of a version that is still worked on
    libraryDependencies ++= Seq(
      "com.github.spinalhdl" %% "spinalhdl-core" % spinalVersion,
      "com.github.spinalhdl" %% "spinalhdl-lib"  % spinalVersion,
      compilerPlugin("com.github.spinalhdl" %% "spinalhdl-idsl-plugin" % spinalVersion),
      "org.yaml"     % "snakeyaml" % "2.4",
      "com.lihaoyi" %% "ujson"     % "4.1.0",
      "com.github.scopt" %% "scopt" % "4.1.0"
    ),
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-language:reflectiveCalls"),
    fork := true,
    javaOptions += "-XX:TieredStopAtLevel=1" // as sbt itself is run in build.mk: the generator ends before more would pay
  )
