// A library that is rebuilt in its place and loaded again during a session of an app that links the library: dlclose is
// not reported there.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

class SessionReload : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override {
    SessionTest::TearDown();
    for (const char* name : {"/work.c", "/first.so", "/second.so", "/work.so"}) unlink((folder_ + name).c_str());
    rmdir(folder_.c_str());
  }
  // A library whose build id is `byte` twenty times.
  bool Build(const std::string& name, const std::string& byte) const {
    std::string id;
    for (int i = 0; i < 20; ++i) id += byte;
    const std::string command =
        "cc -O1 -shared -fPIC -Wl,--build-id=0x" + id + " -o " + folder_ + name + " " + folder_ + "/work.c";
    return system(command.c_str()) == 0;
  }
  // Writes the bytes of the library into the file that is loaded, which stays the same file.
  void Rewrite(const std::string& name) const {
    const std::string bytes = ReadFile((folder_ + name).c_str());
    const int file = open((folder_ + "/work.so").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0700);
    ASSERT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(file);
  }
  // Loads the library, works in it and unloads it. Returns where it was.
  void* WorkInLibrary(std::chrono::milliseconds time) const {
    void* library = dlopen((folder_ + "/work.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
    auto* work = reinterpret_cast<unsigned (*)(unsigned)>(dlsym(library, "work"));
    Dl_info info{};
    EXPECT_NE(dladdr(reinterpret_cast<const void*>(work), &info), 0);
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) (void)work(20000);
    if (is_last_) return info.dli_fbase;
    dlclose(library);
    return info.dli_fbase;
  }

  std::string folder_ = "/tmp/softlbr_reload.XXXXXX";
  bool is_last_ = false;
};

uint64_t BranchesIn(const Profile& profile, uint8_t byte) {
  uint64_t count = 0;
  for (const auto& branch : profile.branches) {
    if (branch.from.module == toolchain::kNoModule) continue;
    const auto& id = profile.modules[branch.from.module].build_id;
    if (id.size() == 20 && std::all_of(id.begin(), id.end(), [byte](uint8_t b) { return b == byte; }))
      count += branch.count;
  }
  return count;
}

TEST_F(SessionReload, ALibraryRebuiltInItsPlaceIsAnotherModule) {
  if (system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "missing: cc";
  FILE* source = fopen((folder_ + "/work.c").c_str(), "w");
  fputs(
      "unsigned work(unsigned n) { volatile unsigned x = n; unsigned odd = 0; while (x--) if (x & 5) ++odd; return "
      "odd; }\n",
      source);
  fclose(source);
  ASSERT_TRUE(Build("/first.so", "11") && Build("/second.so", "22"));
  Rewrite("/first.so");
  START_OR_SKIP();
  constexpr std::chrono::milliseconds kReadings{1500};  // the modules are read several times in it
  const void* first = WorkInLibrary(kReadings);
  Rewrite("/second.so");
  is_last_ = true;
  const void* second = WorkInLibrary(kReadings);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  if (first != second) GTEST_SKIP() << "missing: a loader that takes the same place again";
  const Profile profile = Read();
  EXPECT_GT(BranchesIn(profile, 0x11), 1000u);
  EXPECT_GT(BranchesIn(profile, 0x22), 1000u) << "counted for the library that was there before";
}

}  // namespace
}  // namespace softlbr
