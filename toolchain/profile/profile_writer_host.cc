// Writes a Profile back into a .slbr file, with the runtime's own encoder. Host code; contract in profile_reader.h.
//
// All rows are written to the first session, as a profile does not record which session a row is from. Each session
// keeps its own settings and counters.

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "platform/base/limits.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/crc32c.h"
#include "runtime/format/frame_builder.h"
#include "runtime/format/frame_header.h"
#include "runtime/format/labels.h"
#include "toolchain/profile/flow_section.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kPayloadBytes = 960u << 10;
constexpr uint64_t kMaxFlowBytes = 896u << 10;  // leaves room for the module's record
constexpr size_t kMaxFlowRows = 256u << 10;     // more are not tried at once
constexpr int kZstdLevel = 19;
// Larger profiles are written several times as fast, 3% larger.
constexpr size_t kManyRows = 1u << 20;
constexpr int kZstdLevelOfManyRows = 9;

// The linear address space of the file: the modules one after another.
class AddressLine {
 public:
  explicit AddressLine(const Profile& profile)
      : modules_(profile.modules), low_(modules_.size(), kNone), end_(modules_.size(), 0) {
    for (size_t i = 0; i < modules_.size(); ++i) {
      for (const Segment& segment : modules_[i].segments) {
        if (segment.memory_bytes == 0 || segment.memory_bytes > kMaxLinear ||
            segment.vaddr > kNone - segment.memory_bytes)
          continue;
        Cover(static_cast<uint32_t>(i), segment.vaddr, segment.vaddr + segment.memory_bytes - 1);
      }
    }
    segments_.resize(modules_.size());
    for (size_t i = 0; i < modules_.size(); ++i) {
      for (const Segment& segment : modules_[i].segments) {
        segments_[i].push_back(ModuleSegment{segment.vaddr, segment.file_offset, segment.file_bytes,
                                             segment.memory_bytes, segment.flags, 0});
      }
    }
  }

  // Extends the module's span to include the address. Call before Place(). False if the location is not valid.
  bool Cover(const Location& location) {
    if (location.module == kNoModule) return true;
    if (location.module >= modules_.size() || location.address == kNone) return false;
    Cover(location.module, location.address, location.address);
    return true;
  }

  // Assigns the modules' bases. False if the modules do not fit below kMaxLinear.
  bool Place() {
    uint64_t base = 1;
    for (size_t i = 0; i < modules_.size(); ++i) {
      bases_.push_back(base);
      const uint64_t span = Span(i);
      if (span > kMaxLinear - base) return false;
      base += span;
    }
    return true;
  }

  uint64_t Linear(const Location& location) const {
    if (location.module == kNoModule) return kOutside;
    return bases_[location.module] + (location.address - low_[location.module]);
  }

  uint64_t Base(uint32_t module) const { return bases_[module]; }
  uint64_t Low(uint32_t module) const { return low_[module]; }

  ModuleSource Source() const {
    return ModuleSource{this, static_cast<uint32_t>(modules_.size()), bases_.data(), Describe};
  }

 private:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  void Cover(uint32_t module, uint64_t first, uint64_t last) {
    low_[module] = std::min(low_[module], first);
    end_[module] = std::max(end_[module], last + 1);
  }
  uint64_t Span(size_t module) const { return low_[module] == kNone ? 0 : end_[module] - low_[module]; }

  static void Describe(const void* cookie, uint32_t index, ModuleRecord* record) {
    const AddressLine& line = *static_cast<const AddressLine*>(cookie);
    const ProfileModule& module = line.modules_[index];
    *record = ModuleRecord{module.name.data(),
                           module.build_id.data(),
                           line.segments_[index].data(),
                           static_cast<uint32_t>(module.name.size()),
                           static_cast<uint32_t>(module.build_id.size()),
                           static_cast<uint32_t>(module.segments.size()),
                           module.machine,
                           module.elf_type,
                           module.is_main,
                           line.low_[index] == kNone ? 0 : line.low_[index],
                           line.Span(index)};
  }

  const std::vector<ProfileModule>& modules_;
  std::vector<uint64_t> low_;
  std::vector<uint64_t> end_;
  std::vector<uint64_t> bases_;
  std::vector<std::vector<ModuleSegment>> segments_;
};

