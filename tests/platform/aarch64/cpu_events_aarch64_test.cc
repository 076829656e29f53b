// Big and little cores are distinguished by /proc/cpuinfo.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "platform/linux/sampling/cpu_events.h"

namespace softlbr::platform {
namespace {

bool AreDifferentIn(const std::string& text) {
  const std::string path = ::testing::TempDir() + "softlbr_cpuinfo";
  std::ofstream(path) << text;
  return AreCpusDifferent(path.c_str());
}

std::string Cpu(int number, const char* part) {
  return "processor\t: " + std::to_string(number) + "\nBogoMIPS\t: 38.40\nFeatures\t: " + std::string(400, 'f') +
         "\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0x" + part +
         "\nCPU revision\t: 0\n\n";
}

TEST(CpuEvents, DistinguishBigAndLittleCores) {
  EXPECT_FALSE(AreDifferentIn(Cpu(0, "d0c") + Cpu(1, "d0c") + Cpu(2, "d0c")));
  EXPECT_TRUE(AreDifferentIn(Cpu(0, "d05") + Cpu(1, "d05") + Cpu(2, "d0b")));
  EXPECT_TRUE(AreDifferentIn(Cpu(0, "000") + Cpu(1, "d0b")));
  EXPECT_FALSE(AreDifferentIn(Cpu(0, "d05")));
}

TEST(CpuEvents, UnreadableListMeansOneKindOfCore) {
  EXPECT_FALSE(AreDifferentIn(""));
  EXPECT_FALSE(AreCpusDifferent("/does/not/exist"));
}

}  // namespace
}  // namespace softlbr::platform
