// Tests `softlbr mix` on exact counts of loops whose instructions are known by construction (programs/vector_loops_x86_64.S).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace softlbr::reference {
namespace {

constexpr const char* kVectorLoops = SOFTLBR_REFERENCE_PROGRAMS "/vector_loops_x86_64";

class MixOfVectorLoops : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("command -v qemu-x86_64 >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "needs qemu-x86_64 with plugins (Debian: qemu-user)";
    profile_ = ::testing::TempDir() + "/mix." + std::to_string(getpid());
    const std::string command = std::string(SOFTLBR_EXACT_COUNTS) + " -q -o " + profile_ + " -- " + kVectorLoops;
    ASSERT_EQ(std::system(command.c_str()), 0);
  }
  void TearDown() override { (void)!std::remove(profile_.c_str()); }

  // What softlbr mix writes to standard output.
  std::string Csv(const std::string& by) const {
    const std::string command =
        std::string(SOFTLBR_COMMAND) + " mix " + profile_ + " -b " + kVectorLoops + " --csv --by " + by + " > " + profile_ + ".csv";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(profile_ + ".csv", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    (void)!std::remove((profile_ + ".csv").c_str());
    return text;
  }
  std::string profile_;
};

bool Has(const std::string& text, const std::string& row) { return text.find("\r\n" + row + ",") != std::string::npos; }

TEST_F(MixOfVectorLoops, ScalarAndPackedInstructionsHaveTheirExactCounts) {
  const std::string csv = Csv("packing");
  EXPECT_TRUE(Has(csv, "\"scalar\",2000")) << csv;
  EXPECT_TRUE(Has(csv, "\"packed 128\",1000")) << csv;
  EXPECT_TRUE(Has(csv, "\"packed 256\",250")) << csv;
  EXPECT_EQ(csv.find("packed 512"), std::string::npos) << csv;
}

TEST_F(MixOfVectorLoops, PivotsOnTwoDimensionsInEitherOrder) {
  const std::string csv = Csv("extension,packing");
  EXPECT_TRUE(Has(csv, "\"sse2\",\"scalar\",2000")) << csv;
  EXPECT_TRUE(Has(csv, "\"sse2\",\"packed 128\",1000")) << csv;
  EXPECT_TRUE(Has(csv, "\"avx\",\"packed 256\",250")) << csv;
  const std::string turned = Csv("packing,mnemonic");
  for (const char* row : {"\"scalar\",\"addsd\",1000", "\"scalar\",\"mulsd\",1000", "\"packed 128\",\"addpd\",500",
                          "\"packed 128\",\"mulpd\",500", "\"packed 256\",\"vaddpd\",250", "\"none\",\"dec\",1750"}) {
    EXPECT_TRUE(Has(turned, row)) << turned;
  }
  EXPECT_TRUE(Has(Csv("branch,packing"), "\"conditional\",\"none\",1750")) << Csv("branch,packing");
}

}  // namespace
}  // namespace softlbr::reference
