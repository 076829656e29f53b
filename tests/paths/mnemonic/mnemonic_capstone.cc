// Contract: mnemonic.h.
#include <capstone/capstone.h>

#include "platform/base/elf_machine.h"
#include "tests/paths/mnemonic/mnemonic.h"

namespace softlbr::paths {
std::string MnemonicOf(uint16_t machine, const uint8_t* code, size_t size) {
  csh handle;
  if ((machine == kMachineAarch64 ? cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &handle)
                                  : cs_open(CS_ARCH_X86, CS_MODE_64, &handle)) != CS_ERR_OK)
    return "?";
  cs_insn* instruction = nullptr;
  std::string text = "?";
  if (cs_disasm(handle, code, size, 0x1000, 1, &instruction) == 1) {
    text = std::string(instruction->mnemonic) + " " + instruction->op_str;
    cs_free(instruction, 1);
  }
  cs_close(&handle);
  return text;
}

}  // namespace softlbr::paths
