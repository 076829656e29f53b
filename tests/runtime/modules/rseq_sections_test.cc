// Rseq critical sections: ranges are sorted and merged; tables are compared with libelf's view of every ELF file of
// this system.
#include "runtime/modules/rseq_sections.h"

#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <libelf.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace softlbr {
namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

Ranges RangesOf(const CodeMap& map) {
  Ranges ranges;
  for (uint32_t i = 0; i < map.critical_section_count; ++i)
    ranges.emplace_back(map.critical_sections[i].begin, map.critical_sections[i].end);
  return ranges;
}

TEST(RseqRanges, AreSortedAndMerged) {
  auto map = std::make_unique<CodeMap>();
  AddCriticalSection({50, 60}, map.get());
  AddCriticalSection({10, 20}, map.get());
  AddCriticalSection({30, 40}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{10, 20}, {30, 40}, {50, 60}}));
  AddCriticalSection({30, 40}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{10, 20}, {30, 40}, {50, 60}})) << "the same twice";
  AddCriticalSection({40, 45}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{10, 20}, {30, 45}, {50, 60}})) << "one begins where the other ends";
  AddCriticalSection({15, 35}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{10, 45}, {50, 60}}));
  AddCriticalSection({0, 100}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{0, 100}}));
  AddCriticalSection({200, 201}, map.get());
  EXPECT_EQ(RangesOf(*map), (Ranges{{0, 100}, {200, 201}}));
}

TEST(RseqRanges, AreOmittedBeyondTheLimit) {
  auto map = std::make_unique<CodeMap>();
  for (uint64_t i = 0; i < kMaxCriticalSections + 10; ++i) AddCriticalSection({i * 10, i * 10 + 5}, map.get());
  EXPECT_EQ(map->critical_section_count, kMaxCriticalSections);
  AddCriticalSection({3, 12}, map.get());  // joins two ranges, which makes room
  EXPECT_EQ(map->critical_section_count, kMaxCriticalSections - 1);
  AddCriticalSection({1000003, 1000004}, map.get());
  EXPECT_EQ(map->critical_section_count, kMaxCriticalSections);
}

TEST(RseqRanges, AgreeWithBitmap) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    auto map = std::make_unique<CodeMap>();
    std::vector<bool> is_inside(2000);
    for (int i = 0; i < 60; ++i) {
      const uint64_t begin = random() % 1900;
      const uint64_t end = begin + 1 + random() % 40;
      AddCriticalSection({begin, end}, map.get());
      for (uint64_t at = begin; at < end; ++at) is_inside[at] = true;
    }
    for (uint64_t at = 0; at < is_inside.size(); ++at) {
      ASSERT_EQ(FindRange(map->critical_sections, map->critical_section_count, at) != nullptr, is_inside[at]) << at;
    }
  }
}

using Tables = std::vector<std::tuple<uint64_t, uint64_t, bool>>;

Tables TablesByUs(int fd) {
  Tables tables;
  ForEachRseqTable(
      fd,
      [](void* cookie, const RseqTable& table) {
        static_cast<Tables*>(cookie)->emplace_back(table.address, table.bytes, table.holds_pointers);
      },
      &tables);
  return tables;
}

Tables TablesByLibelf(int fd) {
  Tables tables;
  Elf* elf = elf_begin(fd, ELF_C_READ, nullptr);
  size_t names = 0;
  if (elf != nullptr && elf_getshdrstrndx(elf, &names) == 0) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_ALLOC) == 0) continue;
      const char* name = elf_strptr(elf, names, header.sh_name);
      if (name == nullptr) continue;
      const bool holds_pointers = std::strcmp(name, "__rseq_cs_ptr_array") == 0;
      if (holds_pointers || std::strcmp(name, "__rseq_cs") == 0)
        tables.emplace_back(header.sh_addr, header.sh_size, holds_pointers);
    }
  }
  elf_end(elf);
  return tables;
}

TEST(RseqTables, AgreeWithLibelfOnEverySystemFile) {
  ASSERT_NE(elf_version(EV_CURRENT), static_cast<unsigned>(EV_NONE));
  uint64_t files = 0;
  uint64_t files_with_tables = 0;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (const char* folder : {"/usr/bin", "/usr/sbin", "/usr/lib", SOFTLBR_RSEQ_PROGRAMS}) {
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, options, error)) {
      if (!entry.is_regular_file(error)) continue;
      const int fd = open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      if (fd < 0) continue;
      unsigned char identity[EI_NIDENT] = {};
      const bool is_elf = pread(fd, identity, sizeof identity, 0) == static_cast<ssize_t>(sizeof identity) &&
                          std::memcmp(identity, ELFMAG, SELFMAG) == 0 && identity[EI_CLASS] == ELFCLASS64 &&
                          identity[EI_DATA] == ELFDATA2LSB;
      if (is_elf) {
        ++files;
        const Tables by_us = TablesByUs(fd);
        EXPECT_EQ(by_us, TablesByLibelf(fd)) << entry.path();
        if (!by_us.empty()) ++files_with_tables;
      }
      close(fd);
    }
  }
  RecordProperty("files", std::to_string(files));
  EXPECT_GT(files, 100u);
  EXPECT_GE(files_with_tables, 2u) << "at least the programs made for this test";
}

}  // namespace
}  // namespace softlbr
