// SPDX-License-Identifier: Apache-2.0
//
// A design of one's own with Sluice as a library, which `make library` in Sluice's tree puts into the Maven repository of this user.
ThisBuild / scalaVersion := "2.13.16"

lazy val fairport = (project in file(".")).settings(
  resolvers += Resolver.mavenLocal,
  libraryDependencies ++= Seq(
    "sluice" %% "sluice" % "0.3.0",
    compilerPlugin("com.github.spinalhdl" %% "spinalhdl-idsl-plugin" % "1.14.2")
  ),
  fork := true
)
