// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
package sluice.shells
package corundum

import spinal.core._

/** What Corundum sets of its application block in the configuration `fpga_100g` for the Alveo U50, with the application enabled.
  *
  * Each instance of it names them all. The wrapper has one width for each port, so a [[ShellModule]] around it takes the parameters.
  */
object CorundumParameters {

  /** Of these the wrapper's ports are made. */
  val fixed: Seq[(String, Int)] = Seq(
    "IF_COUNT" -> 1,
    "PORTS_PER_IF" -> 1,
    "PORT_COUNT" -> 1,
    "CLK_PERIOD_NS_NUM" -> 4,
    "CLK_PERIOD_NS_DENOM" -> 1,
    "PTP_TS_WIDTH" -> 96,
    "PTP_PEROUT_COUNT" -> 1,
    "PTP_TS_ENABLE" -> 1,
    "TX_TAG_WIDTH" -> 16,
    "DDR_CH" -> 4,
    "AXI_DDR_DATA_WIDTH" -> 512,
    "AXI_DDR_ADDR_WIDTH" -> 34,
    "AXI_DDR_STRB_WIDTH" -> 64,
    "AXI_DDR_ID_WIDTH" -> 8,
    "HBM_CH" -> 32,
    "AXI_HBM_DATA_WIDTH" -> 256,
    "AXI_HBM_ADDR_WIDTH" -> 33,
    "AXI_HBM_STRB_WIDTH" -> 32,
    "AXI_HBM_ID_WIDTH" -> 6,
    "APP_ID" -> 0x534c5543, // "SLUC"
    "APP_GPIO_IN_WIDTH" -> 32,
    "APP_GPIO_OUT_WIDTH" -> 32,
    "DMA_ADDR_WIDTH" -> 64,
    "DMA_IMM_WIDTH" -> 32,
    "DMA_LEN_WIDTH" -> 16,
    "DMA_TAG_WIDTH" -> 14,
    "RAM_SEL_WIDTH" -> 1,
    "RAM_ADDR_WIDTH" -> 17,
    "RAM_SEG_COUNT" -> 2,
    "RAM_SEG_DATA_WIDTH" -> 512,
    "RAM_SEG_BE_WIDTH" -> 64,
    "RAM_SEG_ADDR_WIDTH" -> 10,
    "AXIL_APP_CTRL_DATA_WIDTH" -> 32,
    "AXIL_APP_CTRL_ADDR_WIDTH" -> 24,
    "AXIL_APP_CTRL_STRB_WIDTH" -> 4,
    "AXIL_CTRL_DATA_WIDTH" -> 32,
    "AXIL_CTRL_ADDR_WIDTH" -> 24,
    "AXIL_CTRL_STRB_WIDTH" -> 4,
    "AXIS_DATA_WIDTH" -> 512,
    "AXIS_KEEP_WIDTH" -> 64,
    "AXIS_TX_USER_WIDTH" -> 17,
    "AXIS_RX_USER_WIDTH" -> 97,
    "AXIS_SYNC_DATA_WIDTH" -> 512,
    "AXIS_SYNC_KEEP_WIDTH" -> 64,
    "AXIS_SYNC_TX_USER_WIDTH" -> 17,
    "AXIS_SYNC_RX_USER_WIDTH" -> 97,
    "AXIS_IF_DATA_WIDTH" -> 512,
    "AXIS_IF_KEEP_WIDTH" -> 64,
    "AXIS_IF_TX_ID_WIDTH" -> 13,
    "AXIS_IF_RX_ID_WIDTH" -> 1,
    "AXIS_IF_TX_DEST_WIDTH" -> 4,
    "AXIS_IF_RX_DEST_WIDTH" -> 9,
    "AXIS_IF_TX_USER_WIDTH" -> 17,
    "AXIS_IF_RX_USER_WIDTH" -> 97,
    "STAT_INC_WIDTH" -> 24,
    "STAT_ID_WIDTH" -> 12
  ) ++ users("DDR") ++ users("HBM")

  /** These change nothing in the wrapper. */
  val free: Seq[String] =
    Seq(
      "SCHED_PER_IF",
      "PTP_CLK_PERIOD_NS_NUM",
      "PTP_CLK_PERIOD_NS_DENOM",
      "PTP_PORT_CDC_PIPELINE",
      "PTP_PEROUT_ENABLE"
    ) ++
      Seq("MAX_TX_SIZE", "MAX_RX_SIZE", "DMA_IMM_ENABLE", "RAM_PIPELINE", "AXIS_RX_USE_READY", "STAT_ENABLE") ++
      Seq("CTRL", "DMA", "AXIS_DIRECT", "AXIS_SYNC", "AXIS_IF", "STAT").map(part => s"APP_${part}_ENABLE") ++
      Seq("DDR", "HBM").flatMap { kind =>
        Seq(s"${kind}_ENABLE", s"${kind}_GROUP_SIZE") ++ channels.map(c => s"AXI_${kind}_${c}USER_ENABLE") ++
          Seq("MAX_BURST_LEN", "NARROW_BURST", "FIXED_BURST", "WRAP_BURST").map(rule => s"AXI_${kind}_$rule")
      }

  private def channels = Seq("AW", "W", "B", "AR", "R")
  private def users(kind: String) = channels.map(c => s"AXI_${kind}_${c}USER_WIDTH" -> 1)

  /** Corundum's module around the wrapper: file and text. */
  def adapter(wrapper: Component): (String, String) = ShellModule("mqnic_app_block", wrapper, fixed, free)
}
