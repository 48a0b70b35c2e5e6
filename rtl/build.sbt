// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
ThisBuild / scalaVersion := "2.13.16"

val spinalVersion = "1.14.2"

lazy val rtl = (project in file("."))
  .settings(
    name := "sluice",
    libraryDependencies ++= Seq(
      "com.github.spinalhdl" %% "spinalhdl-core" % spinalVersion,
      "com.github.spinalhdl" %% "spinalhdl-lib"  % spinalVersion,
      compilerPlugin("com.github.spinalhdl" %% "spinalhdl-idsl-plugin" % spinalVersion),
      "org.yaml"     % "snakeyaml" % "2.4",
      "com.lihaoyi" %% "ujson"     % "4.1.0",
      "com.github.scopt" %% "scopt" % "4.1.0"
    ),
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-language:reflectiveCalls"),
    fork := true
  )
