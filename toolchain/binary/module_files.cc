#include "toolchain/binary/module_files.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "toolchain/base/failure.h"
#include "toolchain/base/install_layout.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/debug_files.h"

namespace softlbr::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxSearchFolders = 512;

void AddFolder(std::vector<std::string>* folders, const std::string& folder) {
  if (folder.empty() || folders->size() >= kMaxSearchFolders) return;
  for (const std::string& known : *folders) {
    if (known == folder) return;
  }
  folders->push_back(folder);
}

void AddPathList(std::vector<std::string>* folders, const char* list) {
  if (list == nullptr) return;
  std::istringstream stream(list);
  for (std::string folder; std::getline(stream, folder, ':');) AddFolder(folders, folder);
}

// Folders from the dynamic loader's configuration. `include` lines are taken to mean the *.conf files of ld.so.conf.d.
void AddLoaderFolders(std::vector<std::string>* folders) {
  const auto read = [&](const fs::path& file) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      if (line.starts_with("/")) AddFolder(folders, line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
  };
  read("/etc/ld.so.conf");
  std::error_code error;
  for (fs::directory_iterator it("/etc/ld.so.conf.d", error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".conf") read(it->path());
  }
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
        "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}) {
    AddFolder(folders, folder);
  }
}

ElfImagePtr TryOpen(const std::string& path) {
  auto opened = ElfImage::Open(path);
  return std::holds_alternative<ElfImagePtr>(opened) ? std::get<ElfImagePtr>(opened) : nullptr;
}

ElfImagePtr TryModuleFile(const ProfileModule& module, const std::string& path) {
  ElfImagePtr image = TryOpen(path);
  return image != nullptr && !image->is_debug_only() && IsModuleFile(module, *image) ? image : nullptr;
}

// The vDSO is not a file, but this process has it mapped too. It is the recorded one if the kernel is the same.
ElfImagePtr OwnVdso() {
  const unsigned long base = getauxval(AT_SYSINFO_EHDR);
  if (base == 0) return nullptr;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long start = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &start, &end) != 2 || start != base) continue;
    auto opened = ElfImage::FromBytes({reinterpret_cast<const uint8_t*>(start), end - start}, "[vdso]");
    return std::holds_alternative<ElfImagePtr>(opened) ? std::get<ElfImagePtr>(opened) : nullptr;
  }
  return nullptr;
}

// The kernel shows a file name with a line break as "\012", also one that has these letters, and marks the name of an
// unlinked file, which the runtime takes back although a file may really be called so.
std::vector<std::string> RealNames(const std::string& shown) {
  constexpr size_t kMostNames = 64;
  std::vector<std::string> names = {shown};
  for (size_t at = shown.size();
       names.size() < kMostNames && at != 0 && (at = shown.rfind("\\012", at - 1)) != std::string::npos;) {
    // From the end, so that `at` is the same in each. A folder and a file in it may differ in what the letters mean.
    for (size_t i = 0, count = names.size(); i < count; ++i)
      names.push_back(std::string(names[i]).replace(at, 4, "\n"));
  }
  for (size_t i = 0, count = names.size(); i < count; ++i) names.push_back(names[i] + " (deleted)");
  return names;
}

bool IsShownAs(const std::string& shown, const std::string& path) {
  const std::string base = BaseName(path);
  const std::vector<std::string> names = RealNames(BaseName(shown));
  return std::find(names.begin(), names.end(), base) != names.end();
}

bool HasSegmentsOf(const ProfileModule& module, const ElfImage& image) {
  if (module.segments.size() != image.segments().size()) return false;
  for (size_t i = 0; i < module.segments.size(); ++i) {
    const Segment& a = module.segments[i];
    const Segment& b = image.segments()[i];
    if (a.vaddr != b.vaddr || a.memory_bytes != b.memory_bytes || a.flags != b.flags) return false;
  }
  return !module.segments.empty();
}

}  // namespace

std::string BaseName(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool IsModuleFile(const ProfileModule& module, const ElfImage& image) {
  if (module.machine != image.machine()) return false;
  if (!module.build_id.empty() || !image.build_id().empty()) return module.build_id == image.build_id();
  return IsShownAs(module.name, image.path()) && HasSegmentsOf(module, image);
}

bool CanBeRenamed(const ProfileModule& module, const ElfImage& image) {
  return module.build_id.empty() && image.build_id().empty() && module.machine == image.machine() &&
         HasSegmentsOf(module, image);
}

std::string BuildIdText(const std::vector<uint8_t>& build_id) {
  return build_id.empty() ? "no build id" : "build id " + HexBytes(build_id);
}

int ModuleFit(const ProfileModule& module, const ElfImage& image) {
  return (HasSegmentsOf(module, image) ? 2 : 0) + (IsShownAs(module.name, image.path()) ? 1 : 0);
}

ModuleFiles::ModuleFiles(const std::vector<std::string>& named, const std::string& profile_path) {
  for (const std::string& path : named) {
    auto opened = ElfImage::Open(path);
    if (std::holds_alternative<std::string>(opened)) throw StatedFailure(std::get<std::string>(opened));
    named_.push_back(std::get<ElfImagePtr>(opened));
  }
  const fs::path folder = fs::path(profile_path).parent_path();
  AddFolder(&folders_, folder.empty() ? "." : folder.string());
  AddFolder(&folders_, ".");
  AddPathList(&folders_, std::getenv("PATH"));
  AddPathList(&folders_, std::getenv("LD_LIBRARY_PATH"));
  AddLoaderFolders(&folders_);
  // a program may record itself
  for (const std::string& library_folder : LibraryFolders()) AddFolder(&folders_, library_folder);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash != std::string::npos && line.find(" r-xp ") != std::string::npos) {
      const std::string path = line.substr(slash);
      mapped_.emplace(BaseName(path), path);
    }
  }
}

