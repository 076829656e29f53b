// Reads and merges compression bombs: small files that expand to far more than the memory limit.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <variant>

#include "tests/toolchain/profile/profile_forge.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOFTLBR_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SOFTLBR_TEST_IS_SANITIZED 1
#endif
#endif
#ifndef SOFTLBR_TEST_IS_SANITIZED
#define SOFTLBR_TEST_IS_SANITIZED 0
#endif

namespace softlbr::toolchain {
namespace {

using test::Bytes;

constexpr uint64_t kSpan = 1ull << 40;

Bytes WideModule() {
  Bytes body = test::Varints({1});
  test::Append(&body, test::ModuleRecordBytes(1, 0, kSpan));
  return test::Section(SectionId::kModules, body);
}

// A frame with as many rows as fit. All columns are 1, except for the first address, which makes the rows of each frame
// distinct.
Bytes DenseFrame(SectionId id, uint64_t columns, uint64_t number) {
  Bytes payload = WideModule();
  const uint64_t rows = (kMaxFramePayloadBytes - payload.size() - 64) / columns;
  Bytes body = test::Varints({rows});
  test::Append(&body, test::Varints({1 + number * (1ull << 21)}));
  body.resize(body.size() + rows * columns - 1, 1);
  test::Append(&payload, test::Section(id, body));
  return test::Frame(payload);
}

Bytes TraceFrame(uint64_t number) {
  Bytes payload = WideModule();
  test::Append(&payload,
               test::Section(SectionId::kTraces, Bytes((kMaxFramePayloadBytes - payload.size() - 64) / 4 * 4, 0)));
  test::Forged forged;
  forged.sequence = static_cast<uint32_t>(number);  // a frame with the same content and number would be a copy
  return test::Frame(payload, forged);
}

// A file of `frames` frames, numbered from `first`.
Bytes Bomb(SectionId id, uint64_t columns, uint64_t first, uint64_t frames) {
  Bytes bytes = test::Magic();
  for (uint64_t i = first; i < first + frames; ++i) {
    test::Append(&bytes, id == SectionId::kTraces ? TraceFrame(i) : DenseFrame(id, columns, i));
  }
  return bytes;
}

// Peak memory in bytes of a new process that calls `is_refused`; 0 if that returns false or the process fails.
template <typename Work>
uint64_t PeakWhile(const Work& is_refused) {
  const pid_t child = fork();
  if (child == 0) _exit(is_refused() ? 0 : 1);
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;
}

uint64_t PeakSoFar() {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;
}

TEST(ProfileReaderMemory, StaysWithinLimitForCompressionBombs) {
  for (const auto& [id, columns] : {std::pair{SectionId::kBranches, 3}, std::pair{SectionId::kRanges, 3},
                                    std::pair{SectionId::kSamples, 2}, std::pair{SectionId::kTraces, 4}}) {
    SCOPED_TRACE(static_cast<int>(id));
    const Bytes bytes = Bomb(id, static_cast<uint64_t>(columns), 0, 48);
    EXPECT_LT(bytes.size(), 4u << 20);
    const uint64_t before = PeakSoFar();
    const uint64_t peak = PeakWhile([&bytes] {
      const auto result = ReadProfile(bytes, "bomb");
      const auto* error = std::get_if<ReadError>(&result);
      return error != nullptr && error->message.find("MiB in memory") != std::string::npos;
    });
    EXPECT_GT(peak, 0u) << "not refused as too large";
    if (SOFTLBR_TEST_IS_SANITIZED == 0) {
      EXPECT_LE(peak, kMaxReaderBytes + before);
    }
  }
}

// Each profile fits the budget; their sum does not.
TEST(ProfileBuilderMemory, StaysWithinLimitForManyProfiles) {
  constexpr uint64_t kFramesEach = 6;
  const uint64_t before = PeakSoFar();
  const uint64_t peak = PeakWhile([] {
    ProfileBuilder builder;
    for (uint64_t i = 0; i < 16; ++i) {
      auto read = ReadProfile(Bomb(SectionId::kBranches, 3, i * kFramesEach, kFramesEach), "part");
      if (!std::holds_alternative<Profile>(read)) return false;
      if (!builder.AddProfile(std::get<Profile>(std::move(read)), nullptr)) return i > 0;
    }
    return false;
  });
  EXPECT_GT(peak, 0u) << "not refused as too large";
  if (SOFTLBR_TEST_IS_SANITIZED == 0) {
    EXPECT_LE(peak, kMaxReaderBytes + kMaxProfileBytes + before);
  }
}

}  // namespace
}  // namespace softlbr::toolchain
