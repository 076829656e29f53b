// Code of a library in mappings that the loader did not make: in a second mapping of its file, and in a copy of its
// text in its place.
#include "runtime/modules/moved_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "runtime/modules/code_map.h"

namespace softlbr {
namespace {

std::unique_ptr<ModuleTable> EmptyTable() {
  auto table = std::make_unique<ModuleTable>();
  table->count = table->generation = table->dropped = table->compared_count = 0;
  return table;
}

// A copy of the test library, loaded, and its only executable segment.
class MovedCode : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = mkstemp(path_.data());
    ASSERT_GE(fd_, 0);
    std::ifstream in(SOFTLBR_TEST_LIBRARY, std::ios::binary);
    std::ofstream out(path_, std::ios::binary);
    out << in.rdbuf();
    out.close();
    handle_ = dlopen(path_.c_str(), RTLD_NOW);
    ASSERT_NE(handle_, nullptr) << dlerror();
    table_ = EmptyTable();
    ASSERT_TRUE(RefreshModuleTable(*EmptyTable(), true, true, table_.get()));
    const Module* module = FindLibrary(*table_);
    ASSERT_NE(module, nullptr);
    library_ = *module;
    for (uint32_t i = 0; i < library_.segment_count; ++i) {
      if ((library_.segments[i].flags & PF_X) != 0) segment_ = library_.segments[i];
    }
    const uint64_t mask = ~(static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) - 1);
    begin_ = (library_.bias + segment_.vaddr) & mask;
    bytes_ = ((library_.bias + segment_.vaddr + segment_.file_bytes + ~mask) & mask) - begin_;
    offset_ = segment_.file_offset & mask;
  }
  void TearDown() override {
    // The loader runs the library's code at exit.
    if (begin_ != 0) {
      EXPECT_NE(mmap(reinterpret_cast<void*>(begin_), bytes_, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd_,
                     static_cast<off_t>(offset_)),
                MAP_FAILED);
    }
    if (fd_ >= 0) close(fd_);
    unlink(path_.c_str());
  }

  const Module* FindLibrary(const ModuleTable& table) const {
    for (uint32_t i = 0; i < table.count; ++i) {
      if (path_ == table.modules[i].name) return &table.modules[i];
    }
    return nullptr;
  }
  // Puts a copy of the text into anonymous memory in its place; `change` inverts a byte of it.
  void MoveText(bool change) const {
    void* copy = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(copy, MAP_FAILED);
    std::memcpy(copy, reinterpret_cast<const void*>(begin_), bytes_);
    if (change) static_cast<uint8_t*>(copy)[(segment_.vaddr & 0xfff) + segment_.file_bytes - 1] ^= 0xff;
    ASSERT_EQ(mprotect(copy, bytes_, PROT_READ | PROT_EXEC), 0);
    ASSERT_NE(mremap(copy, bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void*>(begin_)), MAP_FAILED);
  }

  std::string path_ = "/tmp/softlbr_moved_code.XXXXXX";
  int fd_ = -1;
  void* handle_ = nullptr;
  std::unique_ptr<ModuleTable> table_;
  Module library_;
  ModuleSegment segment_{};
  uint64_t begin_ = 0;
  uint64_t bytes_ = 0;
  uint64_t offset_ = 0;
};

TEST_F(MovedCode, SecondMappingOfAFileIsItsCode) {
  void* second = mmap(nullptr, bytes_, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_, static_cast<off_t>(offset_));
  ASSERT_NE(second, MAP_FAILED);
  auto next = EmptyTable();
  EXPECT_TRUE(RefreshModuleTable(*table_, true, true, next.get()));
  EXPECT_EQ(next->count, table_->count + 1);
  const auto place = reinterpret_cast<uint64_t>(second);
  const Module* part = FindModule(*next, place);
  ASSERT_NE(part, nullptr);
  EXPECT_EQ(part->name, path_);
  EXPECT_EQ(std::memcmp(part->build_id, library_.build_id, sizeof part->build_id), 0);
  EXPECT_EQ(place - part->bias, begin_ - library_.bias) << "the same link-time address";
  EXPECT_FALSE(IsWholeModule(*part));
  EXPECT_TRUE(IsWholeModule(*FindModule(*next, begin_)));
  auto map = std::make_unique<CodeMap>();
  BuildCodeMap(*next, nullptr, true, map.get());
  const AddressRange* code = FindRange(map->code, map->code_count, place + (segment_.vaddr & 0xfff));
  ASSERT_NE(code, nullptr);
  EXPECT_GE(code->begin, place);
  EXPECT_LE(code->end, place + bytes_);
  for (uint32_t i = 1; i < map->code_count; ++i) EXPECT_LE(map->code[i - 1].end, map->code[i].begin);
  munmap(second, bytes_);
  auto last = EmptyTable();
  EXPECT_TRUE(RefreshModuleTable(*next, true, true, last.get()));
  EXPECT_EQ(last->count, table_->count);
}

