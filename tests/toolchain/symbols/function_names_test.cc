// Functions of real files, by name or by the unwind table, compared with readelf, nm and objdump.
#include <arpa/inet.h>
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/debug_files.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/symbols/function_family.h"
#include "toolchain/symbols/symbolizer.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::HasProgram;
using testing::RunCommand;

ElfImagePtr OpenFile(const std::string& path) {
  auto opened = ElfImage::Open(path);
  if (std::holds_alternative<std::string>(opened)) ADD_FAILURE() << std::get<std::string>(opened);
  return std::holds_alternative<ElfImagePtr>(opened) ? std::get<ElfImagePtr>(opened) : nullptr;
}

void RunTool(const std::vector<std::string>& command) {
  const CommandResult result = RunCommand(command);
  ASSERT_EQ(result.exit_code, 0) << command[0] << ": " << result.err;
}

std::string CLibrary() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t at = line.find('/');
    if (at != std::string::npos && line.find("libc.so.6") != std::string::npos) return line.substr(at);
  }
  return "";
}

// Begin and end of each function, as readelf prints the unwind table.
std::map<uint64_t, uint64_t> FramesByReadelf(const std::string& path) {
  std::map<uint64_t, uint64_t> frames;
  std::istringstream lines(RunCommand({"readelf", "--debug-dump=frames", path}).out);
  for (std::string line; std::getline(lines, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    const size_t at = line.find(" pc=");
    if (at != std::string::npos && std::sscanf(line.c_str() + at, " pc=%lx..%lx", &begin, &end) == 2)
      frames[begin] = end;
  }
  return frames;
}

TEST(FrameTable, HasTheFunctionsThatReadelfHas) {
  if (!HasProgram("readelf")) GTEST_SKIP() << "missing: readelf";
  for (const std::string& path : {CLibrary(), std::string("/usr/lib/x86_64-linux-gnu/liblzma.so.5")}) {
    if (access(path.c_str(), R_OK) != 0) continue;
    const std::map<uint64_t, uint64_t> wanted = FramesByReadelf(path);
    const ElfImagePtr image = OpenFile(path);
    ASSERT_NE(image, nullptr);
    const FrameTable frames(*image);
    EXPECT_GT(wanted.size(), 100u);
    EXPECT_EQ(frames.size(), wanted.size()) << path;
    size_t different = 0;
    std::optional<uint64_t> next = 0;
    for (const auto& [begin, end] : wanted) {
      next = frames.NextStart(*next);
      const auto first = frames.Find(begin);
      const auto last = frames.Find(end - 1);
      if (next != begin || !first.has_value() || first->start != begin || first->end != end || !last.has_value())
        ++different;
      if (!next.has_value()) break;
    }
    EXPECT_EQ(different, 0u) << path;
  }
}

// A program whose static functions have no symbols once it is stripped, an indirect function of its own, and labels
// without a size.
class FunctionNames : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"gcc", "objcopy", "nm", "objdump", "xz"}) {
      if (!HasProgram(tool)) GTEST_SKIP() << "missing: " << tool;
    }
    testing::WriteFile(folder_ / "a.c", R"(
#include <stdio.h>
__attribute__((noinline)) static int hidden_one(int x) { asm volatile("" : "+r"(x)); return x * 3; }
__attribute__((noinline)) static int hidden_two(int x) { asm volatile("" : "+r"(x)); return x + 7; }
static int fast(int x) { return x ^ 5; }
static int (*resolve_local(void))(int) { return fast; }
static int local_indirect(int) __attribute__((ifunc("resolve_local")));
int main(int argc, char **argv) {
  printf("%d\n", hidden_one(argc) + hidden_two(argc) + local_indirect(argc));
  return 0;
}
)");
    testing::WriteFile(
        folder_ / "b.s",
        ".text\n.globl no_size\n.type no_size,@function\nno_size: nop\nnop\nret\n"
        ".local other\n.type other,@function\nother: .cfi_startproc\nnop\nret\n.cfi_endproc\n.size other, .-other\n"
        ".section .note.GNU-stack,\"\",@progbits\n");
    RunTool({"gcc", "-O1", "-g", "-Wl,--build-id", "-rdynamic", "-o", program_, folder_ / "a.c", folder_ / "b.s"});
    std::istringstream lines(RunCommand({"nm", "--defined-only", program_}).out);
    std::string value;
    std::string type;
    for (std::string name; lines >> value >> type >> name;) symbols_[name] = std::strtoul(value.c_str(), nullptr, 16);
    ASSERT_NE(symbols_["hidden_one"], 0u);
  }

  // A profile with the program as its only module.
  Profile ProfileOf(const std::string& path) const {
    Profile profile;
    const ElfImagePtr image = OpenFile(path);
    if (image != nullptr)
      profile.modules = {{path, image->build_id(), image->machine(), image->type(), true, image->segments()}};
    return profile;
  }
  std::string NameAt(const std::string& path, uint64_t address) const {
    const Profile profile = ProfileOf(path);
    const ModuleFiles files({}, path);
    Symbolizer symbolizer(profile, files);
    return symbolizer.FunctionName({0, address}).value_or("(no symbols)");
  }
  std::string Stripped() const {
    RunTool({"objcopy", "--strip-all", program_, folder_ / "stripped"});
    return folder_ / "stripped";
  }

  const testing::TemporaryFolder folder_;
  const std::string program_ = folder_ / "program";
  std::map<std::string, uint64_t> symbols_;
};

