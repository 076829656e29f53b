// Encodes the sections of one frame at a time: the only encoder of profiles, shared by the runtime and the host tools.
//
// Who: runtime/profile/profile_writer.cc (control, no heap) and toolchain/profile/profile_writer_host.cc.
// Memory: the caller's buffer, and one bit per module for "used in this frame".
// Full: AddRows takes the rows that are sure to fit and returns how many; the caller ends the frame, begins the next
//   and adds the rest.
//
// Invariants:
//   I1  Size() + bytes of the records of all used modules + one section header <= capacity, after every call.
//   I2  a frame is self-contained: it describes every module that its addresses lie in.
#ifndef SOFTLBR_RUNTIME_FORMAT_FRAME_BUILDER_H_
#define SOFTLBR_RUNTIME_FORMAT_FRAME_BUILDER_H_

#include <cstdint>

#include "platform/base/reasons.h"
#include "runtime/counters/session_counters.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/slbr_format.h"

namespace softlbr {

// The modules on the address line (slbr_format.h): module m owns [bases[m], bases[m] + span).
struct ModuleSource {
  const void* cookie;
  uint32_t count;
  const uint64_t* bases;  // ascending, > 0
  void (*describe)(const void* cookie, uint32_t module, ModuleRecord* record);
};

class FrameBuilder {
 public:
  static constexpr uint64_t UsedWords(uint64_t modules) { return (modules + 63) / 64; }

  void Init(uint8_t* buffer, uint64_t capacity);
  // Between frames only. used: UsedWords(source.count) words.
  void SetModules(const ModuleSource& source, uint64_t* used);

  // labels: the body of a labels section (labels.h), copied; nullptr: the frame has no such section.
  void Begin(const SessionInfo& info, const uint8_t* labels = nullptr, uint64_t label_bytes = 0);
  // Rows of a count section: sorted (IsLess), with addresses on the line. Returns how many were taken, from the front.
  uint32_t AddRows(SectionId id, const CountRow* rows, uint32_t count);
  // pairs: branch_count times {from, to}. False if they do not fit; nothing was added.
  bool AddTrace(uint32_t thread, AbortReason reason, uint64_t sampled, const uint64_t* pairs, uint32_t branch_count);
  // False if they do not fit: begin a new frame.
  bool AddCounters(const SessionCounters& counters);
  bool AddTotals(const uint64_t* totals, uint32_t count);  // totals[i] has TotalKey i + 1
  // A whole section of rows of the module at this base, which the host encodes. False if they do not fit: begin a new
  // frame. Inline, as the app has no use for it.
  bool AddSection(SectionId id, uint64_t base, const uint8_t* body, uint64_t bytes) {
    const uint64_t bases[] = {base};
    const bool has_module = Admit(0, bases, 1);
    promised_ = 0;
    ByteWriter section = {const_cast<uint8_t*>(body), const_cast<uint8_t*>(body) + bytes, nullptr, false};
    return has_module && AddPairs(id, section);
  }

  // True if the frame holds only the session's info and labels.
  bool IsEmpty() const { return is_empty_; }
  // Ends the frame: *payload is valid until Begin. False if an invariant was broken (our bug).
  bool Finish(const uint8_t** payload, uint64_t* bytes);

 private:
  bool AddPairs(SectionId id, const ByteWriter& pairs);
  void OpenSection(SectionId id);
  void CloseSection();
  // Reserves room for `bytes` more and for the records of the addresses' modules; false if there is not enough.
  bool Admit(uint64_t bytes, const uint64_t* addresses, uint64_t count);
  uint32_t ModuleOf(uint64_t address);

  ByteWriter out_;
  ModuleSource source_;
  uint64_t* used_;  // one bit per module
  uint32_t used_count_;
  uint64_t module_bytes_;  // of the records of used modules
  uint64_t promised_;      // reserved by Admit and not yet written
  uint8_t* section_;       // the open section's body, nullptr if none
  uint32_t last_module_;   // the last result of ModuleOf: neighbours mostly share it
  bool in_traces_;
  bool is_empty_;
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_FRAME_BUILDER_H_
