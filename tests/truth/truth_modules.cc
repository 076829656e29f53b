#include "tests/truth/truth_modules.h"

#include <elf.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace softlbr::truth {

std::string BaseName(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

namespace {

// The vdso is a whole ELF file in memory; everything else is read from its file.
constexpr char kVdso[] = "[vdso]";

struct Image {
  std::ifstream file;
  uint64_t base = 0;

  bool Read(uint64_t offset, void* output, size_t bytes) {
    file.seekg(static_cast<std::streamoff>(base + offset));
    return static_cast<bool>(file.read(static_cast<char*>(output), static_cast<std::streamsize>(bytes)));
  }
};

std::vector<uint8_t> BuildIdIn(const std::vector<uint8_t>& notes) {
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, &notes[at], sizeof note);
    const size_t name = at + sizeof note;
    const size_t content = name + ((note.n_namesz + 3) & ~3u);
    if (content + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(&notes[name], "GNU", 4) == 0) {
      return {notes.begin() + static_cast<ptrdiff_t>(content),
              notes.begin() + static_cast<ptrdiff_t>(content + note.n_descsz)};
    }
    at = content + ((note.n_descsz + 3) & ~3u);
  }
  return {};
}

// Reads the file, or the process's memory where there is no file.
TruthImage ReadImage(const std::string& path, pid_t pid, uint64_t begin) {
  Image image;
  if (path == kVdso) {
    image.file.open("/proc/" + std::to_string(pid) + "/mem", std::ios::binary);
    image.base = begin;
  } else {
    image.file.open(path, std::ios::binary);
  }
  TruthImage result;
  Elf64_Ehdr header;
  if (!image.Read(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64) {
    return result;
  }
  std::vector<Elf64_Phdr> program_headers(header.e_phnum);
  image.Read(header.e_phoff, program_headers.data(), header.e_phnum * sizeof(Elf64_Phdr));
  for (const Elf64_Phdr& segment : program_headers) {
    // Executable segments only: segments may share a page of the file (lld), and a data segment would give a wrong
    // offset.
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      result.segments.push_back({segment.p_offset, segment.p_filesz, segment.p_vaddr});
    }
    if (segment.p_type != PT_NOTE || !result.build_id.empty()) continue;
    std::vector<uint8_t> notes(segment.p_filesz);
    if (image.Read(segment.p_offset, notes.data(), notes.size())) result.build_id = BuildIdIn(notes);
  }
  return result;
}

}  // namespace

uint32_t TruthModules::Find(const std::string& path, uint64_t begin, const ImageReader& read_image) {
  const auto known = by_path_.find(path);
  if (known != by_path_.end()) return known->second;
  TruthImage image = read_image(path, begin);
  modules_.push_back({path, std::move(image.build_id)});
  segments_.push_back(std::move(image.segments));
  const uint32_t number = static_cast<uint32_t>(modules_.size() - 1);
  by_path_[path] = number;
  return number;
}

void TruthModules::Refresh(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  ReadMappings(maps, [pid](const std::string& path, uint64_t begin) { return ReadImage(path, pid, begin); });
}

void TruthModules::ReadMappings(std::istream& maps, const ImageReader& read_image) {
  mappings_.clear();
  std::string line;
  while (std::getline(maps, line)) {
    uint64_t begin, end, offset;
    char permissions[8];
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &begin, &end, permissions,
                    &offset, &path_at) < 4) {
      continue;
    }
    const std::string path = line.substr(static_cast<size_t>(path_at));
    if (permissions[2] != 'x' || (path[0] != '/' && path != kVdso)) continue;
    const uint32_t module = Find(path, begin, read_image);
    for (const TruthImage::Segment& segment : segments_[module]) {
      // The mapping starts at the page that holds the segment's first byte.
      if (offset + (end - begin) <= segment.file_offset || offset >= segment.file_offset + segment.file_bytes) continue;
      mappings_[begin] = Mapping{end, segment.vaddr - segment.file_offset + offset - begin, module};
      break;
    }
  }
}

CodeAddress TruthModules::Translate(uint64_t pc) const {
  auto next = mappings_.upper_bound(pc);
  if (next == mappings_.begin()) return {kNoTruthModule, pc};
  const Mapping& mapping = std::prev(next)->second;
  if (pc >= mapping.end) return {kNoTruthModule, pc};
  return {mapping.module, pc + mapping.delta};
}

std::string TruthModules::Describe(const CodeAddress& address) const {
  char text[32];
  std::snprintf(text, sizeof text, "0x%" PRIx64, address.address);
  if (address.module >= modules_.size()) return text;
  return BaseName(modules_[address.module].path) + "+" + text;
}

}  // namespace softlbr::truth