TEST_F(FunctionNames, WithoutSymbolsFunctionsAreNamedByTheirAddress) {
  const std::string stripped = Stripped();
  for (const char* name : {"hidden_one", "hidden_two"}) {
    EXPECT_EQ(NameAt(program_, symbols_[name] + 1), name);
    EXPECT_EQ(NameAt(stripped, symbols_[name] + 1), "[stripped+" + Hex(symbols_[name]) + "]");
  }
  EXPECT_EQ(NameAt(stripped, symbols_["main"] + 1), "main") << "exported";
}

TEST_F(FunctionNames, SymbolsWithoutSizeEndWhereTheNextFunctionBegins) {
  const std::string stripped = Stripped();  // `other` has lost its symbol there
  EXPECT_EQ(NameAt(program_, symbols_["no_size"] + 1), "no_size");
  EXPECT_EQ(NameAt(program_, symbols_["other"]), "other");
  EXPECT_EQ(NameAt(stripped, symbols_["no_size"] + 1), "no_size");
  EXPECT_EQ(NameAt(stripped, symbols_["other"]), "[stripped+" + Hex(symbols_["other"]) + "]");
}

TEST_F(FunctionNames, SymbolsOfGnuDebugdataAreRead) {
  const std::string stripped = Stripped();
  RunTool({"objcopy", "--only-keep-debug", program_, folder_ / "debug"});
  RunTool({"objcopy", "-S", "--remove-section=.comment", "--keep-symbol=hidden_one", "--keep-symbol=hidden_two",
           folder_ / "debug", folder_ / "mini"});
  RunTool({"xz", "-q", folder_ / "mini"});
  RunTool({"objcopy", "--add-section=.gnu_debugdata=" + (folder_ / "mini.xz"), stripped});
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "hidden_one");
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_two"] + 1), "hidden_two");
  // Damaged: as without.
  testing::WriteFile(folder_ / "mini.xz",
                     "\xfd"
                     "7zXZ damaged");
  RunTool({"objcopy", "--update-section=.gnu_debugdata=" + (folder_ / "mini.xz"), stripped});
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "[stripped+" + Hex(symbols_["hidden_one"]) + "]");
}

TEST_F(FunctionNames, SymbolsOfTheDebugServersCacheAreRead) {
  const std::string stripped = Stripped();
  const ElfImagePtr image = OpenFile(stripped);
  std::string id;
  for (const uint8_t byte : image->build_id()) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    id += digits;
  }
  RunTool({"mkdir", "-p", folder_ / ("cache/" + id)});
  RunTool({"objcopy", "--only-keep-debug", program_, folder_ / ("cache/" + id + "/debuginfo")});
  setenv("DEBUGINFOD_CACHE_PATH", (folder_ / "cache").c_str(), 1);
  unsetenv("DEBUGINFOD_URLS");
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "hidden_one");
  // The file of another build is not taken.
  RunTool({"cp", testing::SoftlbrPath(), folder_ / ("cache/" + id + "/debuginfo")});
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "[stripped+" + Hex(symbols_["hidden_one"]) + "]");
  unsetenv("DEBUGINFOD_CACHE_PATH");
}