bool IsRecordable(const ProfileModule& module) {
  return module.name.size() <= kMaxRecordNameBytes && module.name.find('\0') == std::string::npos &&
         module.build_id.size() <= kMaxRecordBuildIdBytes && module.segments.size() <= kMaxRecordSegments;
}

bool CoverAll(const Profile& profile, const TraceFeed& feed, AddressLine* line) {
  bool is_good = true;
  for (const BranchCount& row : profile.branches) {
    const bool is_outside = row.from.module == kNoModule && row.to.module == kNoModule;
    is_good &= line->Cover(row.from) && line->Cover(row.to) && row.count != 0 && !is_outside;
  }
  for (const RangeCount& row : profile.ranges) {
    is_good &= row.module != kNoModule && IsRange(row.first, row.last) && line->Cover({row.module, row.first}) &&
               line->Cover({row.module, row.last}) && row.count != 0;
  }
  for (const SampleCount& row : profile.samples) is_good &= line->Cover(row.pc) && row.count != 0;
  feed([&](const Trace& trace) {
    is_good &= line->Cover(trace.sampled_pc);
    for (const auto& [from, to] : trace.branches) is_good &= line->Cover(from) && line->Cover(to);
  });
  return is_good;
}

class HostWriter {
 public:
  HostWriter(const Profile& profile, const TraceFeed& feed, const AddressLine& line, std::FILE* file)
      : profile_(profile),
        feed_(feed),
        line_(line),
        file_(file),
        payload_(kPayloadBytes),
        frame_(kFrameHeaderBytes + ZSTD_compressBound(kPayloadBytes)),
        used_(FrameBuilder::UsedWords(profile.modules.size()) + 1) {
    builder_.Init(payload_.data(), payload_.size());
    builder_.SetModules(line.Source(), used_.data());
  }

  // Returns an error message, empty on success.
  std::string Write() {
    Put(kFileMagic, kFileMagicBytes);
    ProfileSession first{};
    if (!profile_.sessions.empty()) first = profile_.sessions.front();
    BeginSession(first);
    WriteProcess(first);
    WriteFlow();
    WriteRows(SectionId::kBranches, profile_.branches, [this](const BranchCount& row) {
      return IsFlow(row) ? CountRow{} : CountRow{line_.Linear(row.from), line_.Linear(row.to), row.count};
    });
    WriteRows(SectionId::kSamples, profile_.samples, [this](const SampleCount& row) {
      return CountRow{line_.Linear(row.pc), line_.Linear(row.pc), row.count};
    });
    feed_([this](const Trace& trace) { WriteTrace(trace); });
    EndSession(first.counters);
    for (size_t i = 1; i < profile_.sessions.size(); ++i) {
      BeginSession(profile_.sessions[i]);
      WriteProcess(profile_.sessions[i]);
      EndSession(profile_.sessions[i].counters);
    }
    return error_;
  }

 private:
  void BeginSession(const ProfileSession& session) {
    info_ = session;
    label_bytes_ = 0;
    for (const auto& [key, value] : session.labels) {
      const Label label = {key.data(), value.data(), static_cast<uint32_t>(key.size()),
                           static_cast<uint32_t>(value.size())};
      if (SetLabel(labels_, &label_bytes_, label) != LabelChange::kDone)
        error_ = "a label that is outside the format's bounds";
    }
    sequence_ = 0;
    std::fill(std::begin(totals_), std::end(totals_), 0);
    builder_.Begin(info_, label_bytes_ != 0 ? labels_ : nullptr, label_bytes_);
  }

  // A frame of its own, outside the session's numbering (docs/profile_format.md, "process").
  void WriteProcess(const ProfileSession& session) {
    if (session.process_id == 0 && session.program.empty()) return;
    std::vector<uint8_t> section(kSectionHeaderBytes + kMaxVarintBytes + session.program.size());
    ByteWriter body;
    body.Reset(section.data() + kSectionHeaderBytes, section.size() - kSectionHeaderBytes);
    body.PutVarint(session.process_id);
    body.PutBytes(session.program.data(), session.program.size());
    StoreU32(section.data(), static_cast<uint32_t>(SectionId::kProcess));
    StoreU32(section.data() + 4, static_cast<uint32_t>(body.Size()));
    PutFrame(FrameKind::kProcess, 0, section.data(), kSectionHeaderBytes + body.Size());
  }

