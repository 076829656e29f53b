// Shared by the profile tests: invented modules and traces, a sink that keeps the bytes, a writer and an aggregator
// with memory.
#ifndef SOFTLBR_TESTS_RUNTIME_PROFILE_PROFILE_FIXTURE_H_
#define SOFTLBR_TESTS_RUNTIME_PROFILE_PROFILE_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "platform/base/elf_machine.h"
#include "platform/base/sample_event.h"
#include "runtime/modules/module_table.h"
#include "runtime/profile/aggregator.h"
#include "runtime/profile/profile_writer.h"
#include "runtime/threads/trace_buffer.h"

namespace softlbr::test {

inline constexpr uint32_t kExecutable = 1;  // PF_X
inline constexpr uint32_t kReadable = 4;    // PF_R

// Laid out like a PIE of lld: the text segment's file offset and address differ.
inline Module MakeModule(const std::string& name, uint64_t begin, uint64_t first_vaddr, uint64_t text_bytes) {
  Module module{};
  module.begin = begin;
  module.bias = begin - first_vaddr;
  module.end = begin + 0x1790 + text_bytes;
  module.inode = begin >> 12;
  module.machine = kMachineX86_64;
  module.elf_type = first_vaddr == 0 ? 3 : 2;
  module.build_id_bytes = 20;
  for (uint32_t i = 0; i < 20; ++i)
    module.build_id[i] = static_cast<uint8_t>(begin >> (i % 8 * 8)) ^ static_cast<uint8_t>(i);
  module.segment_count = 2;
  module.segments[0] = ModuleSegment{first_vaddr, 0, 0x78c, 0x78c, kReadable, 0};
  module.segments[1] = ModuleSegment{first_vaddr + 0x1790, 0x790, text_bytes, text_bytes, kReadable | kExecutable, 0};
  strncpy(module.name, name.c_str(), sizeof module.name - 1);
  return module;
}

// Three modules: a non-PIE program, a library, and the vdso.
inline std::unique_ptr<ModuleTable> MakeModules() {
  auto table = std::make_unique<ModuleTable>();
  memset(static_cast<void*>(table.get()), 0, sizeof *table);
  table->modules[0] = MakeModule("app", 0x400000, 0x400000, 0x80000);
  table->modules[0].is_main = true;
  table->modules[1] = MakeModule("libwork.so.1", 0x7f1234560000, 0, 0x200000);
  table->modules[2] = MakeModule("[vdso]", 0x7fff12340000, 0, 0x1000);
  table->count = 3;
  return table;
}

inline SessionInfo MakeInfo(uint64_t session_id) {
  SessionInfo info{};
  info.arch = kMachineX86_64;
  info.event = static_cast<uint8_t>(platform::SampleEvent::kTaskClock);
  info.resolve = ResolvePolicy::kLookahead;
  info.period = 1000000;
  info.branches_per_trace = 16;
  info.has_breakpoints = 1;
  info.start_time_unix_s = 1700000000;
  info.session_id = session_id;
  return info;
}

// A different value for every counter.
inline SessionCounters MakeCounters(uint64_t seed) {
  SessionCounters counters{};
  uint64_t values[sizeof counters / sizeof(uint64_t)];
  for (uint64_t& value : values) value = seed++;
  memcpy(&counters, values, sizeof counters);
  return counters;
}

struct Sink {
  std::vector<uint8_t> bytes;
  std::vector<size_t> starts;  // of each chunk handed over
  int result = 0;

  static int Take(void* cookie, const void* data, size_t count) {
    Sink& sink = *static_cast<Sink*>(cookie);
    if (sink.result != 0) return sink.result;
    const auto* first = static_cast<const uint8_t*>(data);
    sink.starts.push_back(sink.bytes.size());
    sink.bytes.insert(sink.bytes.end(), first, first + count);
    return 0;
  }
};

// An aggregator with its memory.
class TestAggregator {
 public:
  explicit TestAggregator(const AggregatorSizes& sizes = {})
      : memory_(Aggregator::WorkspaceBytes(sizes) / 8, 0xa5a5a5a5a5a5a5a5) {
    if (aggregator_.Init(memory_.data(), memory_.size() * 8, sizes) != Status::kOk) abort();
  }
  Aggregator* operator->() { return &aggregator_; }
  Aggregator& operator*() { return aggregator_; }

 private:
  std::vector<uint64_t> memory_;
  Aggregator aggregator_;
};

// A writer with its memory and sink.
class TestWriter {
 public:
  explicit TestWriter(const SessionInfo& info, const LabelStore* labels = nullptr)
      : memory_(ProfileWriter::WorkspaceBytes() / 8 + 1, 0xa5a5a5a5a5a5a5a5) {
    if (writer_.Init(memory_.data(), memory_.size() * 8, Sink::Take, &sink, info, labels) != Status::kOk) abort();
  }
  ProfileWriter* operator->() { return &writer_; }
  Sink sink;

 private:
  std::vector<uint64_t> memory_;
  ProfileWriter writer_;
};

using Trace = std::vector<BranchRecord>;

// Appends a whole trace; false if the buffer has no room.
inline bool AddTrace(TraceBuffer* buffer, uint64_t sampled_pc, const Trace& branches,
                     AbortReason reason = AbortReason::kNone, uint32_t thread = 1) {
  if (!buffer->HasRoomFor(static_cast<uint32_t>(branches.size()))) return false;
  buffer->BeginTrace(sampled_pc, thread);
  for (const BranchRecord& branch : branches) buffer->Append(branch.from, branch.to);
  buffer->CommitTrace(reason);
  return true;
}

// Random walks through invented code: `places` distinct addresses per module, targets in any module or none.
class RandomTraces {
 public:
  RandomTraces(const ModuleTable& modules, uint64_t places, uint32_t seed)
      : modules_(modules), places_(places), random_(seed) {}

  uint64_t Address() {
    const uint32_t pick = static_cast<uint32_t>(random_() % 64);
    if (pick == 0) return 0x10000000000 + random_() % places_ * 16;  // outside: JIT code
    const Module& module = modules_.modules[pick % modules_.count];
    const ModuleSegment& text = module.segments[1];
    return module.bias + text.vaddr + random_() % places_ * 37 % text.memory_bytes;
  }
  Trace Make(uint32_t branches) {
    Trace trace;
    uint64_t at = Address();
    for (uint32_t i = 0; i < branches; ++i) {
      // Mostly a short range to the next branch, sometimes an impossible one.
      const uint64_t from = random_() % 32 == 0 ? Address() : at + random_() % 40;
      at = Address();
      trace.push_back(BranchRecord{from, at});
    }
    return trace;
  }
  uint64_t Number() { return random_(); }

 private:
  const ModuleTable& modules_;
  uint64_t places_;
  std::mt19937_64 random_;
};

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_RUNTIME_PROFILE_PROFILE_FIXTURE_H_
