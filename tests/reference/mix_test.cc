// Tests `softlbr mix` on exact counts of loops whose instructions are known by construction
// (programs/vector_loops_x86_64.S).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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
    const std::string command = std::string(SOFTLBR_COMMAND) + " mix " + profile_ + " -b " + kVectorLoops +
                                " --csv --by " + by + " > " + profile_ + ".csv";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(profile_ + ".csv", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    (void)!std::remove((profile_ + ".csv").c_str());
    return text;
  }
  std::string profile_;
};

// What softlbr mix prints for people.
std::string TextOf(const std::string& profile, const std::string& by, const std::string& binary) {
  const std::string command =
      std::string(SOFTLBR_COMMAND) + " mix " + profile + " -b " + binary + " --by " + by + " > " + profile + ".txt";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(profile + ".txt");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  (void)!std::remove((profile + ".txt").c_str());
  return text;
}

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

TEST_F(MixOfVectorLoops, APivotIsFollowedByItsTotals) {
  const std::string text = TextOf(profile_, "extension,packing", kVectorLoops);
  const size_t pivot = text.find("extension  packing"), first = text.find("extension\n", pivot),
               second = text.find("packing\n", first);
  ASSERT_NE(pivot, std::string::npos) << text;
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_NE(text.find("3,000  sse2\n", first), std::string::npos) << text;
  EXPECT_NE(text.find("2,000  scalar\n", second), std::string::npos) << text;
}

// Lines of a CSV, without the titles: its fields, without quotes.
std::vector<std::vector<std::string>> FieldsOf(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    rows.emplace_back();
    bool is_quoted = false;
    std::string field;
    for (const char letter : line + ",") {
      if (letter == '"') {
        is_quoted = !is_quoted;
      } else if (letter == ',' && !is_quoted) {
        rows.back().push_back(field);
        field.clear();
      } else if (letter != '\r') {
        field += letter;
      }
    }
  }
  return rows;
}

// Each line of the assembly is an instruction: how often it is executed stands in the source, before the loop.
TEST_F(MixOfVectorLoops, LinesAreThoseOfTheSource) {
  std::ifstream source(SOFTLBR_REFERENCE_SOURCES "/vector_loops_x86_64.S");
  std::map<uint64_t, std::pair<std::string, uint64_t>> expected;  // mnemonic and executions by line
  uint64_t number = 0, rounds = 1, next_rounds = 0;
  for (std::string line; std::getline(source, line) && line != "last:";) {
    ++number;
    const size_t colon = line.find(':');
    if (colon == 1) rounds = next_rounds;  // a loop begins
    std::istringstream words(line.substr(colon + 1));
    std::string mnemonic, operand;
    words >> mnemonic >> operand;
    if (mnemonic.empty() || mnemonic[0] == '.' || mnemonic[0] == '#') continue;
    if (mnemonic == "mov") next_rounds = std::stoull(operand.substr(1));
    expected[number] = {mnemonic == "jnz" ? "jne" : mnemonic, rounds};
    if (mnemonic == "jnz") rounds = 1;
  }
  expected.erase(expected.begin());  // the jump before the first target
  std::map<uint64_t, std::pair<std::string, uint64_t>> measured;
  for (const auto& row : FieldsOf(Csv("line,mnemonic"))) {
    ASSERT_EQ(row.size(), 4u);
    const size_t colon = row[0].rfind(':');
    EXPECT_TRUE(row[0].substr(0, colon).ends_with("/vector_loops_x86_64.S")) << row[0];
    measured[std::stoull(row[0].substr(colon + 1))] = {row[1], std::stoull(row[2])};
  }
  EXPECT_EQ(measured, expected);
}

