// For tests of compaction: compacts bytes in memory, and compares what two profiles hold.
#ifndef SOFTLBR_TESTS_RUNTIME_COMPACT_COMPACT_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_COMPACT_COMPACT_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/compact/session_compactor.h"
#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::test {

struct CompactedBytes {
  compact::CompactResult result;
  std::vector<uint8_t> bytes;
};

// Reads the source a few bytes at a time, so that frames lie across reads. Fails to write behind `disk_bytes`.
inline CompactedBytes CompactBytes(std::span<const uint8_t> source, const compact::CompactorSizes& sizes = {},
                                   uint64_t disk_bytes = ~0ull) {
  struct Files {
    std::span<const uint8_t> source;
    std::vector<uint8_t> target;
    uint64_t disk_bytes;
  } files = {source, {}, disk_bytes};
  const compact::CompactorFiles calls = {[](void* cookie, uint64_t offset, void* output, uint64_t bytes) -> long {
                                           const auto& from = static_cast<Files*>(cookie)->source;
                                           const uint64_t left = from.size() - std::min<uint64_t>(offset, from.size());
                                           const uint64_t count = std::min({left, bytes, 1 + from.size() / 3});
                                           if (count != 0) std::memcpy(output, from.data() + offset, count);
                                           return static_cast<long>(count);
                                         },
                                         [](void* cookie, const void* bytes, uint64_t count) {
                                           auto* to = static_cast<Files*>(cookie);
                                           const auto* first = static_cast<const uint8_t*>(bytes);
                                           if (to->target.size() + count > to->disk_bytes) return false;
                                           to->target.insert(to->target.end(), first, first + count);
                                           return true;
                                         },
                                         &files};
  // Of any content: what an earlier run left.
  static const auto memory = [] {
    auto made = std::make_unique_for_overwrite<compact::CompactorMemory>();
    std::memset(static_cast<void*>(made.get()), 0xa5, sizeof *made);
    return made;
  }();
  const compact::CompactResult result = compact::SessionCompactor(memory.get(), calls, sizes).Run();
  return {result, std::move(files.target)};
}

// All that a profile says, without the order of its modules and without modules that nothing refers to.
struct ProfileContents {
  using Place = std::pair<std::string, uint64_t>;
  std::vector<std::tuple<Place, Place, uint64_t>> branches;
  std::vector<std::tuple<Place, uint64_t, uint64_t>> ranges;
  std::vector<std::pair<Place, uint64_t>> samples;
  std::vector<std::tuple<std::string, std::string, bool>> modules;  // identity, name, is_main
  std::vector<std::string> sessions;
  uint64_t damaged;
  uint64_t missing;
  uint64_t traces;
  bool is_truncated;
  bool operator==(const ProfileContents&) const = default;
};

inline ProfileContents ContentsOf(const toolchain::Profile& profile) {
  ProfileContents all{};
  std::vector<std::string> identities;
  for (const auto& module : profile.modules) identities.push_back(toolchain::ModuleIdentity(module));
  std::vector<bool> is_used(profile.modules.size(), false);
  const auto place = [&](const toolchain::Location& location) -> ProfileContents::Place {
    if (location.module == toolchain::kNoModule) return {"", 0};
    is_used[location.module] = true;
    return {identities[location.module], location.address};
  };
  for (const auto& row : profile.branches) all.branches.emplace_back(place(row.from), place(row.to), row.count);
  for (const auto& row : profile.ranges) all.ranges.emplace_back(place({row.module, row.first}), row.last, row.count);
  for (const auto& row : profile.samples) all.samples.emplace_back(place(row.pc), row.count);
  std::sort(all.branches.begin(), all.branches.end());
  std::sort(all.ranges.begin(), all.ranges.end());
  std::sort(all.samples.begin(), all.samples.end());
  for (size_t i = 0; i < identities.size(); ++i) {
    if (is_used[i]) all.modules.emplace_back(identities[i], profile.modules[i].name, profile.modules[i].is_main);
  }
  std::sort(all.modules.begin(), all.modules.end());
  for (const auto& session : profile.sessions) {
    std::string text =
        session.program + "/" + std::to_string(session.process_id) + "/" + std::to_string(session.session_id);
#define SOFTLBR_INFO(type, field, key, meaning) text += "/" + std::to_string(static_cast<uint64_t>(session.field));
#include "runtime/counters/session_info.def"
    text.append(reinterpret_cast<const char*>(&session.counters), sizeof session.counters);
    all.sessions.push_back(text);
  }
  all.damaged = profile.damaged_frames;
  all.missing = profile.missing_frames;
  all.traces = profile.whole_traces;
  all.is_truncated = profile.is_truncated;
  return all;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_RUNTIME_COMPACT_COMPACT_FIXTURE_H_
