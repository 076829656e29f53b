#include "toolchain/binary/elf_image.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/toolchain/binary/tiny_elf.h"
#include "tests/toolchain/commands/run_command.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/symbols/range_parts.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {

// A function to find in this program's symbol table.
extern "C" __attribute__((noinline, visibility("default"))) int softlbr_test_landmark(int value) { return value + 1; }

namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

ElfImagePtr OpenOrFail(const std::string& path) {
  auto opened = ElfImage::Open(path);
  EXPECT_TRUE(std::holds_alternative<ElfImagePtr>(opened)) << std::get<std::string>(opened);
  return std::get<ElfImagePtr>(opened);
}

// Uses an image in every way the tools do, so that an invalid offset causes a fault.
void Exercise(const ElfImage& image) {
  const SymbolTable symbols(image, nullptr);
  for (const Segment& segment : image.segments()) {
    for (const uint64_t address : {segment.vaddr, segment.vaddr + segment.memory_bytes / 2,
                                   segment.vaddr + segment.memory_bytes - 1, segment.vaddr + segment.memory_bytes}) {
      uint64_t sum = 0;
      for (const uint8_t byte : image.CodeAt(address, 64)) sum += byte;
      if (const FunctionSymbol* function = symbols.Find(address)) sum += function->name.size();
      sum += AreSeveral(symbols, address, address + 1);
      EXPECT_GE(sum, 0u);
    }
  }
}

TEST(ElfImage, ReadsThisProgram) {
  EXPECT_EQ(softlbr_test_landmark(1), 2);
  const ElfImagePtr image = OpenOrFail("/proc/self/exe");
  EXPECT_TRUE(image->has_interpreter());
  EXPECT_FALSE(image->segments().empty());
  const SymbolTable symbols(*image, nullptr);
  const FunctionSymbol* landmark = nullptr;
  for (const FunctionSymbol& function : symbols.functions()) {
    if (function.name == "softlbr_test_landmark") landmark = &function;
  }
  ASSERT_NE(landmark, nullptr);
  EXPECT_TRUE(landmark->has_exact_size);
  EXPECT_EQ(symbols.Find(landmark->start), landmark);
  EXPECT_EQ(symbols.Find(landmark->end - 1), landmark);
  EXPECT_NE(symbols.Find(landmark->end), landmark);
  EXPECT_FALSE(AreSeveral(symbols, landmark->start, landmark->end - 1));
  EXPECT_TRUE(AreSeveral(symbols, landmark->start, landmark->end));
  EXPECT_FALSE(image->CodeAt(landmark->start, 16).empty());
}

TEST(ElfImage, NamesPltStubs) {
  const ElfImagePtr image = OpenOrFail("/proc/self/exe");
  const SymbolTable symbols(*image, nullptr);
  size_t stubs = 0;
  for (const FunctionSymbol& function : symbols.functions()) stubs += function.name.ends_with("@plt");
  EXPECT_GT(stubs, 0u);
}

// Symbols without a type: labels of code have a section of code. With -flto, gcc leaves symbols of .debug_info, whose
// values are offsets there that may equal addresses of code.
TEST(SymbolTable, LabelsOfOtherSectionsAreNoFunctions) {
  if (!testing::HasProgram("gcc") || !testing::HasProgram("objcopy")) GTEST_SKIP() << "missing: gcc, objcopy";
  const testing::TemporaryFolder folder;
  testing::WriteFile(
      folder / "a.s",
      ".globl _start\n_start: nop\nlabel_of_code: nop\n.type real,@function\nreal: nop\nnop\nnop\n.size real, 3\n"
      ".section .debug_made_up,\"\",@progbits\n.skip 0x401002\n.weak offset_in_debug\n.hidden offset_in_debug\n"
      "offset_in_debug: .byte 0\n.skip 8\n.globl debug_too\ndebug_too: .byte 0\n"
      ".globl constant\nconstant = 0x401003\n");
  const testing::CommandResult built = testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x401000",
                                                            "-Wl,--build-id=none", "-o", folder / "a", folder / "a.s"});
  ASSERT_EQ(built.exit_code, 0) << built.err;
  ASSERT_EQ(testing::RunCommand({"objcopy", "--only-keep-debug", folder / "a", folder / "a.debug"}).exit_code, 0);
  ASSERT_EQ(testing::RunCommand({"objcopy", "--strip-all", folder / "a", folder / "stripped"}).exit_code, 0);
  const auto names = [](const ElfImage& image, const ElfImage* debug) {
    std::string text;
    const SymbolTable symbols(image, debug);
    for (const FunctionSymbol& function : symbols.functions()) text += function.name + " ";
    return text;
  };
  EXPECT_EQ(names(*OpenOrFail(folder / "a"), nullptr), "_start label_of_code real ");
  EXPECT_EQ(names(*OpenOrFail(folder / "stripped"), OpenOrFail(folder / "a.debug").get()),
            "_start label_of_code real ");
}

