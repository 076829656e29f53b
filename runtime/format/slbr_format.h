// The bytes of a profile (.slbr): magics, version, section numbers, bounds. docs/profile_format.md is normative.
//
// Who: the runtime's profile writer, the host's reader and writer. Constants and plain structs only.
// ABI: everything here is on disk. Append only, never renumber; a change of meaning raises kFormatVersion.
#ifndef SOFTLBR_RUNTIME_FORMAT_SLBR_FORMAT_H_
#define SOFTLBR_RUNTIME_FORMAT_SLBR_FORMAT_H_

#include <cstdint>

namespace softlbr {

// Of every frame. Readers take no other.
inline constexpr uint8_t kFormatVersion = 2;

// Starts a file, and each file of a concatenation. Like PNG's magic, it reveals damage by a text-mode transfer.
inline constexpr uint32_t kFileMagicBytes = 8;
inline constexpr uint8_t kFileMagic[kFileMagicBytes] = {0x89, 'S', 'L', 'B', 'R', '\r', '\n', 0x1a};

// Starts a frame. After damage, a reader searches for these bytes and a header with a correct checksum.
inline constexpr uint32_t kFrameMagicBytes = 4;
inline constexpr uint8_t kFrameMagic[kFrameMagicBytes] = {0xf5, 's', 'l', 'f'};

// The header keeps its layout in all versions.
inline constexpr uint32_t kFrameHeaderBytes = 36;
// Bound of a frame's payload, before and after compression. A reader refuses a frame that claims more.
inline constexpr uint32_t kMaxFramePayloadBytes = 1u << 20;

enum class FrameKind : uint8_t {
  kData = 1,     // sections that add to the session
  kEnd = 2,      // the last frame of a complete session; holds the totals
  kProcess = 3,  // names the session's process; outside the session's numbering
};

// Sections of a payload: u32 section id, u32 byte length, both little-endian, then the body.
enum class SectionId : uint32_t {
  kInfo = 1,      // pairs of (key of session_info.def, value); the last one of a session wins
  kCounters = 2,  // pairs of (key of counters.def, value); totals so far, the last one of a session wins
  kModules = 3,   // the modules that this frame's addresses lie in
  kBranches = 4,  // counts of taken branches
  kRanges = 5,    // counts of fall-through ranges
  kSamples = 6,   // counts of sampled pcs
  kTraces = 7,    // whole traces
  kTotals = 8,    // pairs of (TotalKey, value), in an end frame
  kProcess = 9,   // varint process id, then the base name of its program up to the end; in a process frame
  kFlow = 10,     // branches and ranges within one module
  kLabels = 11,   // key and value pairs (labels.h); the last one of a session wins
};
inline constexpr uint32_t kSectionHeaderBytes = 8;

enum class TotalKey : uint8_t {
  kFrames = 1,    // frames of the session handed to the sink before this one, taken or not
  kBranches = 2,  // sums of the counts in them
  kRanges = 3,
  kSamples = 4,
  kTraces = 5,
};

// Bounds of a module record; a record beyond them is damaged.
inline constexpr uint32_t kMaxRecordNameBytes = 4096;
inline constexpr uint32_t kMaxRecordBuildIdBytes = 64;
inline constexpr uint32_t kMaxRecordSegments = 64;
inline constexpr uint32_t kMaxRecordModules = 65536;  // of one frame
inline constexpr uint64_t kModuleIsMain = 1;          // flag

// A frame places its modules side by side on one address line: link-time address V of a module is base + (V - low). 0
// means "outside every module".
inline constexpr uint64_t kOutside = 0;
inline constexpr uint64_t kMaxLinear = 1ull << 62;

// A PT_LOAD entry of the ELF program header table.
struct ModuleSegment {
  uint64_t vaddr;
  uint64_t file_offset;
  uint64_t file_bytes;
  uint64_t memory_bytes;
  uint32_t flags;  // PF_R | PF_W | PF_X
  uint32_t reserved;
};

// A module as an encoder sees it; points into the caller's memory.
struct ModuleRecord {
  const char* name;
  const uint8_t* build_id;
  const ModuleSegment* segments;
  uint32_t name_bytes;
  uint32_t build_id_bytes;
  uint32_t segment_count;
  uint16_t machine;
  uint16_t elf_type;
  bool is_main;
  uint64_t low;   // lowest link-time address
  uint64_t span;  // bytes from there on
};

// A row of one of the three count sections, with addresses on the line. Also the entry of the runtime's tables, so that
// a table can be sorted and encoded in place.
struct CountRow {
  uint64_t first;   // kBranches: from; kRanges: its first instruction; kSamples: the pc
  uint64_t second;  // kBranches: to; kRanges: its last instruction; kSamples: the pc again
  uint64_t count;
};
inline constexpr uint32_t kCountSections = 3;  // kBranches, kRanges, kSamples, one after the other

inline bool IsLess(const CountRow& a, const CountRow& b) {
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

// True if a profile may hold first .. last as a fall-through range, both ends in one module. No program runs straight
// through a longer one: the runtime counts it as implausible, readers refuse the frame, converters drop it.
inline constexpr uint64_t kMaxRangeBytes = 1ull << 20;
inline bool IsRange(uint64_t first, uint64_t last) { return first <= last && last - first < kMaxRangeBytes; }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_SLBR_FORMAT_H_
