// Finds separate debug files as debuggers do, by libdwfl: below the debug folders by build id and by .gnu_debuglink,
// whose checksum it compares, and from the servers in DEBUGINFOD_URLS. Symbols that are in the file itself, compressed
// (.gnu_debugdata), are read here, too.
//
// libdw and liblzma are loaded when they are needed. Without them there is no debug file, and a warning. Host code;
// threads take turns. Time: servers are asked until they have taken kMaxServerSeconds in all. libdebuginfod's own
// variables (DEBUGINFOD_TIMEOUT, _MAXTIME,
//   _MAXSIZE) may set narrower limits, or wider ones for a file.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_DEBUG_FILES_H_
#define SOFTLBR_TOOLCHAIN_BINARY_DEBUG_FILES_H_

#include <string>
#include <vector>

#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

inline constexpr int kMaxServerSeconds = 30;
inline constexpr size_t kMaxMiniDebugBytes = 64 << 20;

// The path of the debug file of an image that was opened from a file; empty if there is none. folders: searched before
// $SOFTLBR_DEBUG_DIR and /usr/lib/debug. The file's build id is the image's, or its checksum the one in .gnu_debuglink.
std::string FindSeparateDebugFile(const ElfImage& image, const std::vector<std::string>& folders);

// The ELF file in .gnu_debugdata, which has the names of functions that are not exported; nullptr if there is none that
// can be read.
ElfImagePtr ReadMiniDebugInfo(const ElfImage& image);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_DEBUG_FILES_H_
