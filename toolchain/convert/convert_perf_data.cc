// Writes a minimal perf.data file that perf script, perf2bolt -p, llvm-profgen --perfdata and create_llvm_prof
// --profiler=perf accept: one attribute, a COMM record for each thread, an MMAP2 record with build id per executable
// segment, and SAMPLE records with a branch stack for each whole trace. Record layouts: linux/perf_event.h. A profile
// has no time of each trace: the samples are spread over the recorded time, in the order of the traces.
//
// Features that perf's own files have, and readers want: build ids, the command, that there are branch stacks (perf
// report --branch-history), the times of the first and last sample.
#include <linux/perf_event.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/convert/address_layout.h"
#include "toolchain/convert/converters.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kHeaderBytes = 104;
constexpr uint32_t kAttributeBytes = 128;  // PERF_ATTR_SIZE_VER7
constexpr size_t kMmapBuildIdBytes = 20;
constexpr uint16_t kMiscMmapBuildId = 1 << 14;
// perf report takes a longer stack for damaged. A longer trace becomes several samples, and the range between two of
// them is lost.
constexpr size_t kMaxStackEntries = 127;
constexpr size_t kStringAlignment = 64;
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

std::string CommRecord(const std::string& name, uint32_t thread) {
  Bytes body;
  body.Put(kProcess);
  body.Put(thread);
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

uint32_t ThreadOf(const Trace& trace) { return trace.thread != 0 ? trace.thread : kProcess; }

uint64_t SamplesOf(const Trace& trace) { return (trace.branches.size() + kMaxStackEntries - 1) / kMaxStackEntries; }

// The size of SampleRecords' result; 0 for a trace without branches, which has none.
uint64_t SampleBytes(const Trace& trace) {
  constexpr uint64_t kFieldsBytes = 5 * 8;  // address, process and thread, time, period, number of entries
  return SamplesOf(trace) * (sizeof(perf_event_header) + kFieldsBytes) + trace.branches.size() * 24;
}

std::string SampleRecords(const Trace& trace, const AddressLayout& layout, uint64_t time) {
  std::string records;
  for (size_t first = 0; first < trace.branches.size(); first += kMaxStackEntries) {
    const size_t end = std::min(trace.branches.size(), first + kMaxStackEntries);
    Bytes body;
    body.Put(layout.RuntimeAddress(trace.branches[end - 1].second));
    body.Put(kProcess);
    body.Put(ThreadOf(trace));
    body.Put(time);
    body.Put(uint64_t{1});  // period: each trace weighs the same
    body.Put(static_cast<uint64_t>(end - first));
    for (size_t i = end; i > first; --i) {
      const auto& [from, to] = trace.branches[i - 1];
      body.Put(layout.RuntimeAddress(from));
      body.Put(layout.RuntimeAddress(to));
      body.Put(uint64_t{2});  // predicted
    }
    records += Record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body.text());
  }
  return records;
}

// The bits of the header's feature bitmap that are written (HEADER_* of perf's sources), in the order of their
// sections.
enum Feature : uint32_t { kBuildIds = 2, kArchitecture = 6, kCommandLine = 11, kBranchStacks = 15, kSampleTimes = 21 };

std::string FeatureString(const std::string& text) {
  const size_t size = (text.size() + kStringAlignment) / kStringAlignment * kStringAlignment;
  Bytes bytes;
  bytes.Put(static_cast<uint32_t>(size));
  bytes.PutPadded(text, size);
  return bytes.text();
}

std::string BuildIds(const ConvertInput& input, const AddressLayout& layout) {
  constexpr uint16_t kMiscHasSize = 1 << 15;
  std::string ids;
  std::set<uint32_t> written;
  for (const Mapping& mapping : layout.mappings()) {
    const std::vector<uint8_t>& id = input.profile->modules[mapping.module].build_id;
    if (id.empty() || id.size() > kMmapBuildIdBytes || !written.insert(mapping.module).second) continue;
    Bytes body;
    body.Put(uint32_t{0xffffffff});  // of whatever process
    body.PutPadded(std::string(id.begin(), id.end()), kMmapBuildIdBytes);
    body.Put(static_cast<uint8_t>(id.size()));
    body.PutPadded("", 3);
    const std::string path = mapping.path.substr(0, kMaxPathBytes);
    body.PutPadded(path, (path.size() + kStringAlignment) / kStringAlignment * kStringAlignment);
    ids += Record(0, PERF_RECORD_MISC_USER | kMiscHasSize, body.text());
  }
  return ids;
}

