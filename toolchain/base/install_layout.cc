#include "toolchain/base/install_layout.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "platform/base/elf_machine.h"
#include "toolchain/base/names.h"

namespace softlbr::toolchain {
namespace fs = std::filesystem;

std::vector<std::string> LibraryFolders() {
  if (const char* folder = std::getenv("SOFTLBR_LIBDIR"); folder != nullptr && folder[0] != '\0') {
    return {fs::absolute(folder).string()};
  }
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path prefix = command.parent_path().parent_path();
  std::vector<std::string> folders;
  const std::string multiarch = "lib/" + MachineName(HostMachine()) + "-linux-gnu";
  for (const std::string& lib : {std::string("lib"), std::string("lib64"), multiarch}) {
    folders.push_back((prefix / lib).string());
    folders.push_back((prefix / lib / "softlbr").string());
  }
  return folders;
}

std::string FindLibrary(const std::string& file_name) {
  if (file_name.empty()) return "";
  for (const std::string& folder : LibraryFolders()) {
    const std::string path = folder + "/" + file_name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

std::string DecoderLibraryName(unsigned elf_machine) {
  const std::string name = MachineName(elf_machine);
  if (name.starts_with("unknown")) return "";
  return "libsoftlbr_decoder_" + name + ".so";
}

unsigned HostMachine() {
#if defined(__x86_64__)
  return kMachineX86_64;
#elif defined(__aarch64__)
  return kMachineAarch64;
#else
  return kMachineNone;
#endif
}

}  // namespace softlbr::toolchain
