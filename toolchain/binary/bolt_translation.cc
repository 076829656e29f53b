#include "toolchain/binary/bolt_translation.h"

#include <cstring>

namespace softlbr::toolchain {

class BoltTableReader {
 public:
  explicit BoltTableReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool Read(BoltTranslation* table) {
    uint32_t name_bytes = 0;
    uint32_t content_bytes = 0;
    uint32_t type = 0;
    if (!Fixed(&name_bytes) || !Fixed(&content_bytes) || !Fixed(&type) || type != kNoteType ||
        name_bytes > kMaxNameBytes)
      return false;
    Skip((name_bytes + 3) & ~3u);
    if (!is_good_ || bytes_.size() < content_bytes) return false;
    bytes_ = bytes_.first(content_bytes);
    std::vector<uint64_t> starts;
    return ReadFunctions(false, &starts, table) && ReadFunctions(true, &starts, table);
  }

 private:
  static constexpr uint32_t kNoteType = 1;
  static constexpr uint32_t kMaxNameBytes = 64;

  template <typename T>
  bool Fixed(T* value) {
    is_good_ = is_good_ && bytes_.size() >= sizeof *value;
    if (!is_good_) return false;
    std::memcpy(value, bytes_.data(), sizeof *value);
    bytes_ = bytes_.subspan(sizeof *value);
    return true;
  }
  void Skip(uint64_t count) {
    is_good_ = is_good_ && bytes_.size() >= count;
    if (is_good_) bytes_ = bytes_.subspan(count);
  }
  // LEB128. At most ten bytes.
  uint64_t Number(bool is_signed = false) {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
      uint8_t byte = 0;
      if (!Fixed(&byte)) return 0;
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return value;
    }
    is_good_ = false;
    return 0;
  }

  // Addresses are distances from the one before, across functions and tables.
  bool ReadFunctions(bool are_parts, std::vector<uint64_t>* starts, BoltTranslation* table) {
    const uint64_t count = Number();
    uint64_t parent = 0;
    for (uint64_t i = 0; i < count && is_good_; ++i) {
      const uint64_t start = address_ += Number();
      uint64_t skew = 0;
      uint64_t entries_elsewhere = 0;
      if (are_parts) {
        parent += Number();
        if (parent >= starts->size()) return false;
        table->parents_[start] = (*starts)[parent];
        skew = Number();
      } else {
        starts->push_back(start);
        Skip(sizeof(uint64_t));  // a hash of the function
        (void)Number();          // its blocks
        entries_elsewhere = Number();
      }
      if (!ReadPlaces(start, skew, &table->functions_[start])) return false;
      for (uint64_t entry = 0; entry < entries_elsewhere && is_good_; ++entry) (void)Number();
    }
    return is_good_;
  }

  bool ReadPlaces(uint64_t start, uint64_t skew, BoltTranslation::Places* places) {
    const uint64_t count = Number();
    const uint64_t equal = Number();
    if (!is_good_ || count > bytes_.size() || equal > count) return false;
    // Of those at the beginning that are at equal offsets, a bit each says whether it is a branch.
    const std::span<const uint8_t> are_branches = bytes_;
    Skip((equal + 7) / 8);
    uint64_t input = 0;  // twice the offset, and 1 for a branch
    for (uint64_t i = 0; i < count && is_good_; ++i) {
      address_ += Number();
      const uint64_t offset = address_ - start;
      if (i < equal) {
        input = ((offset + skew) << 1) | ((are_branches[i / 8] >> (i % 8)) & 1u);
      } else {
        input += Number(true);
      }
      const bool is_branch = (input & 1) != 0;
      places->try_emplace(offset, BoltTranslation::Place{(input & 0xffffffffu) >> 1, is_branch});
      if (is_branch) continue;
      Skip(sizeof(uint64_t));  // a hash of the block
      (void)Number();          // its number
    }
    return is_good_;
  }

  std::span<const uint8_t> bytes_;
  uint64_t address_ = 0;
  bool is_good_ = true;
};

std::optional<BoltTranslation> BoltTranslation::Read(const ElfImage& image) {
  const ElfSection* section = image.FindSection(".note.bolt_bat");
  if (section == nullptr) return std::nullopt;
  BoltTranslation table;
  if (!BoltTableReader(image.SectionBytes(*section)).Read(&table)) return std::nullopt;
  return table;
}

uint64_t BoltTranslation::ParentOf(uint64_t function) const {
  const auto parent = parents_.find(function);
  return parent != parents_.end() ? parent->second : function;
}

uint64_t BoltTranslation::Translate(uint64_t function, uint64_t offset, bool is_source) const {
  const auto places = functions_.find(function);
  if (places == functions_.end()) return offset;
  auto place = places->second.upper_bound(offset);
  if (place == places->second.begin()) return offset;
  --place;
  return is_source ? place->second.input : offset - place->first + place->second.input;
}

std::vector<std::pair<uint64_t, uint64_t>> BoltTranslation::Edges(uint64_t function, uint64_t first,
                                                                  uint64_t last) const {
  std::vector<std::pair<uint64_t, uint64_t>> edges;
  const auto places = functions_.find(function);
  if (places == functions_.end() || first >= last) return edges;
  std::optional<uint64_t> block;
  for (const auto& [offset, place] : places->second) {
    if (offset > last) break;
    if (place.is_branch) continue;
    if (block.has_value() && offset > first) edges.emplace_back(*block, offset);
    block = offset;
  }
  return edges;
}

}  // namespace softlbr::toolchain