TEST_F(MixOfVectorLoops, GroupsOfAUserAddUpTheirMnemonics) {
  std::ofstream(profile_ + ".groups") << "# arithmetic\npacked: ADDPD, mulpd , vaddp*\nscalar: *sd\n";
  const std::string options = "group --groups " + profile_ + ".groups";
  const std::string command = std::string(SOFTLBR_COMMAND) + " mix " + profile_ + " -b " + kVectorLoops +
                              " --csv --by " + options + " 2> " + profile_ + ".csv";
  EXPECT_NE(std::system(command.c_str()), 0) << "a * at the beginning";
  std::ofstream(profile_ + ".groups") << "packed: ADDPD, mulpd , vaddp*\n\nscalar: adds*\nscalar: mulsd # the rest\n";
  const std::string csv = Csv(options);
  EXPECT_TRUE(Has(csv, "\"packed\",1250")) << csv;
  EXPECT_TRUE(Has(csv, "\"scalar\",2000")) << csv;
  const std::string both = Csv("mnemonic," + options);
  EXPECT_TRUE(Has(both, "\"vaddpd\",\"packed\",250")) << both;
  EXPECT_TRUE(Has(both, "\"dec\",\"(other)\",1750")) << both;
  (void)!std::remove((profile_ + ".groups").c_str());
}

// Whatever is counted by, it is the same executed instructions.
TEST_F(MixOfVectorLoops, EveryPivotHasTheSameTotal) {
  const std::vector<std::string> dimensions = {"mnemonic", "extension", "packing", "memory", "operands",
                                               "branch",   "function",  "module",  "block",  "line"};
  std::string all;
  uint64_t total = 0;
  for (const std::string& dimension : dimensions) {
    all += (all.empty() ? "" : ",") + dimension;
    for (const std::string& by : {dimension, all}) {
      uint64_t sum = 0;
      double shares = 0;
      for (const auto& row : FieldsOf(Csv(by))) {
        sum += std::stoull(row[row.size() - 2]);
        shares += std::stod(row.back());
      }
      if (total == 0) total = sum;
      EXPECT_EQ(sum, total) << by;
      EXPECT_NEAR(shares, 1, 1e-4) << by;
    }
  }
  EXPECT_GT(total, 6000u);
}

// The emulator has no AVX-512, so this one is recorded.
TEST(MixOfRecordings, CountsInstructionsOf512Bits) {
  if (__builtin_cpu_supports("avx512f") == 0) GTEST_SKIP() << "needs a CPU with AVX-512";
  const std::string profile = ::testing::TempDir() + "/wide." + std::to_string(getpid());
  std::string csv;
  // More rounds until the clock has sampled the loop.
  for (unsigned long rounds = 100'000'000; rounds <= 1'000'000'000 && csv.find("packed 512") == std::string::npos;
       rounds *= 10) {
    const std::string command = std::string(SOFTLBR_COMMAND) +
                                " record -q --no-children -c 200000 --max-overhead 100% -o " + profile + " -- " +
                                SOFTLBR_WIDE_LOOP + " " + std::to_string(rounds);
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "needs a sampler: `softlbr record` fails here";
    const std::string mix = std::string(SOFTLBR_COMMAND) + " mix " + profile + " -b " + SOFTLBR_WIDE_LOOP +
                            " --csv --by packing,mnemonic > " + profile + ".csv";
    if (std::system(mix.c_str()) != 0) continue;
    std::ifstream file(profile + ".csv", std::ios::binary);
    csv.assign(std::istreambuf_iterator<char>(file), {});
  }
  (void)!std::remove(profile.c_str());
  (void)!std::remove((profile + ".csv").c_str());
  const auto count = [&csv](const std::string& row) {
    const size_t at = csv.find(row);
    return at == std::string::npos ? 0 : std::atof(csv.c_str() + at + row.size());
  };
  const double additions = count("\"packed 512\",\"vaddpd\","), rounds = count("\"none\",\"dec\",");
  ASSERT_GT(rounds, 1000) << csv;
  EXPECT_NEAR(additions / rounds, 3, 0.01) << csv;
}

}  // namespace
}  // namespace softlbr::reference
