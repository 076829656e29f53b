// Code of a module is patched in place while a session runs, as XRay, hot patches and tracers do it.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <thread>

#include "platform/base/limits.h"
#include "tests/runtime/session/session_fixture.h"

// A function on a page of its own, with a jump to one of two targets that a single byte selects. Each target has its
// own return instruction, so the return that a trace records tells which one was taken.
asm(R"(
  .pushsection .text.softlbr_patched, "ax", @progbits
  .p2align 12
  .globl softlbr_patched_function, softlbr_patched_jump, softlbr_patched_old, softlbr_patched_new
  .globl softlbr_patched_old_return, softlbr_patched_new_return
softlbr_patched_function:
  nop
softlbr_patched_jump:
  .byte 0xeb, softlbr_patched_old - softlbr_patched_jump - 2
softlbr_patched_old:
  add $1, %rax
softlbr_patched_old_return:
  ret
softlbr_patched_new:
  add $2, %rax
softlbr_patched_new_return:
  ret
  .p2align 12
  # Calls it until *%rdi is not 0. Five copies: the return address tells which caller ran.
  .macro softlbr_patch_caller number
  .globl softlbr_patch_caller_\number, softlbr_patch_back_\number
softlbr_patch_caller_\number:
  call softlbr_patched_function
softlbr_patch_back_\number:
  cmpb $0, (%rdi)
  je softlbr_patch_caller_\number
  ret
  .endm
  softlbr_patch_caller 1
  softlbr_patch_caller 2
  softlbr_patch_caller 3
  softlbr_patch_caller 4
  softlbr_patch_caller 5
  .popsection
)");
extern "C" uint8_t softlbr_patched_function[], softlbr_patched_jump[], softlbr_patched_old[], softlbr_patched_new[];
extern "C" uint8_t softlbr_patched_old_return[], softlbr_patched_new_return[];
extern "C" uint8_t softlbr_patch_back_1[], softlbr_patch_back_3[], softlbr_patch_back_5[];
extern "C" void softlbr_patch_caller_1(const std::atomic<bool>*), softlbr_patch_caller_2(const std::atomic<bool>*),
    softlbr_patch_caller_3(const std::atomic<bool>*), softlbr_patch_caller_4(const std::atomic<bool>*),
    softlbr_patch_caller_5(const std::atomic<bool>*);

namespace softlbr {
namespace {

using std::chrono::milliseconds;

constexpr size_t kPage = 4096;

// Link-time address of something in this program.
uint64_t Linked(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  EXPECT_NE(dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP), 0);
  return reinterpret_cast<uint64_t>(address) - map->l_addr;
}

bool Patch(const uint8_t* target) {
  if (mprotect(softlbr_patched_function, kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  __atomic_store_n(softlbr_patched_jump + 1, static_cast<uint8_t>(target - (softlbr_patched_jump + 2)),
                   __ATOMIC_RELEASE);
  return mprotect(softlbr_patched_function, kPage, PROT_READ | PROT_EXEC) == 0;
}

class SessionPatch : public SessionTest {
 protected:
  static void Run(void (*call)(const std::atomic<bool>*), milliseconds time) {
    std::atomic<bool> is_over{false};
    static_assert(sizeof is_over == 1);
    std::thread thread(call, &is_over);
    std::this_thread::sleep_for(time);
    is_over = true;
    thread.join();
  }
  static uint64_t Returns(const Profile& profile, const uint8_t* from, const uint8_t* to) {
    uint64_t count = 0;
    for (const auto& branch : profile.branches) {
      if (branch.from.address == Linked(from) && branch.to.address == Linked(to)) count += branch.count;
    }
    return count;
  }
};

TEST_F(SessionPatch, PatchedCodeIsLiftedAgain) {
  START_OR_SKIP();
  Run(softlbr_patch_caller_1, milliseconds(300));  // the old code is in the block cache now
  if (!Patch(softlbr_patched_new)) GTEST_SKIP() << "missing: mprotect(PROT_WRITE) of a module's text";
  // A few hundred blocks are cached here, and 64 are compared every 128 ms.
  Run(softlbr_patch_caller_2, milliseconds(1500));
  Run(softlbr_patch_caller_3, milliseconds(300));
  ASSERT_TRUE(Patch(softlbr_patched_old)) << "now on a page that is already a private copy";
  Run(softlbr_patch_caller_4, milliseconds(1500));
  Run(softlbr_patch_caller_5, milliseconds(300));
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_GT(Returns(profile, softlbr_patched_old_return, softlbr_patch_back_1), 1000u);
  EXPECT_EQ(Returns(profile, softlbr_patched_new_return, softlbr_patch_back_1), 0u);
  EXPECT_EQ(Returns(profile, softlbr_patched_old_return, softlbr_patch_back_3), 0u) << "stale code was followed";
  EXPECT_GT(Returns(profile, softlbr_patched_new_return, softlbr_patch_back_3), 1000u);
  EXPECT_EQ(Returns(profile, softlbr_patched_new_return, softlbr_patch_back_5), 0u) << "stale code was followed";
  EXPECT_GT(Returns(profile, softlbr_patched_old_return, softlbr_patch_back_5), 1000u);
}

}  // namespace
}  // namespace softlbr
