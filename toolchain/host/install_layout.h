// Where the command's own libraries lie: the preload library and the decoder plugins.
#ifndef SOFTLBR_TOOLCHAIN_HOST_INSTALL_LAYOUT_H_
#define SOFTLBR_TOOLCHAIN_HOST_INSTALL_LAYOUT_H_

#include <string>
#include <vector>

namespace softlbr::toolchain {

inline constexpr char kPreloadLibraryName[] = "libsoftlbr_preload.so";

// Folders searched, in order: $SOFTLBR_LIBDIR alone if set, else ../lib and ../lib/softlbr of the running command (the
// build tree and the installed one), whose "lib" may also be lib64 or Debian's multiarch folder.
std::vector<std::string> LibraryFolders();

// Absolute path of a library, or empty.
std::string FindLibrary(const std::string& file_name);

// "libsoftlbr_decoder_x86_64.so" for this machine number; empty for one we have no name for.
std::string DecoderLibraryName(unsigned elf_machine);

// e_machine of the machine this command was built for.
unsigned HostMachine();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_HOST_INSTALL_LAYOUT_H_
