// The conformance check of decoder plugins: it accepts ours, and finds each of the planted faults of faulty_decoder.cc.
#include "toolchain/plugin/plugin_contract.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

PluginReport CheckWithFault(const char* fault) {
  setenv("SOFTLBR_PLANTED_FAULT", fault, 1);
  PluginReport report = CheckPlugin(SOFTLBR_FAULTY_DECODER, {});
  unsetenv("SOFTLBR_PLANTED_FAULT");
  return report;
}

std::string TextOf(const PluginReport& report) {
  std::string text;
  for (const PluginFinding& finding : report.findings) {
    text += finding.part + (finding.is_kept ? " ok: " : " FAULT: ") + finding.text + "\n";
  }
  return text;
}

TEST(PluginCheck, OurPluginsKeepTheContract) {
  for (const char* plugin : {SOFTLBR_DECODER_OF_X86_64, SOFTLBR_DECODER_OF_AARCH64}) {
    const PluginReport report = CheckPlugin(plugin, {});
    EXPECT_TRUE(report.IsKept()) << plugin << "\n" << TextOf(report);
    EXPECT_EQ(report.findings.size(), 10u);
  }
}

TEST(PluginCheck, PluginWithoutAPlantedFaultKeepsTheContract) {
  const PluginReport report = CheckWithFault("");
  EXPECT_TRUE(report.IsKept()) << TextOf(report);
  EXPECT_GT(report.code_bytes, 10000u) << "its own code is tried";
}

struct PlantedFault {
  const char* name;
  const char* part;
  const char* text;
};
class PluginCheckFinds : public ::testing::TestWithParam<PlantedFault> {};

TEST_P(PluginCheckFinds, PlantedFault) {
  const PluginReport report = CheckWithFault(GetParam().name);
  EXPECT_FALSE(report.IsKept());
  bool is_found = false;
  for (const PluginFinding& finding : report.findings) {
    is_found |=
        !finding.is_kept && finding.part == GetParam().part && finding.text.find(GetParam().text) != std::string::npos;
  }
  EXPECT_TRUE(is_found) << TextOf(report);
}
INSTANTIATE_TEST_SUITE_P(
    All, PluginCheckFinds,
    ::testing::Values(
        PlantedFault{"no_table", "table", "returns NULL"}, PlantedFault{"abi", "table", "abi_version is 3"},
        PlantedFault{"arena_size", "table", "arena_bytes is 1048576"},
        PlantedFault{"no_length", "table", "a function of the table is NULL"},
        PlantedFault{"misaligned_arena", "open", "misaligned arena answers 0"},
        PlantedFault{"arena_overrun", "open", "behind its arena"},
        PlantedFault{"reads_behind", "memory", "reads a byte behind [code, code + size)"},
        PlantedFault{"reads_before", "memory", "reads a byte before [code, code + size)"},
        PlantedFault{"stack", "stack", "bytes of stack; stack_bytes is"},
        PlantedFault{"hangs", "memory", "does not return"}, PlantedFault{"crashes", "memory", "crashes: signal 6"},
        PlantedFault{"heap", "calls", "calls malloc()"}, PlantedFault{"system_call", "calls", "makes system call"},
        PlantedFault{"slot", "blocks", "makes a block that the runtime refuses"},
        PlantedFault{"uncounted", "blocks", "makes a block that the runtime refuses"},
        PlantedFault{"loaded_target", "blocks", "a direct branch must have"},
        PlantedFault{"unmarked_cut", "cuts", "CUT_BY_WINDOW"},
        PlantedFault{"refuses", "memory", "answers 2 for a valid window"},
        PlantedFault{"state", "repeats", "makes another block"}, PlantedFault{"length", "lengths", "and lift() says"}),
    [](const auto& fault) { return std::string(fault.param.name); });

TEST(PluginCheck, ExtraSymbolIsFound) {
  const PluginReport report = CheckPlugin(SOFTLBR_EXPORTING_DECODER, {});
  EXPECT_NE(TextOf(report).find("exports FAULT: exports decoder_helper beside softlbr_decoder_plugin"),
            std::string::npos);
}

TEST(PluginCheck, FilesThatAreNoPluginsAreRefused) {
  EXPECT_THROW(CheckPlugin("/dev/null", {}), StatedFailure);
  EXPECT_THROW(CheckPlugin("/nowhere.so", {}), StatedFailure);
  EXPECT_THROW(CheckPlugin(SOFTLBR_FAULTY_DECODER, {"/dev/null"}), StatedFailure);
  const PluginReport report = CheckPlugin("/proc/self/exe", {});  // a program
  EXPECT_FALSE(report.IsKept());
  EXPECT_EQ(report.findings.at(0).part, "table");
  EXPECT_NE(TextOf(report).find("exports FAULT: does not export softlbr_decoder_plugin"), std::string::npos)
      << TextOf(report);
}

TEST(PluginCheck, CommandSaysWhatItFound) {
  const softlbr::testing::CommandResult good =
      softlbr::testing::RunSoftlbr({"plugin-check", SOFTLBR_DECODER_OF_X86_64});
  EXPECT_EQ(good.exit_code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("no system call, no heap, no lock"), std::string::npos);
  const softlbr::testing::CommandResult bad =
      softlbr::testing::RunSoftlbr({"plugin-check", "--json", SOFTLBR_EXPORTING_DECODER});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.out.find("\"is_kept\": false"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
