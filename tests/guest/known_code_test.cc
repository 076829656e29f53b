#include "tests/guest/known_code.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace softlbr::guest {
namespace {

constexpr uint64_t kCodeAddress = 0x12340;  // link-time, not page-aligned
constexpr uint64_t kLoadedAt = 0x7f0000000000;

// A library with nothing in it but code: instructions 0, 1, 2, ...
class KnownCodeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t i = 0; i < 4000; ++i) code_.push_back(i);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    Elf64_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | PF_X;
    segment.p_offset = sizeof header + sizeof segment;
    segment.p_vaddr = kCodeAddress;
    segment.p_filesz = code_.size() * sizeof(uint32_t);
    const std::string name = ::testing::TempDir() + "softlbr_known_code";
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(&segment), sizeof segment);
    file.write(reinterpret_cast<const char*>(code_.data()), static_cast<std::streamsize>(segment.p_filesz));
    file.close();
    ASSERT_TRUE(known_.Read(name));
    std::remove(name.c_str());
  }
  bool Contains(size_t first, size_t count) {
    return known_.Contains(kLoadedAt + kCodeAddress + 4 * first, &code_[first], count);
  }

  std::vector<uint32_t> code_;
  KnownCode known_;
};

TEST_F(KnownCodeTest, ShortBlockMatchesOnlyAtAKnownLoadAddress) {
  EXPECT_FALSE(Contains(100, 2));
  EXPECT_TRUE(Contains(2000, 12));
  EXPECT_TRUE(Contains(100, 2));
  EXPECT_TRUE(Contains(0, 1));
  EXPECT_TRUE(Contains(3999, 1));
}

TEST_F(KnownCodeTest, OtherCodeAtTheSameAddressDoesNotMatch) {
  EXPECT_TRUE(Contains(2000, 12));
  const uint32_t other[] = {7, 7};
  EXPECT_FALSE(known_.Contains(kLoadedAt + kCodeAddress + 400, other, 2));
}

TEST_F(KnownCodeTest, SameCodeAtAnotherPageOffsetDoesNotMatch) {
  EXPECT_FALSE(known_.Contains(kLoadedAt + kCodeAddress + 4 * 2000 + 4, &code_[2000], 12));
}

TEST_F(KnownCodeTest, NothingMatchesBeyondItsEnd) {
  EXPECT_TRUE(Contains(2000, 12));
  EXPECT_FALSE(known_.Contains(kLoadedAt + kCodeAddress + 4 * 3999, &code_[3990], 2));
  EXPECT_FALSE(known_.Contains(kLoadedAt, &code_[0], 2));
}

TEST(KnownCode, RefusesFilesThatAreNoLibrary) {
  KnownCode known;
  EXPECT_FALSE(known.Read("/nonexistent"));
  EXPECT_FALSE(known.Read("/dev/null"));
}

}  // namespace
}  // namespace softlbr::guest
