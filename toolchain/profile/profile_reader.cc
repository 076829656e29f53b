#include "toolchain/profile/profile_reader.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/format/crc32c.h"
#include "runtime/format/frame_header.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/base/profile_input.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_decoder.h"
#include "toolchain/profile/seen_frames.h"

namespace softlbr::toolchain {
namespace {

// The part of kMaxReaderBytes that does not hold the profile: the input window, one frame (compressed and decoded),
// SeenFrames, and zstd.
constexpr uint64_t kReserveBytes = 64ull << 20;
static_assert(kMaxProfileBytes + kReserveBytes <= kMaxReaderBytes);
// A file without magic or frame header up to this offset is not a profile.
constexpr uint64_t kMaxLeadingGarbageBytes = 16ull << 20;
// In a forged file, payloads can overlap. Payload bytes with wrong checksums may exceed the bytes read so far by this
// much.
constexpr uint64_t kMaxWastedBytes = 256ull << 20;

class Reader {
 public:
  Reader(ProfileInput* input, const std::string& name, ProfileBuilder builder = ProfileBuilder())
      : input_(*input), name_(name), builder_(std::move(builder)), decompressor_(ZSTD_createDCtx()) {}

  std::variant<Profile, ReadError> Read() {
    while (!is_stopped_ && !input_.IsEnd(at_)) Step();
    if (!input_.error().empty()) return Error("cannot be read: " + input_.error());
    if (!fatal_.empty()) return Error(fatal_);
    if (other_version_ != 0) {
      return Error(
          "written in format version " + std::to_string(other_version_) + ", this softlbr reads version " +
          std::to_string(kFormatVersion) + "; " +
          (other_version_ > kFormatVersion ? "update softlbr" : "record again with a softlbr of this version"));
    }
    if (frames_ == 0) return Error(WhyNothing());
    Profile profile = builder_.Take();
    profile.format_version = kFormatVersion;
    profile.damaged_frames = damaged_;
    profile.repeated_frames = repeated_;
    profile.is_truncated |= is_cut_;
    return profile;
  }

 private:
  ReadError Error(const std::string& text) const { return ReadError{name_ + ": " + text}; }

  std::string WhyNothing() {
    if (at_ == 0) return "empty file; nothing was recorded into it, run `softlbr record` again";
    if (saw_header_ || saw_magic_) {
      if (damaged_ != 0) return "damaged: not one of its frames is intact; copy it again from where it was recorded";
      return "truncated: ends before its first frame is complete; copy it again, or record again";
    }
    if (is_cut_) return "truncated: ends before its first frame is complete; copy it again, or record again";
    return "not a softlbr profile (bad magic); was it written by `softlbr record`?";
  }

  // Handles the magic, frame or damage at at_ and advances at_ by at least one byte.
  void Step() {
    const std::span<const uint8_t> view = input_.View(at_, kFrameHeaderBytes);
    if (view.size() >= kFileMagicBytes && memcmp(view.data(), kFileMagic, kFileMagicBytes) == 0) {
      saw_magic_ = true;
      at_ += kFileMagicBytes;
      return;
    }
    FrameHeader header;
    if (view.size() >= kFrameHeaderBytes && DecodeFrameHeader(view.data(), &header)) {
      saw_header_ = true;
      StepFrame(header);
      return;
    }
    if (IsStartOf(view, kFileMagic, kFileMagicBytes) || IsStartOf(view, kFrameMagic, kFrameMagicBytes)) {
      // The file ends inside a header.
      is_cut_ = true;
      at_ += view.size();
      return;
    }
    ++damaged_;
    Resynchronise(at_ + 1);
  }

  void StepFrame(const FrameHeader& header) {
    const uint64_t payload_at = at_ + kFrameHeaderBytes;
    if (header.version == 0 || header.compressed_bytes > kMaxFramePayloadBytes ||
        header.uncompressed_bytes > kMaxFramePayloadBytes) {
      ++damaged_;
      Resynchronise(payload_at);
      return;
    }
    const std::span<const uint8_t> payload = input_.View(payload_at, header.compressed_bytes);
    if (payload.size() < header.compressed_bytes) {
      // If another frame follows, bytes are missing inside the file: this frame is damaged. Otherwise the file was
      // truncated.
      if (Resynchronise(payload_at)) {
        ++damaged_;
      } else {
        is_cut_ = true;
      }
      return;
    }
    if (Crc32c(payload.data(), payload.size()) != header.payload_crc) {
      ++damaged_;
      wasted_ += payload.size();
      if (wasted_ > at_ + kMaxWastedBytes) {
        Stop("damaged beyond reading; copy it again from where it was recorded");
        return;
      }
      Resynchronise(payload_at);
      return;
    }
    at_ = payload_at + header.compressed_bytes;
    if (header.version != kFormatVersion) {
      other_version_ = header.version;
      return;
    }
    if (!TakeFrame(header, payload)) ++damaged_;
  }