std::string CommandLine(const std::string& program) {
  Bytes count;
  count.Put(uint32_t{1});
  return count.text() + FeatureString(program);
}

std::string SampleTimes(uint64_t first, uint64_t last) {
  Bytes times;
  times.Put(first);
  times.Put(last);
  return times.text();
}

std::string Attribute() {
  perf_event_attr attribute;
  std::memset(&attribute, 0, sizeof attribute);
  attribute.type = PERF_TYPE_HARDWARE;
  attribute.size = kAttributeBytes;
  attribute.config = PERF_COUNT_HW_CPU_CYCLES;
  // Tools weigh a sample by its period. Without one they take the attribute's, and 0 makes all shares 0.
  attribute.sample_period = 1;
  attribute.sample_type =
      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK;
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
  // The header tells the size of the data, which is not kept in memory: the traces are visited twice.
  uint64_t sample_bytes = 0;
  uint64_t samples = 0;
  std::set<uint32_t> threads{kProcess};
  VisitTraces(*input.profile, [&](const Trace& trace) {
    sample_bytes += SampleBytes(trace);
    if (trace.branches.empty()) return;
    ++samples;
    threads.insert(ThreadOf(trace));
  });
  if (samples == 0) return;
  const std::string program = BaseName(input.module->name);
  std::string start;
  for (const uint32_t thread : threads) start += CommRecord(program, thread);
  for (const Mapping& mapping : layout.mappings()) {
    start += MmapRecord(mapping, input.profile->modules[mapping.module].build_id);
  }
  const uint64_t data_bytes = start.size() + sample_bytes;
  const uint64_t step = std::max<uint64_t>(input.profile->counters.duration_ns / samples, 1);
  const std::map<uint32_t, std::string> features = {{kBuildIds, BuildIds(input, layout)},
                                                    {kArchitecture, FeatureString(MachineName(input.module->machine))},
                                                    {kCommandLine, CommandLine(program)},
                                                    {kBranchStacks, ""},
                                                    {kSampleTimes, SampleTimes(step, samples * step)}};
  uint64_t feature_bits = 0;
  for (const auto& [feature, content] : features) feature_bits |= uint64_t{1} << feature;
  const std::string attribute = Attribute();
  Bytes header;
  header.PutPadded("PERFILE2", 8);
  header.Put(uint64_t{kHeaderBytes});
  header.Put(static_cast<uint64_t>(attribute.size()));
  header.Put(uint64_t{kHeaderBytes});  // attributes: offset, size
  header.Put(static_cast<uint64_t>(attribute.size()));
  header.Put(static_cast<uint64_t>(kHeaderBytes + attribute.size()));  // data: offset, size
  header.Put(data_bytes);
  header.PutPadded("", 16);  // event types: none
  header.Put(feature_bits);
  header.PutPadded("", 24);
  write(header.text() + attribute + start);
  uint64_t time = 0;
  VisitTraces(*input.profile, [&](const Trace& trace) {
    if (!trace.branches.empty()) write(SampleRecords(trace, layout, time += step));
  });
  // Behind the data: where each feature's section is, then the sections.
  Bytes sections;
  uint64_t offset = kHeaderBytes + attribute.size() + data_bytes + features.size() * 16;
  for (const auto& [feature, content] : features) {
    sections.Put(offset);
    sections.Put(static_cast<uint64_t>(content.size()));
    offset += content.size();
  }
  std::string rest = sections.text();
  for (const auto& [feature, content] : features) rest += content;
  write(rest);
}

}  // namespace softlbr::toolchain
