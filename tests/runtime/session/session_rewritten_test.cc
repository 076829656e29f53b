// Memory that look-ahead does not see as the program does: mapped at two addresses, or code that the trace itself has
// written. No branch may be recorded that only the memory of before would lead to.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

__attribute__((noinline)) void NeverCalled() { asm volatile(""); }

// How often a profile says that it was called.
uint64_t CallsOfNeverCalled(const Profile& profile) {
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<const void*>(&NeverCalled), &info), 0);
  const uint64_t address = reinterpret_cast<uint64_t>(&NeverCalled);
  uint64_t count = 0;
  for (const auto& branch : profile.branches) {
    if (branch.to.module == toolchain::kNoModule) continue;
    const auto& module = profile.modules[branch.to.module];
    const uint64_t bias = module.is_main && module.elf_type == ET_DYN ? reinterpret_cast<uint64_t>(info.dli_fbase) : 0;
    if (module.is_main && branch.to.address == address - bias) count += branch.count;
  }
  return count;
}

class SessionRewritten : public SessionTest {
 protected:
  // Does work until kSamples samples have come, and ends the session.
  template <typename WorkPart>
  Profile Record(WorkPart work) {
    const uint64_t begin = Counters().samples;
    while (Counters().samples - begin < kSamples) work();
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
    return Read();
  }
  static constexpr uint64_t kSamples = 1000;
};

// The measure itself.
TEST_F(SessionRewritten, CallsAreCounted) {
  START_OR_SKIP();
  const Profile profile = Record([] {
    for (int i = 0; i < 20000; ++i) NeverCalled();
  });
  EXPECT_GT(CallsOfNeverCalled(profile), 0u);
}

struct TwoViews {
  TwoViews(int file, int second_flags)
      : first(static_cast<volatile uint32_t*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0))),
        second(static_cast<volatile uint32_t*>(mmap(nullptr, kBytes, PROT_READ, second_flags, file, 0))) {}
  ~TwoViews() {
    munmap(const_cast<uint32_t*>(first), kBytes);
    munmap(const_cast<uint32_t*>(second), kBytes);
  }
  static constexpr size_t kBytes = 65536;
  volatile uint32_t* const first;
  volatile uint32_t* const second;
};

// With a shared and with a private second mapping.
class SessionTwoViews : public SessionRewritten, public ::testing::WithParamInterface<int> {};

TEST_P(SessionTwoViews, StoreIsSeenThroughTheOtherMapping) {
  const int file = memfd_create("ring", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, TwoViews::kBytes), 0);
  const TwoViews views(file, GetParam());
  ASSERT_NE(static_cast<volatile void*>(views.second), MAP_FAILED);
  START_OR_SKIP();
  uint32_t number = 0;
  const Profile profile = Record([&] {
    for (int i = 0; i < 20000; ++i) {
      const uint32_t at = ++number % 1000;
      views.first[at] = number;
      if (views.second[at] != number) NeverCalled();
    }
  });
  EXPECT_EQ(CallsOfNeverCalled(profile), 0u);
  EXPECT_GT(SumOfBranches(profile), 0u);
  close(file);
}

INSTANTIATE_TEST_SUITE_P(Second, SessionTwoViews, ::testing::Values(MAP_SHARED, MAP_PRIVATE), [](const auto& flags) {
  return std::string(flags.param == MAP_SHARED ? "Shared" : "Private");
});

#if defined(__x86_64__) || defined(__aarch64__)
// Machine code that returns a number, which may be changed at any time.
class Number {
 public:
  Number() { Write(0); }
  ~Number() { munmap(memory_, kBytes); }
  bool IsThere() const { return memory_ != MAP_FAILED; }
  void Write(uint32_t value) {
    if (!IsThere()) return;
    auto* code = static_cast<volatile uint32_t*>(memory_);
#if defined(__x86_64__)
    code[0] = 0xb8909090;  // three nops, and mov $value, %eax
    code[1] = value;
    code[2] = 0xc3;  // ret
#else
    code[0] = 0x52800000 | (value & 0xffff) << 5;  // mov w0, #value
    code[1] = 0xd65f03c0;                          // ret
    __builtin___clear_cache(static_cast<char*>(memory_), static_cast<char*>(memory_) + 8);
#endif
  }
  uint32_t Call() const {
    uint32_t (*function)() = nullptr;
    std::memcpy(&function, &memory_, sizeof function);
    return function();
  }

 private:
  static constexpr size_t kBytes = 65536;
  void* const memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

TEST_F(SessionRewritten, CodeIsFollowedAsItWasJustWritten) {
  Number code;
  if (!code.IsThere()) GTEST_SKIP() << "needs memory that is writable and executable";
  START_OR_SKIP();
  uint32_t number = 0;
  const Profile profile = Record([&] {
    for (int i = 0; i < 2000; ++i) {
      ++number;
      code.Write(number & 0xffff);
      if (code.Call() != (number & 0xffff)) NeverCalled();
    }
  });
  EXPECT_EQ(CallsOfNeverCalled(profile), 0u);
  EXPECT_GT(SumOfBranches(profile), 0u);
}
#endif

}  // namespace
}  // namespace softlbr