// Its programs have it as their interpreter; the recorded name is that of the file it points at.
TEST(ModuleFiles, FindsTheLibraryOfMusl) {
  std::error_code error;
  const std::string path = std::filesystem::canonical("/lib/ld-musl-x86_64.so.1", error).string();
  if (error) GTEST_SKIP() << "missing: musl";
  const ElfImagePtr image = OpenOrFail(path);
  const ProfileModule module{BaseName(path), image->build_id(), image->machine(), image->type(),
                             false,          image->segments()};
  const ElfImagePtr found = ModuleFiles({}, "p.slbr").Find(module);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path(), path);
}

TEST(ElfImage, ErrorsNameTheCause) {
  const testing::TemporaryFolder folder;
  const auto error_of = [&](const std::string& content) {
    const std::string path = folder / "file";
    testing::WriteFile(path, content);
    auto opened = ElfImage::Open(path);
    return std::holds_alternative<std::string>(opened) ? std::get<std::string>(opened) : std::string("opened");
  };
  const std::string good = testing::TinyElf(EM_X86_64, 0x1000, {0xc3});
  EXPECT_EQ(error_of(good), "opened");
  EXPECT_NE(error_of("").find("empty file"), std::string::npos);
  EXPECT_NE(error_of("#!/bin/sh\n").find("not an ELF file"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, 40)).find("truncated"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, 70)).find("truncated"), std::string::npos);
  std::string small = good;
  small[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(error_of(small).find("64-bit"), std::string::npos);
  std::string big_endian = good;
  big_endian[EI_DATA] = ELFDATA2MSB;
  EXPECT_NE(error_of(big_endian).find("little-endian"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<std::string>(ElfImage::Open(folder.path())));
  EXPECT_TRUE(std::holds_alternative<std::string>(ElfImage::Open(folder / "missing")));
}

TEST(ElfImage, SurvivesEveryTruncation) {
  const std::string bytes = testing::ReadFile("/bin/true");
  for (size_t size = 0; size < bytes.size(); size += size < 2048 ? 1 : 97) {
    const std::string cut = bytes.substr(0, size);
    auto opened = ElfImage::FromBytes(BytesOf(cut), "cut");
    if (auto* image = std::get_if<ElfImagePtr>(&opened)) Exercise(**image);
  }
}

TEST(ElfImage, SurvivesDamagedTables) {
  const std::string bytes = testing::ReadFile("/bin/true");
  ASSERT_GT(bytes.size(), 4096u);
  std::vector<size_t> places;
  for (size_t i = 0; i < 1024; ++i) places.push_back(i);                            // headers, notes
  for (size_t i = bytes.size() - 2048; i < bytes.size(); ++i) places.push_back(i);  // section headers
  for (const size_t place : places) {
    for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string damaged = bytes;
      damaged[place] = static_cast<char>(value);
      auto opened = ElfImage::FromBytes(BytesOf(damaged), "damaged");
      if (auto* image = std::get_if<ElfImagePtr>(&opened)) Exercise(**image);
    }
  }
}

}  // namespace
}  // namespace softlbr::toolchain
