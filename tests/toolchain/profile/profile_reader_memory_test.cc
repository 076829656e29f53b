// A file of a few hundred kilobytes that expands to far more than the reader may hold.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <variant>

#include "tests/toolchain/profile/profile_forge.h"
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

// Rows of `columns` ones after the first address, as many as a payload holds; none like those of other frames.
Bytes DenseFrame(SectionId id, uint64_t columns, uint64_t number) {
  Bytes payload = WideModule();
  const uint64_t rows = (kMaxFramePayloadBytes - payload.size() - 64) / columns;
  Bytes body = test::Varints({rows});
  test::Append(&body, test::Varints({1 + number * (1ull << 21)}));
  body.resize(body.size() + rows * columns - 1, 1);
  test::Append(&payload, test::Section(id, body));
  return test::Frame(payload);
}

Bytes TraceFrame() {
  Bytes payload = WideModule();
  test::Append(&payload, test::Section(SectionId::kTraces, Bytes((kMaxFramePayloadBytes - payload.size() - 64) / 4 * 4, 0)));
  return test::Frame(payload);
}

Bytes Bomb(SectionId id, uint64_t columns) {
  Bytes bytes = test::Magic();
  for (uint64_t i = 0; i < 48; ++i) {
    test::Append(&bytes, id == SectionId::kTraces ? TraceFrame() : DenseFrame(id, columns, i));
  }
  return bytes;
}

// The most memory a fresh process held while it read the bytes, in bytes; 0 if it did not answer with the right error.
uint64_t PeakWhileReading(const Bytes& bytes) {
  const pid_t child = fork();
  if (child == 0) {
    const auto result = ReadProfile(bytes, "bomb");
    const auto* error = std::get_if<ReadError>(&result);
    _exit(error != nullptr && error->message.find("MiB in memory") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
  return static_cast<uint64_t>(usage.ru_maxrss) << 10;
}

TEST(ProfileReaderMemory, StaysWithinItsBoundWhateverTheFileExpandsTo) {
  for (const auto& [id, columns] : {std::pair{SectionId::kBranches, 3}, std::pair{SectionId::kRanges, 3},
                                    std::pair{SectionId::kSamples, 2}, std::pair{SectionId::kTraces, 4}}) {
    SCOPED_TRACE(static_cast<int>(id));
    const Bytes bytes = Bomb(id, static_cast<uint64_t>(columns));
    EXPECT_LT(bytes.size(), 4u << 20);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const uint64_t peak = PeakWhileReading(bytes);
    EXPECT_GT(peak, 0u) << "not refused as too large";
    if (SOFTLBR_TEST_IS_SANITIZED == 0) {
      EXPECT_LE(peak, kMaxReaderBytes + (static_cast<uint64_t>(usage.ru_maxrss) << 10));
    }
  }
}

}  // namespace
}  // namespace softlbr::toolchain