// A server of debug files on the loopback interface that answers each request with the same file, or never.
class DebugServer {
 public:
  explicit DebugServer(std::string content) : content_(std::move(content)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~DebugServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
    for (const int connection : unanswered_) close(connection);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  const std::string& requests() const { return requests_; }

 private:
  void Serve() {
    for (int connection; (connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
      char request[4096];
      const ssize_t bytes = read(connection, request, sizeof request);
      requests_.append(request, static_cast<size_t>(std::max<ssize_t>(bytes, 0)));
      if (content_.empty()) {
        unanswered_.push_back(connection);
        continue;
      }
      const std::string answer =
          "HTTP/1.0 200 OK\r\nContent-Length: " + std::to_string(content_.size()) + "\r\n\r\n" + content_;
      for (size_t at = 0; at < answer.size();) {
        const ssize_t sent = send(connection, answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) break;
        at += static_cast<size_t>(sent);
      }
      close(connection);
    }
  }

  std::string content_;
  std::string requests_;
  std::vector<int> unanswered_;
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

// What libdebuginfod reads of the environment.
class ServerVariables {
 public:
  ServerVariables(const std::string& url, const std::string& cache) {
    setenv("DEBUGINFOD_URLS", url.c_str(), 1);
    setenv("DEBUGINFOD_CACHE_PATH", cache.c_str(), 1);
    setenv("DEBUGINFOD_TIMEOUT", "1", 1);
    setenv("DEBUGINFOD_MAXTIME", "2", 1);
  }
  ~ServerVariables() {
    for (const char* name : {"DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_TIMEOUT", "DEBUGINFOD_MAXTIME"})
      unsetenv(name);
  }
};

TEST_F(FunctionNames, SymbolsOfADebugServerAreRead) {
  if (dlopen("libdebuginfod.so.1", RTLD_NOW) == nullptr) GTEST_SKIP() << "missing: libdebuginfod1";
  const std::string stripped = Stripped();
  RunTool({"objcopy", "--only-keep-debug", program_, folder_ / "debug"});
  {
    const DebugServer server(testing::ReadFile(folder_ / "debug"));
    const ServerVariables variables(server.url(), folder_ / "cache");
    EXPECT_EQ(NameAt(program_, symbols_["hidden_one"] + 1), "hidden_one");
    EXPECT_EQ(server.requests(), "") << "a file with symbols needs no other";
    EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "hidden_one");
    EXPECT_EQ(server.requests().substr(0, 13), "GET /buildid/");
  }
  // Without the server, from its client's cache.
  setenv("DEBUGINFOD_CACHE_PATH", (folder_ / "cache").c_str(), 1);
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "hidden_one");
  unsetenv("DEBUGINFOD_CACHE_PATH");
  EXPECT_NE(NameAt(stripped, symbols_["hidden_one"] + 1), "hidden_one");
}

TEST_F(FunctionNames, DebugServersThatDoNotAnswerAreLeft) {
  if (dlopen("libdebuginfod.so.1", RTLD_NOW) == nullptr) GTEST_SKIP() << "missing: libdebuginfod1";
  const std::string stripped = Stripped();
  const DebugServer server("");
  const ServerVariables variables(server.url(), folder_ / "cache");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(NameAt(stripped, symbols_["hidden_one"] + 1), "[stripped+" + Hex(symbols_["hidden_one"]) + "]");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_NE(server.requests(), "");
}

// objdump names the stub of a local indirect function by the resolver's address; with symbols it has a name.
TEST_F(FunctionNames, StubsOfLocalIndirectFunctionsHaveNames) {
  const std::string stripped = Stripped();
  const std::string text = RunCommand({"objdump", "-d", "--no-show-raw-insn", stripped}).out;
  const size_t at = text.find("<*ABS*+0x");
  ASSERT_NE(at, std::string::npos) << text.substr(0, 2000);
  const std::string name = text.substr(at + 1, text.find('>', at) - at - 1);
  const size_t line = text.rfind('\n', at);
  const uint64_t address = std::strtoul(text.c_str() + line + 1, nullptr, 16);
  EXPECT_EQ(NameAt(stripped, address), name);
  EXPECT_EQ(NameAt(program_, address), "local_indirect@plt");
}

// Names that /proc/PID/maps shows in another way, and names that are not there.
TEST_F(FunctionNames, FilesAreFoundByTheNamesThatProcShows) {
  for (const bool has_id : {true, false}) {
    for (const auto& [real, shown] :
         std::vector<std::pair<std::string, std::string>>{{"a\nb", "a\\012b"},
                                                          {"a\\012c", "a\\012c"},
                                                          {"d (deleted)", "d"},
                                                          {"e\n (deleted)", "e\\012"},
                                                          {"f g\t", "f g\t"},
                                                          {"h\ni/c\\012j", "h\\012i/c\\012j"}}) {
      const std::string path = folder_ / real;
      std::filesystem::create_directories(std::filesystem::path(path).parent_path());
      RunTool({"cp", program_, path});
      if (!has_id) RunTool({"objcopy", "--remove-section=.note.gnu.build-id", path});
      Profile profile = ProfileOf(path);
      profile.modules[0].name = folder_ / shown;
      const ElfImagePtr found = ModuleFiles({}, folder_ / "p.slbr").Find(profile.modules[0]);
      ASSERT_NE(found, nullptr) << shown;
      EXPECT_EQ(found->path(), path);
      unlink(path.c_str());
    }
  }
}

TEST(FunctionFamily, IsTheNameWithoutWhatCompilersAppend) {
  for (const char* name :
       {"f", "f.cold", "f.cold.3", "f.part.0", "f.isra.0", "f.constprop.12", "f.llvm.8765432109", "f.lto_priv.1",
        "f.isra.0.cold", "f.constprop.0.isra.0.part.2.cold", "f.__uniq.123.llvm.9"}) {
    EXPECT_EQ(FunctionFamily(name), "f") << name;
  }
  for (const char* name : {"f.other", "f.1", "_ZN1a1bEv", ".cold", "f.colder", "cold", "", "f."})
    EXPECT_EQ(FunctionFamily(name), name);
  EXPECT_EQ(FunctionFamily("_ZN1a1bEv.cold"), "_ZN1a1bEv");
}

}  // namespace
}  // namespace softlbr::toolchain
