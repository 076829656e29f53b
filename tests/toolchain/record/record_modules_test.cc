// `softlbr record` and `softlbr report`: code is found in its module wherever the program is and wherever it has put
// the code.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunCommand;

// A step of a CRC, which no compiler takes away.
constexpr char kWork[] =
    "__attribute__((noinline)) unsigned work(unsigned x) { for (int i = 0; i < 7; i++) { if (x & 1) x = (x >> 1) ^ "
    "0xedb88320u; "
    "else x >>= 1; }"
    " return x; }\n";

class RecordModules : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
    std::filesystem::create_directory(folder_ / "bin");
  }
  void Compile(const std::string& source, const std::string& output,
               const std::vector<std::string>& options = {}) const {
    testing::WriteFile(folder_ / "source.c", source);
    std::vector<std::string> command = {"gcc", "-O2", "-g", "-o", folder_ / output, folder_ / "source.c"};
    command.insert(command.end(), options.begin(), options.end());
    const CommandResult built = RunCommand(command);
    ASSERT_EQ(built.exit_code, 0) << built.err;
  }
  // Records bin/app and reports on it, both in the test's folder.
  json Report(const std::string& options = "") const {
    const CommandResult result = RunCommand({"sh", "-c",
                                             "cd \"$1\" && \"$2\" record -q -F 2000 $3 -- bin/app >/dev/null && \"$2\" "
                                             "report --json --top 100 softlbr.slbr",
                                             "sh", folder_.path(), testing::SoftlbrPath(), options});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? json::parse(result.out) : json();
  }
  static double ShareOf(const json& report, const std::string& function) {
    for (const json& each : report["functions"]) {
      if (each["name"] == function) return each["share"].get<double>();
    }
    return 0;
  }
  static json ModuleOf(const json& report, const std::string& base) {
    for (const json& each : report["modules"]) {
      if (each["name"].get<std::string>().ends_with(base)) return each;
    }
    return json();
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(RecordModules, FilesAreFoundByTheirPaths) {
  std::filesystem::create_directory(folder_ / "libraries");
  Compile(kWork, "libraries/libwork.so", {"-shared", "-fPIC", "-Wl,--build-id"});
  Compile(
      "unsigned work(unsigned); int main(void) { unsigned s = 0; for (int i = 1; i < 5000000; i++) s += work(i); "
      "return s == 1; }",
      "bin/app", {folder_ / "libraries/libwork.so", "-Wl,-rpath," + (folder_ / "libraries"), "-Wl,--build-id"});
  json report = Report();
  EXPECT_EQ(ModuleOf(report, "/app")["file"], folder_ / "bin/app");
  EXPECT_EQ(ModuleOf(report, "/libwork.so")["file"], folder_ / "libraries/libwork.so");
  EXPECT_GT(ShareOf(report, "work"), 0.5);
  report = Report("--no-paths");
  EXPECT_TRUE(ModuleOf(report, "app")["file"].is_null());
  for (const json& module : report["modules"])
    EXPECT_EQ(module["name"].get<std::string>().find('/'), std::string::npos) << module["name"];
}

// The program calls functions that the preload library has in place of libc's.
TEST_F(RecordModules, OurOwnCodeIsNotInTheProfile) {
  Compile(
      "#include <signal.h>\nint main(void) { sigset_t set; int n = 0; for (int i = 1; i < 1500000; i++) n += "
      "sigpending(&set); "
      "return n != 0; }",
      "bin/app", {"-Wl,--build-id"});
  for (const std::string options : {"", "--traces"}) {
    const json report = Report(options);
    ASSERT_FALSE(report.is_null());
    EXPECT_GT(report["taken_branches"], 100);
    EXPECT_TRUE(ModuleOf(report, "libsoftlbr_preload.so").is_null() ||
                ModuleOf(report, "libsoftlbr_preload.so")["taken_branches"] == 0);
    for (const json& function : report["functions"]) {
      EXPECT_EQ(function["module"].dump().find("softlbr_"), std::string::npos) << function;
    }
    for (const json& branch : report["branches"]) {
      for (const char* end : {"from", "to"}) {
        EXPECT_EQ(branch[end].dump().find("softlbr_"), std::string::npos) << branch;
      }
    }
  }
}

// As node has its built-in functions.
TEST_F(RecordModules, CodeInASecondMappingBelongsToTheFile) {
  Compile(R"(
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
__attribute__((noinline, aligned(4096), section(".text.hot"))) long hot(long n) {
  long s = 0;
  for (long i = 0; i < n; ++i) { if (i % 3) s += i; asm volatile("" : "+r"(s)); }
  return s;
}
int main(void) {
  extern const char __executable_start[];
  unsigned long v = (unsigned long)hot - (unsigned long)__executable_start;
  char *m = mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), v & ~4095ul);
  if (m == MAP_FAILED || memcmp(m, (void *)hot, 64)) return 1;
  return ((long (*)(long))m)(1500000000) == 1;
}
)",
          "bin/app", {"-Wl,--build-id"});
  const json report = Report();
  EXPECT_GT(ShareOf(report, "hot"), 0.9);
  EXPECT_GT(ModuleOf(report, "/app")["share"], 0.9);
}

// As ClickHouse and iodlr put text on huge pages. If the program changes the bytes, the code is not the file's.
TEST_F(RecordModules, CodeThatWasCopiedToItsOwnPlaceBelongsToTheFile) {
  const auto source = [](const std::string& change) {
    return "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <sys/mman.h>\n" +
           std::string(kWork) + R"(
__attribute__((noinline)) int unused(void) { return 17; }
int main(void) {
  char line[512], p[8]; unsigned long s, e, a = 0, b = 0; FILE *f = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "%lx-%lx %7s", &s, &e, p) == 3 && s <= (unsigned long)work && (unsigned long)work < e) a = s, b = e;
  char *t = mmap(0, b - a, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(t, (void *)a, b - a);
  )" + change +
           R"(
  mprotect(t, b - a, PROT_READ | PROT_EXEC);
  mremap(t, b - a, b - a, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)a);
  unsigned r = 0;
  for (int i = 1; i < 8000000; i++) r += work(i);
  return r == 1;
}
)";
  };
  Compile(source(""), "bin/app", {"-Wl,--build-id"});
  const json report = Report();
  EXPECT_GT(ShareOf(report, "work"), 0.7);
  Compile(source("t[(unsigned long)unused - a] ^= 1;"), "bin/app", {"-Wl,--build-id"});
  const CommandResult changed =
      RunCommand({"sh", "-c", "cd \"$1\" && \"$2\" record -q -F 2000 -- bin/app; \"$2\" report --json softlbr.slbr",
                  "sh", folder_.path(), testing::SoftlbrPath()});
  EXPECT_EQ(changed.out.find("\"work\""), std::string::npos);
}

}  // namespace
}  // namespace softlbr::toolchain
