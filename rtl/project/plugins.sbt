// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5.5")
