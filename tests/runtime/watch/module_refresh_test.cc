// What traces claim to know of the modules while libraries are unloaded and the modules are read again.
#include "runtime/watch/module_refresh.h"

#include <gtest/gtest.h>

namespace softlbr {
namespace {

TEST(ModuleGeneration, IsRestoredByAReadingAfterAnUnload) {
  std::atomic<uint32_t> generation{5};
  NoteUnload(&generation);
  EXPECT_EQ(generation.load(), kFirstReading);
  const uint32_t begun = BeginReading(&generation);
  EndReading(&generation, begun, 5);
  EXPECT_EQ(generation.load(), 5u);
}

TEST(ModuleGeneration, FollowsTheTable) {
  std::atomic<uint32_t> generation{0};
  for (const uint32_t next : {1u, 1u, 2u, 2u, 3u}) {
    const uint32_t begun = BeginReading(&generation);
    EndReading(&generation, begun, next);
    EXPECT_EQ(generation.load(), next);
  }
}

// A library that is loaded after the reading began, and gone before the reading gets to its place, must not be taken
// for the one that was known there.
TEST(ModuleGeneration, TracesDuringAReadingAfterAnUnloadKnowTheFirstModulesOnly) {
  for (const uint32_t known : {1u, 5u}) {
    std::atomic<uint32_t> generation{known};
    NoteUnload(&generation);
    const uint32_t begun = BeginReading(&generation);
    EXPECT_LE(generation.load(), kFirstReading) << "until the reading has ended";
    EndReading(&generation, begun, known);
    EXPECT_EQ(generation.load(), known);
  }
}

TEST(ModuleGeneration, UnloadDuringAReadingCountsUntilTheNext) {
  for (const uint32_t known : {1u, 5u}) {
    for (const bool was_unloaded_before : {false, true}) {
      for (const uint32_t read : {known, known + 1}) {
        std::atomic<uint32_t> generation{known};
        if (was_unloaded_before) NoteUnload(&generation);
        const uint32_t begun = BeginReading(&generation);
        NoteUnload(&generation);
        EndReading(&generation, begun, read);
        EXPECT_EQ(generation.load(), kFirstReading) << known << was_unloaded_before << read;
        const uint32_t again = BeginReading(&generation);
        EndReading(&generation, again, read);
        EXPECT_EQ(generation.load(), read);
      }
    }
  }
}

}  // namespace
}  // namespace softlbr