  void EndSession(const SessionCounters& counters) {
    if (!builder_.IsEmpty()) Flush(FrameKind::kData);
    totals_[0] = sequence_;
    builder_.AddCounters(counters);
    builder_.AddTotals(totals_, std::size(totals_));
    Flush(FrameKind::kEnd);
  }

  // Of rows that a flow section holds. Explicit sections hold the others.
  static bool IsFlow(const BranchCount& row) {
    return row.from.module == row.to.module && row.from.module != kNoModule;
  }

  // Both tables are sorted by module.
  void WriteFlow() {
    auto branch = profile_.branches.begin();
    auto range = profile_.ranges.begin();
    for (uint32_t module = 0; module < profile_.modules.size(); ++module) {
      FlowRows rows;
      const uint64_t low = line_.Low(module);
      for (; branch != profile_.branches.end() && branch->from.module <= module; ++branch) {
        if (IsFlow(*branch))
          rows.branches.push_back({branch->from.address - low, branch->to.address - low, branch->count});
      }
      for (; range != profile_.ranges.end() && range->module <= module; ++range) {
        rows.ranges.push_back({range->first - low, range->last - low, range->count});
      }
      if (rows.branches.empty() && rows.ranges.empty()) continue;
      for (const FlowBranch& row : rows.branches) Add(row.count, TotalKey::kBranches);
      for (const FlowRange& row : rows.ranges) Add(row.count, TotalKey::kRanges);
      WriteFlowRows(module, &rows);
    }
  }

  void Add(uint64_t count, TotalKey key) { totals_[static_cast<uint32_t>(key) - 1] += count; }

  // In as many sections as it takes. Splits rows by address, as neighbours share most.
  void WriteFlowRows(uint32_t module, FlowRows* rows) {
    const size_t count = rows->branches.size() + rows->ranges.size();
    if (count <= kMaxFlowRows) {
      const std::vector<uint8_t> body = EncodeFlow(*rows, line_.Base(module));
      if (body.size() <= kMaxFlowBytes) {
        const auto add = [&] {
          return builder_.AddSection(SectionId::kFlow, line_.Base(module), body.data(), body.size());
        };
        if (!add()) {
          Flush(FrameKind::kData);
          if (!add()) error_ = "a section that fits no frame";
        }
        return;
      }
    }
    SortFlow(rows);
    uint64_t middle = rows->branches.size() >= rows->ranges.size() ? rows->branches[rows->branches.size() / 2].from
                                                                   : rows->ranges[rows->ranges.size() / 2].last;
    FlowRows upper;
    auto branch =
        std::find_if(rows->branches.begin(), rows->branches.end(), [&](const auto& row) { return row.from >= middle; });
    auto range =
        std::find_if(rows->ranges.begin(), rows->ranges.end(), [&](const auto& row) { return row.last >= middle; });
    if (branch == rows->branches.begin() && range == rows->ranges.begin()) {
      // One branch has half of the rows.
      branch += static_cast<std::ptrdiff_t>(rows->branches.size() / 2);
      range += static_cast<std::ptrdiff_t>(rows->ranges.size() / 2);
    }
    upper.branches.assign(branch, rows->branches.end());
    upper.ranges.assign(range, rows->ranges.end());
    rows->branches.erase(branch, rows->branches.end());
    rows->ranges.erase(range, rows->ranges.end());
    WriteFlowRows(module, rows);
    WriteFlowRows(module, &upper);
  }

  template <typename Counts, typename Convert>
  void WriteRows(SectionId section, const Counts& counts, Convert convert) {
    // Rows are sorted by linear address. That differs from the order by location only for code outside every module,
    // which is first here (kOutside is 0) and last there.
    std::vector<CountRow> rows;
    rows.reserve(counts.size());
    for (const auto& count : counts) {
      const CountRow row = convert(count);
      if (row.count != 0) rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end(), [](const CountRow& a, const CountRow& b) { return IsLess(a, b); });
    uint64_t& total = totals_[static_cast<uint32_t>(section) - static_cast<uint32_t>(SectionId::kBranches) +
                              static_cast<uint32_t>(TotalKey::kBranches) - 1];
    for (size_t done = 0; done < rows.size() && error_.empty();) {
      const auto left = static_cast<uint32_t>(std::min<size_t>(rows.size() - done, 1u << 30));
      const uint32_t taken = builder_.AddRows(section, rows.data() + done, left);
      for (size_t i = done; i < done + taken; ++i) total += rows[i].count;
      done += taken;
      if (done == rows.size()) break;
      if (taken == 0 && builder_.IsEmpty()) {
        error_ = "a row that fits no frame";
        return;
      }
      Flush(FrameKind::kData);
    }
  }

