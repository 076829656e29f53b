// Without the headers of libdw and liblzma: no separate debug file but those that are named, and no .gnu_debugdata.
#include "toolchain/binary/debug_files.h"

namespace softlbr::toolchain {

std::string FindSeparateDebugFile(const ElfImage&, const std::vector<std::string>&) { return ""; }

ElfImagePtr ReadMiniDebugInfo(const ElfImage&) { return nullptr; }

}  // namespace softlbr::toolchain
