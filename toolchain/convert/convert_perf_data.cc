// Writes a minimal perf.data file that perf script, perf2bolt -p, llvm-profgen --perfdata and create_llvm_prof
// --profiler=perf accept: one attribute, a COMM record, an MMAP2 record with build id per executable segment, and one SAMPLE
// record with a branch stack per whole trace. Record layouts: linux/perf_event.h. No feature section is needed.
#include <linux/perf_event.h>

#include <cstring>

#include "toolchain/convert/address_layout.h"
#include "toolchain/convert/converters.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kHeaderBytes = 104;
constexpr uint32_t kAttributeBytes = 128;  // PERF_ATTR_SIZE_VER7
constexpr size_t kMmapBuildIdBytes = 20;
constexpr uint16_t kMiscMmapBuildId = 1 << 14;
// A record's size field has 16 bits: of a longer trace only the newest branches are written.
constexpr size_t kMaxStackEntries = 2600;
constexpr size_t kMaxPathBytes = 4096;

class Bytes {
 public:
  template <typename T>
  void Put(T value) {
    const char* raw = reinterpret_cast<const char*>(&value);
    text_.append(raw, sizeof value);
  }
  void PutPadded(const std::string& text, size_t size) {
    text_ += text.substr(0, size);
    text_.append(size - std::min(size, text.size()), '\0');
  }
  void PutBytes(const void* data, size_t size) { text_.append(static_cast<const char*>(data), size); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string Record(uint32_t type, uint16_t misc, const std::string& body) {
  Bytes record;
  record.Put(perf_event_header{type, misc, static_cast<uint16_t>(sizeof(perf_event_header) + body.size())});
  return record.text() + body;
}

size_t RoundUp8(size_t size) { return (size + 7) & ~size_t{7}; }

std::string CommRecord(const std::string& name) {
  Bytes body;
  body.Put(kProcess);
  body.Put(kProcess);
  const std::string comm = name.substr(0, 15);
  body.PutPadded(comm, RoundUp8(comm.size() + 1));
  return Record(PERF_RECORD_COMM, 0, body.text());
}

std::string MmapRecord(const Mapping& mapping, const std::vector<uint8_t>& build_id) {
  Bytes body;
  body.Put(kProcess);
  body.Put(kProcess);
  body.Put(mapping.start);
  body.Put(mapping.bytes);
  body.Put(mapping.file_offset);
  uint16_t misc = PERF_RECORD_MISC_USER;
  if (!build_id.empty() && build_id.size() <= kMmapBuildIdBytes) {
    misc |= kMiscMmapBuildId;
    body.Put(static_cast<uint8_t>(build_id.size()));
    body.PutPadded("", 3);
    body.PutBytes(build_id.data(), build_id.size());
    body.PutPadded("", kMmapBuildIdBytes - build_id.size());
  } else {
    body.PutPadded("", 24);  // device, inode, inode generation
  }
  body.Put(uint32_t{5});  // PROT_READ | PROT_EXEC
  body.Put(uint32_t{2});  // MAP_PRIVATE
  const std::string path = mapping.path.substr(0, kMaxPathBytes);
  body.PutPadded(path, RoundUp8(path.size() + 1));
  return Record(PERF_RECORD_MMAP2, misc, body.text());
}

size_t StackEntries(const Trace& trace) { return std::min(trace.branches.size(), kMaxStackEntries); }

// The size of SampleRecord's result; 0 for a trace without branches, which has none.
uint64_t SampleBytes(const Trace& trace) {
  constexpr uint64_t kFieldsBytes = 5 * 8;  // address, process and thread, time, period, number of entries
  return trace.branches.empty() ? 0 : sizeof(perf_event_header) + kFieldsBytes + StackEntries(trace) * 24;
}

std::string SampleRecord(const Trace& trace, const AddressLayout& layout, uint64_t time) {
  Bytes body;
  body.Put(layout.RuntimeAddress(trace.branches.back().second));
  body.Put(kProcess);
  body.Put(trace.thread != 0 ? trace.thread : kProcess);
  body.Put(time);
  body.Put(uint64_t{1});  // period: each trace weighs the same
  const size_t count = StackEntries(trace);
  body.Put(static_cast<uint64_t>(count));
  for (size_t i = 0; i < count; ++i) {
    const auto& [from, to] = trace.branches[trace.branches.size() - 1 - i];
    body.Put(layout.RuntimeAddress(from));
    body.Put(layout.RuntimeAddress(to));
    body.Put(uint64_t{2});  // predicted
  }
  return Record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body.text());
}

std::string Attribute() {
  perf_event_attr attribute;
  std::memset(&attribute, 0, sizeof attribute);
  attribute.type = PERF_TYPE_HARDWARE;
  attribute.size = kAttributeBytes;
  attribute.config = PERF_COUNT_HW_CPU_CYCLES;
  // Tools weigh a sample by its period. Without one they take the attribute's, and 0 makes all shares 0.
  attribute.sample_period = 1;
  attribute.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;
  attribute.exclude_kernel = 1;
  attribute.mmap = 1;
  attribute.comm = 1;
  attribute.mmap2 = 1;
  attribute.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
  std::string bytes(kAttributeBytes, '\0');
  std::memcpy(bytes.data(), &attribute, std::min<size_t>(sizeof attribute, kAttributeBytes));
  return bytes + std::string(16, '\0');  // no ids
}

}  // namespace

void WritePerfData(const ConvertInput& input, const TextSink& write) {
  if (input.profile->whole_traces == 0 && input.profile->traces.empty()) {
    throw StatedFailure(SafeText(input.profile_path) +
                        ": holds no whole traces, and counts cannot be written as perf.data; record with --traces, or "
                        "convert to bolt or llvm");
  }
  const AddressLayout layout(input);
  std::string start = CommRecord(BaseName(input.module->name));
  for (const Mapping& mapping : layout.mappings()) {
    start += MmapRecord(mapping, input.profile->modules[mapping.module].build_id);
  }
  // The header tells the size of the data, which is not kept in memory: the traces are visited twice.
  uint64_t data_bytes = start.size();
  VisitTraces(*input.profile, [&](const Trace& trace) { data_bytes += SampleBytes(trace); });
  if (data_bytes == start.size()) return;
  const std::string attribute = Attribute();
  Bytes header;
  header.PutPadded("PERFILE2", 8);
  header.Put(uint64_t{kHeaderBytes});
  header.Put(static_cast<uint64_t>(attribute.size()));
  header.Put(uint64_t{kHeaderBytes});  // attributes: offset, size
  header.Put(static_cast<uint64_t>(attribute.size()));
  header.Put(static_cast<uint64_t>(kHeaderBytes + attribute.size()));  // data: offset, size
  header.Put(data_bytes);
  header.PutPadded("", 16 + 32);  // event types, feature bits: none
  write(header.text() + attribute + start);
  uint64_t time = 1;
  VisitTraces(*input.profile, [&](const Trace& trace) {
    if (!trace.branches.empty()) write(SampleRecord(trace, layout, time++));
  });
}

}  // namespace softlbr::toolchain
