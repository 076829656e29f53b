// Fuzzes the ELF reader and the symbol table with arbitrary bytes. Built with SOFTLBR_FUZZERS=ON; in every build,
// elf_image_test.cc tests truncated and damaged copies of a real program.
#include <cstddef>
#include <cstdint>

#include "toolchain/binary/bolt_translation.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/symbols/range_parts.h"
#include "toolchain/symbols/symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  const auto opened = ElfImage::FromBytes({data, size}, "fuzz");
  const auto* image = std::get_if<ElfImagePtr>(&opened);
  if (image == nullptr) return 0;
  (void)BoltTranslation::Read(**image);
  const SymbolTable symbols(**image, image->get());
  for (const Segment& segment : (*image)->segments()) {
    const uint64_t addresses[] = {segment.vaddr, segment.vaddr + segment.memory_bytes / 2,
                                  segment.vaddr + segment.memory_bytes - 1};
    for (const uint64_t address : addresses) {
      symbols.Find(address);
      AreSeveral(symbols, address, address + 16);
      uint8_t sum = 0;
      for (const uint8_t byte : (*image)->CodeAt(address, 64)) sum = static_cast<uint8_t>(sum + byte);
      volatile uint8_t sink = sum;
      (void)sink;
    }
  }
  return 0;
}
