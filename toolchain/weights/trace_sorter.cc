#include "toolchain/weights/trace_sorter.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <string_view>
#include <utility>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

// What a held trace takes beside its bytes.
constexpr uint64_t kHeldOverheadBytes = sizeof(std::string) + 16;

void PutTraceNumber(uint64_t value, std::string* text) {
  for (; value >= 0x80; value >>= 7) text->push_back(static_cast<char>(value | 0x80));
  text->push_back(static_cast<char>(value));
}

uint64_t TakeTraceNumber(std::string_view* text) {
  uint64_t value = 0;
  for (int shift = 0; !text->empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(text->front());
    text->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// Modules as they are, addresses as the difference from the one before, whose sign is in the lowest bit.
class LocationCoder {
 public:
  void Put(const Location& location, std::string* text) {
    PutTraceNumber(location.module, text);
    const uint64_t difference = location.address - std::exchange(last_, location.address);
    PutTraceNumber(difference >> 63 != 0 ? ~(difference << 1) : difference << 1, text);
  }
  Location Take(std::string_view* text) {
    const auto module = static_cast<uint32_t>(TakeTraceNumber(text));
    const uint64_t difference = TakeTraceNumber(text);
    last_ += (difference & 1) != 0 ? ~(difference >> 1) : difference >> 1;
    return {module, last_};
  }

 private:
  uint64_t last_ = 0;
};

std::string EncodeHeldTrace(const Trace& trace) {
  std::string text;
  LocationCoder coder;
  PutTraceNumber(trace.thread, &text);
  PutTraceNumber(static_cast<uint64_t>(trace.reason), &text);
  coder.Put(trace.sampled_pc, &text);
  for (const auto& [from, to] : trace.branches) {
    coder.Put(from, &text);
    coder.Put(to, &text);
  }
  return text;
}

Trace DecodeHeldTrace(std::string_view text) {
  Trace trace;
  LocationCoder coder;
  trace.thread = static_cast<uint32_t>(TakeTraceNumber(&text));
  trace.reason = static_cast<AbortReason>(TakeTraceNumber(&text));
  trace.sampled_pc = coder.Take(&text);
  while (!text.empty()) {
    const Location from = coder.Take(&text);
    trace.branches.emplace_back(from, coder.Take(&text));
  }
  return trace;
}

[[noreturn]] void FailOnTemporaryFile() {
  throw StatedFailure(std::string("the temporary file for whole traces cannot be used: ") + std::strerror(errno) +
                      "; free space in /tmp");
}

}  // namespace

// Reads a part trace by trace: their length as 4 bytes of this machine, then the encoding.
class TraceSorter::PartReader {
 public:
  PartReader(std::FILE* file, Part part) : file_(file), at_(part.begin), end_(part.end) {}

  bool Next() {
    if (at_ == end_ && used_ == buffer_.size()) return false;
    uint32_t bytes = 0;
    Need(sizeof bytes);
    std::memcpy(&bytes, buffer_.data() + used_, sizeof bytes);
    used_ += sizeof bytes;
    Need(bytes);
    trace_ = std::string_view(buffer_).substr(used_, bytes);
    used_ += bytes;
    return true;
  }
  std::string_view trace() const { return trace_; }

 private:
  static constexpr uint64_t kReadBytes = 64u << 10;

  void Need(uint64_t bytes) {
    if (buffer_.size() - used_ >= bytes) return;
    buffer_.erase(0, used_);
    used_ = 0;
    const uint64_t held = buffer_.size();
    const uint64_t more = std::min(std::max(kReadBytes, bytes - held), end_ - at_);
    buffer_.resize(held + more);
    if (fseeko(file_, static_cast<off_t>(at_), SEEK_SET) != 0 ||
        std::fread(buffer_.data() + held, 1, more, file_) != more || buffer_.size() < bytes) {
      FailOnTemporaryFile();
    }
    at_ += more;
  }

  std::FILE* file_;
  uint64_t at_;
  uint64_t end_;
  std::string buffer_;
  uint64_t used_ = 0;
  std::string_view trace_;
};

void TraceSorter::Add(const Trace& trace) {
  held_.push_back(EncodeHeldTrace(trace));
  held_bytes_ += held_.back().capacity() + kHeldOverheadBytes;
  if (held_bytes_ > budget_) SpillHeld();
}

void TraceSorter::SortHeld() { std::sort(held_.begin(), held_.end()); }

void TraceSorter::SpillHeld() {
  if (held_.empty()) return;
  SortHeld();
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr || fseeko(file_.get(), 0, SEEK_END) != 0) FailOnTemporaryFile();
  Part part{static_cast<uint64_t>(ftello(file_.get())), 0};
  for (const std::string& trace : held_) {
    const auto bytes = static_cast<uint32_t>(trace.size());
    if (std::fwrite(&bytes, sizeof bytes, 1, file_.get()) != 1 ||
        std::fwrite(trace.data(), 1, bytes, file_.get()) != bytes) {
      FailOnTemporaryFile();
    }
  }
  if (std::fflush(file_.get()) != 0) FailOnTemporaryFile();
  part.end = static_cast<uint64_t>(ftello(file_.get()));
  parts_.push_back(part);
  held_ = {};
  held_bytes_ = 0;
}

void TraceSorter::Visit(const TraceVisitor& visit) {
  if (parts_.empty()) {
    SortHeld();
    for (const std::string& trace : held_) visit(DecodeHeldTrace(trace));
    return;
  }
  SpillHeld();
  std::vector<PartReader> readers;
  for (const Part& part : parts_) readers.emplace_back(file_.get(), part);
  const auto is_later = [&readers](size_t a, size_t b) { return readers[a].trace() > readers[b].trace(); };
  std::priority_queue<size_t, std::vector<size_t>, decltype(is_later)> next(is_later);
  for (size_t i = 0; i < readers.size(); ++i) {
    if (readers[i].Next()) next.push(i);
  }
  while (!next.empty()) {
    const size_t first = next.top();
    next.pop();
    visit(DecodeHeldTrace(readers[first].trace()));
    if (readers[first].Next()) next.push(first);
  }
}

}  // namespace softlbr::toolchain