  void WriteTrace(const Trace& trace) {
    std::vector<uint64_t> pairs;
    for (const auto& [from, to] : trace.branches) {
      pairs.push_back(line_.Linear(from));
      pairs.push_back(line_.Linear(to));
    }
    const uint64_t sampled = line_.Linear(trace.sampled_pc);
    const auto branches = static_cast<uint32_t>(trace.branches.size());
    bool is_added = builder_.AddTrace(trace.thread, trace.reason, sampled, pairs.data(), branches);
    if (!is_added && !builder_.IsEmpty()) {
      Flush(FrameKind::kData);
      is_added = builder_.AddTrace(trace.thread, trace.reason, sampled, pairs.data(), branches);
    }
    if (!is_added) error_ = "a trace that fits no frame";
    ++totals_[static_cast<int>(TotalKey::kTraces) - 1];
  }

  void Flush(FrameKind kind) {
    const uint8_t* payload;
    uint64_t bytes;
    if (!builder_.Finish(&payload, &bytes)) error_ = "a frame that is too large";
    PutFrame(kind, sequence_++, payload, bytes);
    builder_.Begin(info_, label_bytes_ != 0 ? labels_ : nullptr, label_bytes_);
  }

  void PutFrame(FrameKind kind, uint32_t sequence, const uint8_t* payload, uint64_t bytes) {
    uint8_t* compressed = frame_.data() + kFrameHeaderBytes;
    const size_t compressed_bytes =
        ZSTD_compressCCtx(compressor_.get(), compressed, frame_.size() - kFrameHeaderBytes, payload, bytes, level_);
    if (ZSTD_isError(compressed_bytes)) {
      error_ = ZSTD_getErrorName(compressed_bytes);
      return;
    }
    const FrameHeader header = {kFormatVersion,
                                kind,
                                info_.session_id,
                                sequence,
                                static_cast<uint32_t>(compressed_bytes),
                                static_cast<uint32_t>(bytes),
                                Crc32c(compressed, compressed_bytes)};
    EncodeFrameHeader(header, frame_.data());
    Put(frame_.data(), kFrameHeaderBytes + compressed_bytes);
  }

  void Put(const uint8_t* bytes, size_t count) {
    if (std::fwrite(bytes, 1, count, file_) != count && error_.empty()) error_ = strerror(errno);
  }

  struct FreeCompressor {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  const Profile& profile_;
  const TraceFeed& feed_;
  const AddressLine& line_;
  std::FILE* file_;
  std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor_{ZSTD_createCCtx()};
  FrameBuilder builder_;
  std::vector<uint8_t> payload_;
  std::vector<uint8_t> frame_;
  std::vector<uint64_t> used_;
  SessionInfo info_{};
  uint8_t labels_[kMostLabelsBytes];
  uint32_t label_bytes_ = 0;
  int level_ = profile_.branches.size() + profile_.ranges.size() > kManyRows ? kZstdLevelOfManyRows : kZstdLevel;
  uint32_t sequence_ = 0;
  uint64_t totals_[5] = {};
  std::string error_;
};

}  // namespace

std::string WriteProfile(const Profile& profile, std::FILE* file, const TraceFeed& feed) {
  if (!feed) {
    const TraceFeed own = [&profile](const TraceVisitor& visit) {
      for (const Trace& trace : profile.traces) visit(trace);
    };
    return WriteProfile(profile, file, own);
  }
  for (const ProfileModule& module : profile.modules) {
    if (!IsRecordable(module)) return "module " + module.name.substr(0, 64) + " is beyond the format's bounds";
  }
  AddressLine line(profile);
  if (!CoverAll(profile, feed, &line) || !line.Place()) return "a count is outside the format's bounds";
  return HostWriter(profile, feed, line, file).Write();
}

std::string WriteProfileFile(const Profile& profile, const std::string& path, const TraceFeed& feed) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) return path + ": cannot be created: " + strerror(errno);
  std::string problem = WriteProfile(profile, file, feed);
  if (std::fclose(file) != 0 && problem.empty()) problem = strerror(errno);
  return problem.empty() ? "" : path + ": cannot be written: " + problem;
}

}  // namespace softlbr::toolchain