  // False if the frame's content is invalid.
  bool TakeFrame(const FrameHeader& header, std::span<const uint8_t> payload) {
    // Frames of these two kinds state totals, and may be repeated.
    const bool has_totals = header.kind == FrameKind::kEnd || header.kind == FrameKind::kProcess;
    if (!has_totals && header.kind != FrameKind::kData) {
      ++frames_;
      if (IsRepeated(header)) return true;
      if (!builder_.AddUnknownFrame(header.session_id)) StopTooLarge();
      return true;
    }
    content_.resize(header.uncompressed_bytes);
    const size_t bytes =
        ZSTD_decompressDCtx(decompressor_.get(), content_.data(), content_.size(), payload.data(), payload.size());
    if (ZSTD_isError(bytes) || bytes != header.uncompressed_bytes) return false;
    DecodedFrame frame;
    if (!DecodeFrame(content_, &frame)) return false;
    ++frames_;
    if (!has_totals && IsRepeated(header)) return true;
    if (header.kind == FrameKind::kProcess) {
      if (!builder_.AddProcess(header.session_id, std::move(frame.process))) StopTooLarge();
      return true;
    }
    if (!builder_.AddFrame(header.session_id, header.kind == FrameKind::kEnd, std::move(frame))) StopTooLarge();
    return true;
  }

  bool IsRepeated(const FrameHeader& header) {
    const bool is_repeated = !seen_.Add(header);
    repeated_ += is_repeated ? 1 : 0;
    return is_repeated;
  }

  // Advances at_ to the next valid frame header and returns true. Without one: false, and at_ is at a header that the
  // end of the file truncates, or at the end.
  bool Resynchronise(uint64_t from) {
    for (at_ = from;;) {
      if (!saw_magic_ && !saw_header_ && at_ > kMaxLeadingGarbageBytes) {
        is_stopped_ = true;
        return false;
      }
      const std::span<const uint8_t> view = input_.View(at_, kScanBytes);
      if (view.empty()) return false;
      const void* hit = memchr(view.data(), kFrameMagic[0], view.size());
      if (hit == nullptr) {
        at_ += view.size();
        continue;
      }
      at_ += static_cast<uint64_t>(static_cast<const uint8_t*>(hit) - view.data());
      const std::span<const uint8_t> candidate = input_.View(at_, kFrameHeaderBytes);
      FrameHeader header;
      if (candidate.size() == kFrameHeaderBytes && DecodeFrameHeader(candidate.data(), &header)) return true;
      if (candidate.size() < kFrameHeaderBytes && candidate.size() >= kFrameMagicBytes &&
          IsStartOf(candidate, kFrameMagic, kFrameMagicBytes)) {
        return false;
      }
      ++at_;
    }
  }

  // True if `view` is shorter than a header and begins with the magic or, if shorter than that, with a prefix of it.
  static bool IsStartOf(std::span<const uint8_t> view, const uint8_t* magic, size_t magic_bytes) {
    if (view.size() >= kFrameHeaderBytes) return false;
    return memcmp(view.data(), magic, std::min(view.size(), magic_bytes)) == 0;
  }

  void Stop(const std::string& why) {
    is_stopped_ = true;
    fatal_ = why;
  }
  void StopTooLarge() {
    Stop("holds more than fits " + std::to_string(kMaxReaderBytes >> 20) +
         " MiB in memory; record for a shorter time, or copy traces from a pipe to a file first");
  }

  struct FreeDecompressor {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  static constexpr size_t kScanBytes = 64u << 10;
  static_assert(kMaxFramePayloadBytes <= ProfileInput::kWindowBytes / 2 &&
                kScanBytes <= ProfileInput::kWindowBytes / 2);

  ProfileInput& input_;
  const std::string& name_;
  ProfileBuilder builder_;
  std::unique_ptr<ZSTD_DCtx, FreeDecompressor> decompressor_;
  std::vector<uint8_t> content_;
  uint64_t at_ = 0;
  uint64_t frames_ = 0;   // intact
  uint64_t damaged_ = 0;  // frames, and byte sequences that are not a frame
  SeenFrames seen_;
  uint64_t repeated_ = 0;
  uint64_t wasted_ = 0;  // bytes of payloads with a wrong checksum
  uint32_t other_version_ = 0;
  bool saw_magic_ = false;
  bool saw_header_ = false;
  bool is_cut_ = false;
  bool is_stopped_ = false;
  std::string fatal_;
};

}  // namespace

std::variant<Profile, ReadError> ReadProfile(std::span<const uint8_t> bytes, const std::string& display_name) {
  ProfileInput input(bytes);
  return Reader(&input, display_name).Read();
}

namespace {

std::variant<Profile, ReadError> ReadFileInto(const std::string& path, ProfileBuilder builder) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ReadError{path + ": cannot be opened: " + strerror(errno), true};
  ProfileInput input(fd);
  auto result = Reader(&input, path, std::move(builder)).Read();
  close(fd);
  return result;
}

}  // namespace

std::variant<Profile, ReadError> ReadProfileFile(const std::string& path) {
  return ReadFileInto(path, ProfileBuilder());
}

std::variant<Profile, ReadError> ReadProfileFile(const std::string& path, const TraceVisitor& visit) {
  return ReadFileInto(path, ProfileBuilder(&visit));
}

std::variant<Profile, ReadError> ReadTraces(const std::string& path, const TraceVisitor& visit) {
  return ReadFileInto(path, ProfileBuilder(&visit, ProfileBuilder::Rows::kIgnored));
}

}  // namespace softlbr::toolchain