void ModuleFiles::AddFoldersOf(const std::vector<ProfileModule>& modules) {
  for (const ProfileModule& module : modules) {
    if (module.name.starts_with('/')) AddFolder(&folders_, fs::path(module.name).parent_path().string());
  }
}

ElfImagePtr ModuleFiles::Find(const ProfileModule& module) const {
  ElfImagePtr debug_only;
  ElfImagePtr best;
  for (const ElfImagePtr& image : named_) {
    if (!IsModuleFile(module, *image)) continue;
    if (image->is_debug_only()) {
      debug_only = image;
    } else if (best == nullptr || ModuleFit(module, *image) > ModuleFit(module, *best)) {
      best = image;
    }
  }
  if (best == nullptr) best = Search(module);
  for (const ElfImagePtr& image : named_) {
    if (best == nullptr && !image->is_debug_only() && CanBeRenamed(module, *image)) best = image;
  }
  return best != nullptr ? best : debug_only;
}

ElfImagePtr ModuleFiles::Search(const ProfileModule& module) const {
  if (module.name.find('\0') != std::string::npos) return nullptr;
  for (const std::string& name : RealNames(module.name)) {
    if (ElfImagePtr image = SearchByName(module, name)) return image;
  }
  return nullptr;
}

ElfImagePtr ModuleFiles::SearchByName(const ProfileModule& module, const std::string& name) const {
  const std::string base = BaseName(name);
  if (name.starts_with("/")) {
    if (ElfImagePtr image = TryModuleFile(module, name)) return image;
  }
  if (base.empty() || base == "." || base == "..") return nullptr;
  for (auto [it, end] = mapped_.equal_range(base); it != end; ++it) {
    if (ElfImagePtr image = TryModuleFile(module, it->second)) return image;
  }
  for (const std::string& folder : folders_) {
    if (ElfImagePtr image = TryModuleFile(module, folder + "/" + base)) return image;
  }
  // musl's libc is the interpreter of its programs, which stands in a folder of its own and is known by another name.
  for (const char* interpreter : {"/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"}) {
    std::error_code error;
    const fs::path path = fs::canonical(interpreter, error);
    if (error || path.filename() != base) continue;
    if (ElfImagePtr image = TryModuleFile(module, path.string())) return image;
  }
  if (base.find("vdso") != std::string::npos) {
    ElfImagePtr image = OwnVdso();
    if (image != nullptr && IsModuleFile(module, *image)) return image;
  }
  return nullptr;
}

std::string ModuleFiles::DescribeOtherBuild(const ProfileModule& module) const {
  const std::string base = BaseName(module.name);
  if (base.empty() || base == "." || base == ".." || base.find('\0') != std::string::npos) return "";
  std::vector<std::string> paths;
  if (module.name.starts_with("/")) paths.push_back(module.name);
  for (const std::string& folder : folders_) paths.push_back(folder + "/" + base);
  for (const std::string& path : paths) {
    const ElfImagePtr image = TryOpen(path);
    if (image == nullptr || image->is_debug_only()) continue;
    return SafeText(path) + " is another build (" + BuildIdText(image->build_id()) + ")";
  }
  return "";
}

ElfImagePtr ModuleFiles::FindDebugFile(const ElfImage& image, DebugUse use) const {
  const auto is_same_build = [&image](const ElfImage& debug) {
    return !image.build_id().empty() && debug.build_id() == image.build_id();
  };
  std::vector<std::string> folders;
  for (const ElfImagePtr& debug : named_) {
    if (debug.get() == &image) continue;
    if (is_same_build(*debug) && debug->FindSection(".symtab") != nullptr) return debug;
    if (debug->is_debug_only()) folders.push_back(fs::absolute(debug->path()).parent_path().string());
  }
  const bool has_names = image.FindSection(".symtab") != nullptr;
  if (has_names && (use == DebugUse::kNames || image.FindSection(".debug_line") != nullptr)) return nullptr;
  const std::string path = FindSeparateDebugFile(image, folders);
  ElfImagePtr debug = path.empty() ? nullptr : TryOpen(path);
  // Without build ids, the checksum has been compared.
  const bool has_ids = debug != nullptr && !image.build_id().empty() && !debug->build_id().empty();
  return has_ids && !is_same_build(*debug) ? nullptr : debug;
}

}  // namespace softlbr::toolchain