// The kernel may map anything between the code and the data of a module whose segments are 64 KiB apart.
TEST_F(MovedCode, MappingBetweenTheSegmentsOfAModuleIsNotItsCode) {
  uint64_t gap = 0;
  for (uint32_t i = 0; i + 1 < library_.segment_count; ++i) {
    if (library_.segments[i].vaddr >= segment_.vaddr)
      gap = library_.bias + library_.segments[i].vaddr + library_.segments[i].memory_bytes;
  }
  ASSERT_NE(gap, 0u);
  const uint64_t mask = ~(static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) - 1);
  gap = (gap + ~mask) & mask;
  ASSERT_LE(gap + bytes_, (library_.bias + library_.segments[library_.segment_count - 1].vaddr) & mask);
  for (const bool is_code_of_the_file : {true, false}) {
    void* second = mmap(reinterpret_cast<void*>(gap), bytes_, PROT_READ | PROT_EXEC,
                        MAP_PRIVATE | MAP_FIXED | (is_code_of_the_file ? 0 : MAP_ANONYMOUS),
                        is_code_of_the_file ? fd_ : -1, static_cast<off_t>(is_code_of_the_file ? offset_ : 0));
    ASSERT_NE(second, MAP_FAILED);
    auto next = EmptyTable();
    EXPECT_TRUE(RefreshModuleTable(*table_, true, true, next.get()));
    EXPECT_EQ(FindLibrary(*next)->end, gap);
    EXPECT_EQ(FindModule(*next, begin_)->bias, library_.bias);
    const Module* part = FindModule(*next, gap);
    ASSERT_EQ(part != nullptr, is_code_of_the_file);
    if (part != nullptr) {
      EXPECT_EQ(gap - part->bias, begin_ - library_.bias) << "the same link-time address";
    }
  }
  munmap(reinterpret_cast<void*>(gap), bytes_);
}

TEST_F(MovedCode, OtherPartsOfTheFileAreNotItsCode) {
  void* second = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd_,
                      static_cast<off_t>(offset_ + ((bytes_ + 4095) & ~4095ull)));
  ASSERT_NE(second, MAP_FAILED);
  auto next = EmptyTable();
  (void)RefreshModuleTable(*table_, true, true, next.get());
  EXPECT_EQ(FindModule(*next, reinterpret_cast<uint64_t>(second)), nullptr);
  munmap(second, 4096);
}

TEST_F(MovedCode, CopyInThePlaceOfTheTextIsItsCode) {
  MoveText(false);
  auto next = EmptyTable();
  (void)RefreshModuleTable(*table_, true, true, next.get());
  const Module* module = FindModule(*next, begin_ + (segment_.vaddr & 0xfff));
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->name, path_);
  EXPECT_EQ(module->bias, library_.bias);
  ASSERT_EQ(next->compared_count, 1u);
  // It is compared once. The file is not opened again.
  unlink(path_.c_str());
  auto last = EmptyTable();
  EXPECT_FALSE(RefreshModuleTable(*next, true, true, last.get()));
}

TEST_F(MovedCode, OtherBytesInThePlaceOfTheTextAreNotItsCode) {
  MoveText(true);
  auto next = EmptyTable();
  EXPECT_TRUE(RefreshModuleTable(*table_, true, true, next.get()));
  EXPECT_EQ(FindLibrary(*next), nullptr);
  EXPECT_EQ(next->count, table_->count - 1);
}

}  // namespace
}  // namespace softlbr
