#include "toolchain/upload/segment_plan.h"

#include <zstd.h>

#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "runtime/format/crc32c.h"
#include "runtime/format/frame_header.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/profile_decoder.h"

namespace softlbr::toolchain {
namespace {

class Planner {
 public:
  Planner(ProfileInput* input, const SegmentRules& rules)
      : input_(*input), rules_(rules), decompressor_(ZSTD_createDCtx()) {}

  SegmentPlan Plan() {
    const std::span<const uint8_t> magic = input_.View(0, kFileMagicBytes);
    if (magic.size() < kFileMagicBytes || !IsFileMagic(magic)) {
      Fail("does not begin as a profile");
    } else {
      at_ = kFileMagicBytes;
    }
    while (plan_.damage.empty() && !input_.IsEnd(at_)) Step();
    if (!input_.error().empty()) Fail("cannot be read: " + input_.error());
    if (plan_.damage.empty() && plan_.segments.empty()) Fail("holds no frame");
    return std::move(plan_);
  }

 private:
  static bool IsFileMagic(std::span<const uint8_t> bytes) {
    return memcmp(bytes.data(), kFileMagic, kFileMagicBytes) == 0;
  }

  void Fail(const std::string& why) {
    if (plan_.damage.empty()) plan_.damage = why;
  }

  // What follows at_ is shorter than it should be.
  void Cut() {
    if (!rules_.may_be_cut) {
      Fail("ends inside a frame");
      return;
    }
    while (!input_.IsEnd(at_)) at_ += input_.View(at_, kFrameHeaderBytes).size();
  }

  void Step() {
    const std::span<const uint8_t> view = input_.View(at_, kFrameHeaderBytes);
    if (view.size() >= kFileMagicBytes && IsFileMagic(view)) {
      at_ += kFileMagicBytes;
      is_open_ = false;  // a segment is contiguous in the file
      held_bytes_ = 0;
      return;
    }
    if (view.size() < kFrameHeaderBytes) {
      Cut();
      return;
    }
    FrameHeader header;
    if (!DecodeFrameHeader(view.data(), &header)) {
      Fail("has damage at byte " + std::to_string(at_));
      return;
    }
    const std::string number = std::to_string(header.sequence);
    if (header.version == 0 || header.compressed_bytes > kMaxFramePayloadBytes ||
        header.uncompressed_bytes > kMaxFramePayloadBytes) {
      Fail("frame " + number + " is larger than any frame may be");
      return;
    }
    if (header.version != kFormatVersion) {
      Fail("frame " + number + " is of format version " + std::to_string(header.version) + ", and only version " +
           std::to_string(kFormatVersion) + " is taken; record again with a softlbr of this version");
      return;
    }
    if (header.session_id != rules_.session) {
      Fail("frame " + number + " is of session " + SessionText(header.session_id));
      return;
    }
    const bool is_numbered = header.kind != FrameKind::kProcess;
    if (is_numbered && last_ && header.sequence <= *last_) {
      Fail("frame " + number + " follows frame " + std::to_string(*last_));
      return;
    }
    content_bytes_ = SaturatingAdd(content_bytes_, header.uncompressed_bytes);
    if (content_bytes_ > rules_.max_content_bytes) {
      Fail("holds more than " + ByteSize(rules_.max_content_bytes) + ", decompressed");
      return;
    }
    const std::span<const uint8_t> payload = input_.View(at_ + kFrameHeaderBytes, header.compressed_bytes);
    if (payload.size() < header.compressed_bytes) {
      Cut();
      return;
    }
    if (!IsIntact(header, payload)) {
      Fail("frame " + number + " is damaged");
      return;
    }
    if (rules_.must_be_known && !IsKnown(header)) {
      Fail("frame " + number + " holds what this version cannot check; is the server's softlbr older than the app's?");
      return;
    }
    if (is_numbered) {
      Add(header);
    } else {
      AddUnnumbered(kFrameHeaderBytes + uint64_t{header.compressed_bytes});
    }
  }

  static bool IsOfKnownKind(const FrameHeader& header) {
    return header.kind == FrameKind::kData || header.kind == FrameKind::kEnd || header.kind == FrameKind::kProcess;
  }

  // Of an intact frame.
  bool IsKnown(const FrameHeader& header) const {
    return IsOfKnownKind(header) && frame_.sections != 0 && frame_.unknown_parts == 0 &&
           frame_.process.has_value() == (header.kind == FrameKind::kProcess) &&
           frame_.total_frames.has_value() == (header.kind == FrameKind::kEnd);
  }

  bool IsIntact(const FrameHeader& header, std::span<const uint8_t> payload) {
    if (Crc32c(payload.data(), payload.size()) != header.payload_crc) return false;
    if (!IsOfKnownKind(header)) return true;
    content_.resize(header.uncompressed_bytes);
    const size_t bytes =
        ZSTD_decompressDCtx(decompressor_.get(), content_.data(), content_.size(), payload.data(), payload.size());
    if (ZSTD_isError(bytes) || bytes != header.uncompressed_bytes) return false;
    frame_ = {};
    return DecodeFrame(content_, &frame_);
  }

  void Add(const FrameHeader& header) {
    const uint64_t bytes = held_bytes_ + kFrameHeaderBytes + header.compressed_bytes;
    if (is_open_ && last_ && header.sequence == uint64_t{*last_} + 1 && FitsOpenSegment(bytes)) {
      plan_.segments.back().name.last = header.sequence;
      plan_.segments.back().bytes += bytes;
    } else {
      plan_.segments.push_back({{rules_.session, header.sequence, header.sequence}, at_ - held_bytes_, bytes});
      is_open_ = true;
    }
    last_ = header.sequence;
    at_ += bytes - held_bytes_;
    held_bytes_ = 0;
  }

  // A frame outside the numbering travels with the numbered one behind it, or at the end of the file with the one
  // before.
  void AddUnnumbered(uint64_t bytes) {
    held_bytes_ += bytes;
    at_ += bytes;
    if (is_open_ && input_.IsEnd(at_)) plan_.segments.back().bytes += held_bytes_;
  }

  bool FitsOpenSegment(uint64_t bytes) const {
    return kFileMagicBytes + plan_.segments.back().bytes + bytes <= rules_.segment_bytes;
  }

  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  ProfileInput& input_;
  const SegmentRules rules_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> decompressor_;
  std::vector<uint8_t> content_;
  DecodedFrame frame_;
  SegmentPlan plan_;
  uint64_t at_ = 0;
  uint64_t content_bytes_ = 0;
  std::optional<uint32_t> last_;
  uint64_t held_bytes_ = 0;  // of unnumbered frames right before at_, in no segment yet
  bool is_open_ = false;     // the last segment may grow
};

}  // namespace

SegmentPlan PlanSegments(ProfileInput* input, const SegmentRules& rules) { return Planner(input, rules).Plan(); }

}  // namespace softlbr::toolchain
