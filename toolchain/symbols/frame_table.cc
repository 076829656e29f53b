#include "toolchain/symbols/frame_table.h"

#include <algorithm>
#include <cstring>

namespace softlbr::toolchain {
namespace {

// Encodings of pointers in unwind tables (DW_EH_PE_*).
constexpr uint8_t kFormat = 0x0f;
constexpr uint8_t kUnsigned4 = 0x03;
constexpr uint8_t kRelativeSigned4 = 0x3b;  // to the beginning of .eh_frame_hdr
constexpr size_t kIndexHeaderBytes = 12;    // version, three encodings, .eh_frame's place, count
constexpr size_t kIndexEntryBytes = 8;

// Reads on in a table. Once a read has failed, all do, and values are 0.
class TableReader {
 public:
  TableReader(std::span<const uint8_t> bytes, uint64_t at) : bytes_(bytes), at_(at), has_failed_(at > bytes.size()) {}

  template <typename T>
  T Get() {
    T value{};
    if (has_failed_ || bytes_.size() - at_ < sizeof value) {
      has_failed_ = true;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t GetLeb() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const auto byte = Get<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  // The bytes of a pointer of this format, as an unsigned value.
  uint64_t GetPointer(uint8_t encoding) {
    switch (encoding & kFormat) {
      case 0x00:
      case 0x04:
      case 0x0c: return Get<uint64_t>();
      case 0x02:
      case 0x0a: return Get<uint16_t>();
      case 0x03:
      case 0x0b: return Get<uint32_t>();
      default: has_failed_ = true; return 0;
    }
  }
  uint64_t at() const { return at_; }
  bool has_failed() const { return has_failed_; }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t at_;
  bool has_failed_;
};

// How the descriptors of a common entry, which begins at `at`, encode addresses.
std::optional<uint8_t> AddressEncoding(std::span<const uint8_t> frames, uint64_t at) {
  TableReader reader(frames, at);
  reader.Get<uint32_t>();  // length
  if (reader.Get<uint32_t>() != 0) return std::nullopt;
  const auto version = reader.Get<uint8_t>();
  std::string augmentation;
  while (const char letter = reader.Get<char>()) augmentation += letter;
  if (augmentation.empty()) return reader.has_failed() ? std::nullopt : std::optional<uint8_t>(0);
  if (augmentation[0] != 'z') return std::nullopt;
  reader.GetLeb();  // alignment of code
  reader.GetLeb();  // alignment of data
  if (version == 1) {
    reader.Get<uint8_t>();  // return address register
  } else {
    reader.GetLeb();
  }
  reader.GetLeb();  // bytes of the following
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') {
      const auto encoding = reader.Get<uint8_t>();
      return reader.has_failed() ? std::nullopt : std::optional<uint8_t>(encoding);
    }
    if (letter == 'L') reader.Get<uint8_t>();
    if (letter == 'P') reader.GetPointer(reader.Get<uint8_t>());
  }
  return 0;
}

}  // namespace

FrameTable::FrameTable(const ElfImage& image) {
  const ElfSection* header = image.FindSection(".eh_frame_hdr");
  const ElfSection* frames = image.FindSection(".eh_frame");
  if (header == nullptr || frames == nullptr) return;
  const std::span<const uint8_t> bytes = image.SectionBytes(*header);
  TableReader reader(bytes, 0);
  const auto version = reader.Get<uint8_t>();
  const auto frame_encoding = reader.Get<uint8_t>();
  const auto count_encoding = reader.Get<uint8_t>();
  const auto table_encoding = reader.Get<uint8_t>();
  reader.GetPointer(frame_encoding);
  const auto count = reader.Get<uint32_t>();
  if (reader.has_failed() || reader.at() != kIndexHeaderBytes || version != 1 || count_encoding != kUnsigned4 ||
      table_encoding != kRelativeSigned4) {
    return;
  }
  index_ = bytes.subspan(kIndexHeaderBytes);
  index_base_ = header->vaddr;
  count_ = std::min<size_t>(count, index_.size() / kIndexEntryBytes);
  frames_ = image.SectionBytes(*frames);
  frames_base_ = frames->vaddr;
}

uint64_t FrameTable::StartOf(size_t number) const {
  return index_base_ + static_cast<uint64_t>(int64_t{TableReader(index_, number * kIndexEntryBytes).Get<int32_t>()});
}

size_t FrameTable::CountUpTo(uint64_t address) const {
  size_t low = 0;
  size_t high = count_;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (StartOf(middle) <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// 0: not known.
uint64_t FrameTable::EndOf(size_t number) const {
  const int32_t offset = TableReader(index_, number * kIndexEntryBytes + sizeof(int32_t)).Get<int32_t>();
  const uint64_t at = index_base_ + static_cast<uint64_t>(int64_t{offset}) - frames_base_;
  TableReader reader(frames_, at);
  const auto bytes = reader.Get<uint32_t>();
  const uint64_t common_at = reader.at();
  const uint64_t common = common_at - reader.Get<uint32_t>();
  if (reader.has_failed() || bytes == ~0u) return 0;
  const std::optional<uint8_t> encoding = AddressEncoding(frames_, common);
  if (!encoding.has_value()) return 0;
  reader.GetPointer(*encoding);
  const uint64_t length = reader.GetPointer(*encoding);
  const uint64_t start = StartOf(number);
  return reader.has_failed() || length > UINT64_MAX - start ? 0 : start + length;
}

std::optional<FrameTable::Function> FrameTable::Find(uint64_t address) const {
  const size_t up_to = CountUpTo(address);
  if (up_to == 0) return std::nullopt;
  const Function function{StartOf(up_to - 1), EndOf(up_to - 1)};
  return address >= function.start && address < function.end ? std::optional(function) : std::nullopt;
}

std::optional<uint64_t> FrameTable::NextStart(uint64_t address) const {
  const size_t up_to = CountUpTo(address);
  return up_to < count_ ? std::optional(StartOf(up_to)) : std::nullopt;
}

}  // namespace softlbr::toolchain
