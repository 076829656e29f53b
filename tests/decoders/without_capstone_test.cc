// The static archive, which does not ask Capstone, lifts what occurs in programs into the same blocks as the shared
// object, which does. Only prefixes that no manual defines end its blocks.
#include <dlfcn.h>

#include <cstring>
#include <initializer_list>
#include <string>

#include "tests/decoders/elf_text.h"
#include "tests/decoders/forms/forms.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

constexpr size_t kArchiveWindowBytes = 256;

class WithoutCapstone : public test::PluginTest {
 protected:
  void SetUp() override {
    void* library = dlopen(SOFTLBR_PLUGIN_PATH, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto entry = reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL));
    ASSERT_NE(entry, nullptr);
    shared_ = entry();
    alignas(64) static uint8_t arena[65536];
    ASSERT_EQ(shared_->open(arena, shared_->arena_bytes, SOFTLBR_X86_64_TODAYS_INTEL, &shared_decoder_),
              SOFTLBR_DECODER_OK);
  }
  const softlbr_block& LiftShared(std::span<const uint8_t> code) {
    EXPECT_EQ(shared_->lift(shared_decoder_, code.data(), code.size(), test::kPc, &shared_block_), SOFTLBR_DECODER_OK);
    return shared_block_;
  }
  bool LiftsAlike(std::span<const uint8_t> code) {
    const softlbr_block& ours = Lift(code);
    const softlbr_block& theirs = LiftShared(code);
    return ours.byte_length == theirs.byte_length && ours.uop_count == theirs.uop_count &&
           ours.end.kind == theirs.end.kind && ours.end.disp == theirs.end.disp &&
           std::memcmp(ours.uops, theirs.uops, ours.uop_count * sizeof(softlbr_uop)) == 0;
  }

  const softlbr_decoder_plugin* shared_ = nullptr;
  softlbr_decoder* shared_decoder_ = nullptr;
  softlbr_block shared_block_ = {};
};

TEST_F(WithoutCapstone, NeedsAlmostNoMemory) {
  EXPECT_LE(plugin_.arena_bytes, 64u);
  EXPECT_LE(plugin_.stack_bytes, 1024u);
  EXPECT_GT(shared_->stack_bytes, plugin_.stack_bytes) << "the shared object was built without Capstone";
}

TEST_F(WithoutCapstone, ListedFormsGiveTheSameBlocks) {
  size_t compared = 0;
  for (const test::Form& form : test::AllForms()) {
    EXPECT_TRUE(LiftsAlike(std::span<const uint8_t>(form.code, form.length))) << test::Describe(form);
    ++compared;
  }
  EXPECT_GT(compared, 1000u);
}

TEST_F(WithoutCapstone, ProgramsGiveTheSameBlocks) {
  size_t files = 0;
  size_t blocks = 0;
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6", "/usr/bin/perl",
                           "/usr/bin/sqlite3", "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"}) {
    const test::CodeSection text = test::ReadText(path);
    if (text.bytes.empty()) continue;
    ++files;
    size_t differ = 0;
    for (size_t at = 0; at < text.bytes.size(); ++blocks) {
      const std::span<const uint8_t> window(text.bytes.data() + at,
                                            std::min(kArchiveWindowBytes, text.bytes.size() - at));
      if (!LiftsAlike(window)) ++differ;
      at += shared_block_.byte_length + (shared_block_.end.kind == SOFTLBR_END_UNDECODABLE ? 1 : 0);
    }
    EXPECT_EQ(differ, 0u) << path;
  }
  if (files == 0) GTEST_SKIP() << "missing: programs to lift";
  printf("%zu blocks of %zu files\n", blocks, files);
}

TEST_F(WithoutCapstone, StoresOfSse4aAreKnown) {
  for (const uint8_t prefix : {0xf3, 0xf2}) {
    const softlbr_block& block = Lift({prefix, 0x0f, 0x2b, 0x07, 0xc3});  // movntss, movntsd %xmm0,(%rdi)
    EXPECT_EQ(block.end.kind, SOFTLBR_END_RETURN);
    const softlbr_uop* store = test::FindOp(block, SOFTLBR_OP_STORE_UNKNOWN);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(store->width, prefix == 0xf3 ? 4 : 8);
  }
  EXPECT_EQ(Lift({0xf3, 0x0f, 0x2b, 0xc7}).end.kind, SOFTLBR_END_UNDECODABLE);  // no memory operand
}

TEST_F(WithoutCapstone, PrefixesThatNoManualDefinesEndTheBlock) {
  const uint8_t code[] = {0x90, 0xf3, 0x0f, 0x29, 0xc8, 0xc3};  // nop; movaps with f3; ret
  const softlbr_block& ours = Lift(code);
  EXPECT_EQ(ours.end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(ours.byte_length, 1u);
  EXPECT_EQ(LiftShared(code).end.kind, SOFTLBR_END_RETURN);
}

}  // namespace
}  // namespace softlbr
