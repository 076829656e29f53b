// Finds the command's own libraries: the preload library and the decoder plugins.
#ifndef SOFTLBR_TOOLCHAIN_BASE_INSTALL_LAYOUT_H_
#define SOFTLBR_TOOLCHAIN_BASE_INSTALL_LAYOUT_H_

#include <string>
#include <vector>

namespace softlbr::toolchain {

inline constexpr char kPreloadLibraryName[] = "libsoftlbr_preload.so";

// The folders to search, in order. If set, $SOFTLBR_LIBDIR alone; otherwise ../lib (build tree) and ../lib/softlbr
// (installed), relative to the running command's folder, and the same with lib64 and Debian's multiarch folder in place
// of lib.
std::vector<std::string> LibraryFolders();

// Absolute path of a library; empty if it is not found.
std::string FindLibrary(const std::string& file_name);

// "libsoftlbr_decoder_x86_64.so" and the like; empty for an unknown machine.
std::string DecoderLibraryName(unsigned elf_machine);

// The ELF e_machine that this command was built for.
unsigned HostMachine();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_INSTALL_LAYOUT_H_
