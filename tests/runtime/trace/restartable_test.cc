// Critical sections of this CPU: found by tables, by learned pcs, by the thread's rseq area.
#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"
#include "platform/base/registers_x86_64.h"
#include "platform/cpu_context.h"
#include "platform/rseq.h"
#include "tests/runtime/trace/restartable_fixture.h"

extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_PLUGIN(void);

namespace softlbr {
namespace {

class Restartable : public RestartableFixture {
 protected:
  Restartable() : RestartableFixture(SOFTLBR_HOST_PLUGIN()) {}
};

TEST_F(Restartable, SectionIsFoundByTableAndByLearnedPc) {
  auto map = std::make_unique<CodeMap>();
  map->critical_section_count = 1;
  map->critical_sections[0] = AddressRange{Place(0), Place(8)};
  LearnedPcs learned{};
  AddressRange found{};
  EXPECT_TRUE(FindCriticalSection(*map, learned, scratch_.get(), Place(0), &found));
  EXPECT_EQ(found.end, Place(8));
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(8), &found)) << "the regular end is outside";
  // The signature makes the code after it an abort handler.
  std::memcpy(code_ + 100, &platform::kRseqSignature, 4);
  EXPECT_FALSE(LearnFromAbort(&learned, Place(50), Place(103)));
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(50), &found));
  EXPECT_TRUE(LearnFromAbort(&learned, Place(50), Place(104)));
  EXPECT_TRUE(FindCriticalSection(*map, learned, scratch_.get(), Place(50), &found));
  EXPECT_EQ(found.begin, found.end) << "its range is not known";
  for (uint64_t i = 0; i < kLearnedPcs; ++i) EXPECT_TRUE(LearnFromAbort(&learned, Place(200 + i), Place(104)));
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(50), &found)) << "the oldest is forgotten";
  EXPECT_TRUE(FindCriticalSection(*map, learned, scratch_.get(), Place(200), &found));
  EXPECT_FALSE(LearnFromAbort(&learned, 1, 4)) << "no memory there";
}

TEST_F(Restartable, SectionIsFoundByThreadPointer) {
  int64_t distance = 0;
  if (!platform::FindRseqPointer(&distance)) GTEST_SKIP() << "needs a C library that registers rseq";
  // A fake rseq area, to which the thread pointer of the shadow context leads.
  const uint64_t area = Place(1024);
  MachineContext& context = scratch_->evaluator.context;
  uint16_t thread_pointer = SOFTLBR_A64_TPIDR;
  if (plugin_->arch == kMachineX86_64) thread_pointer = SOFTLBR_X86_FS_BASE;
  context.regs[thread_pointer] = area - static_cast<uint64_t>(distance);
  context.known[thread_pointer] = kAllKnown;
  const platform::RseqDescriptor descriptor{0, 0, Place(16), 32, Place(104)};
  std::memcpy(code_ + 512, &descriptor, sizeof descriptor);
  const auto map = std::make_unique<CodeMap>();
  const LearnedPcs learned{};
  AddressRange found{};
  const auto point_to = [&](uint64_t address) {
    std::memcpy(code_ + 1024, &address, sizeof address);
    ClearPageCache(&scratch_->evaluator.memory.pages);
  };
  point_to(Place(512));
  EXPECT_TRUE(FindCriticalSection(*map, learned, scratch_.get(), Place(16), &found));
  EXPECT_EQ(found.begin, Place(16));
  EXPECT_EQ(found.end, Place(48));
  EXPECT_TRUE(FindCriticalSection(*map, learned, scratch_.get(), Place(47), &found));
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(48), &found));
  point_to(0);
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(16), &found));
  point_to(8);  // unreadable
  EXPECT_FALSE(FindCriticalSection(*map, learned, scratch_.get(), Place(16), &found));
}

}  // namespace
}  // namespace softlbr
