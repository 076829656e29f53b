#include "toolchain/binary/program_check.h"

#include <elf.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <span>
#include <sstream>
#include <string_view>

#include "toolchain/base/failure.h"
#include "toolchain/base/install_layout.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {
namespace {

// Nested script interpreters that the kernel follows.
constexpr int kMaxInterpreters = 5;

bool IsRegularFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

[[noreturn]] void FailStatic(const std::string& shown) {
  throw StatedFailure(shown +
                      ": statically linked, so nothing can be preloaded into it; link libsoftlbr_all.a into it "
                      "and call softlbr_start (softlbr/softlbr.h), or link it dynamically");
}

// The Go runtime installs a handler for every signal. If it uses system calls instead of libc's sigaction, the preload
// library (runtime/interpose/sigtrap_functions.cc) cannot intercept it, and the next sample would kill the program.
void CheckGoRuntime(const ElfImage& image, const std::string& shown) {
  if (image.FindSection(".note.go.buildid") == nullptr) return;
  for (const ElfSymbol& symbol : image.Symbols(/*dynamic=*/true)) {
    if (symbol.name == "sigaction" && image.has_interpreter()) return;
  }
  throw StatedFailure(shown + ": a Go program without the shared C library, so " +
                      (image.has_interpreter() ? "its signal handlers would replace the sampler's"
                                               : "nothing can be preloaded into it") +
                      "; build it with CGO_ENABLED=1 and -ldflags=-linkmode=external");
}

// The name of a library that image needs, if it starts with one of `starts`; else empty.
std::string_view NeededLibrary(const ElfImage& image, std::initializer_list<std::string_view> starts) {
  const ElfSection* dynamic = image.FindSection(".dynamic");
  const ElfSection* names = image.FindSection(".dynstr");
  if (dynamic == nullptr || names == nullptr) return {};
  const std::span<const uint8_t> entries = image.SectionBytes(*dynamic);
  const std::span<const uint8_t> text = image.SectionBytes(*names);
  for (size_t at = 0; at + sizeof(Elf64_Dyn) <= entries.size(); at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, entries.data() + at, sizeof entry);
    if (entry.d_tag != DT_NEEDED || entry.d_un.d_val >= text.size()) continue;
    const char* begin = reinterpret_cast<const char*>(text.data()) + entry.d_un.d_val;
    const std::string_view name(begin, strnlen(begin, text.size() - entry.d_un.d_val));
    for (const std::string_view start : starts) {
      if (name.starts_with(start)) return name;
    }
  }
  return {};
}

// How such a program gets its sanitizer without the library. gcc's leak sanitizer does not start when it is linked
// statically: its own start fails the check that an allocation makes. The address sanitizer finds leaks, too.
const char* OwnSanitizer(std::string_view library) {
  if (library.starts_with("libtsan.")) return "link it statically with -static-libtsan";
  if (library.starts_with("libhwasan.")) return "link it statically with -static-libhwasan";
  if (library.starts_with("libclang_rt.")) return "link it statically with -static-libsan";
  if (library.starts_with("liblsan.")) return "find leaks with -fsanitize=address -static-libasan";
  return "link it statically with -static-libasan";
}

// Such a library refuses to run if another one, here ours, was loaded before it. Programs with a sanitizer linked in
// are recorded.
void CheckSanitizer(const ElfImage& image, const std::string& shown) {
  const std::string_view library =
      NeededLibrary(image, {"libasan.", "libtsan.", "libhwasan.", "liblsan.", "libclang_rt."});
  if (library.empty()) return;
  throw StatedFailure(shown + ": uses " + SafeText(std::string(library)) +
                      ", a sanitizer that must be loaded before any other library; " + OwnSanitizer(library));
}

std::string UserName(uid_t id) {
  const struct passwd* entry = getpwuid(id);
  return entry != nullptr ? SafeText(entry->pw_name) : std::to_string(id);
}

std::string GroupName(gid_t id) {
  const struct group* entry = getgrgid(id);
  return entry != nullptr ? SafeText(entry->gr_name) : std::to_string(id);
}

// The loader preloads unless executing the program gains rights: who has them already gains none.
void CheckPrivileges(const std::string& path, const std::string& shown) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return;
  std::string rights, remedy;
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != getuid()) {
    rights = "set-user-id";
    remedy = "record it as user " + UserName(info.st_uid);
  } else if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 && info.st_gid != getgid()) {
    rights = "set-group-id";
    remedy = "record it as group " + GroupName(info.st_gid) + " (sg)";
  } else if (getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    rights = "file capabilities";
    remedy = "record it as user root";
  } else {
    return;
  }
  throw StatedFailure(shown + ": runs with other rights than yours (" + rights +
                      "), and the loader preloads nothing into such programs; " + remedy +
                      ", or link libsoftlbr_all.a into it and call softlbr_start (softlbr/softlbr.h)");
}

}  // namespace

std::string ResolveProgram(const std::string& name) {
  const std::string shown = SafeText(name);
  if (name.empty()) throw StatedFailure("the program's name is empty; name a program after --", kExitNotFound);
  if (name.find('/') != std::string::npos) {
    if (!IsRegularFile(name)) {
      const int error = access(name.c_str(), F_OK) == 0 ? 0 : errno;
      throw StatedFailure(
          shown + ": " + (error == 0 ? "not a program" : std::strerror(error)) + "; name an executable file",
          error == ENOENT || error == ENOTDIR ? kExitNotFound : kExitNotExecutable);
    }
    if (access(name.c_str(), X_OK) != 0)
      throw StatedFailure(shown + ": not executable; chmod +x it", kExitNotExecutable);
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (IsRegularFile(candidate) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  throw StatedFailure(shown + ": no such program in PATH" +
                          (IsRegularFile(name) ? "; did you mean ./" + shown + "?" : "; name it with its folder"),
                      kExitNotFound);
}

void CheckProgram(const std::string& path) {
  std::string current = path;
  for (int level = 0; level < kMaxInterpreters; ++level) {
    const std::string shown = SafeText(current);
    CheckPrivileges(current, shown);
    std::ifstream stream(current, std::ios::binary);
    char start[256] = {};
    stream.read(start, sizeof start - 1);
    const std::string head(start, static_cast<size_t>(stream.gcount()));
    if (head.starts_with("#!")) {
      const size_t begin = head.find_first_not_of(" \t", 2);
      if (begin == std::string::npos) return;
      // A carriage return is part of the name, as it is to the kernel.
      const size_t end = head.find_first_of(" \t\n", begin);
      // the name is cut here, and by the kernel
      if (end == std::string::npos && head.size() == sizeof start - 1) return;
      const std::string interpreter = head.substr(begin, end - begin);
      if (access(interpreter.c_str(), F_OK) != 0) {
        throw StatedFailure(shown + ": its interpreter " + SafeText(interpreter) + " is not there (" +
                                std::strerror(errno) + "); install it, or correct the first line of the script",
                            kExitNotFound);
      }
      current = interpreter;
      continue;
    }
    if (!head.starts_with(ELFMAG)) return;  // left to the kernel or the shell
    if (head.size() > EI_CLASS && head[EI_CLASS] == ELFCLASS32) {
      throw StatedFailure(shown + ": a 32-bit program; softlbr records 64-bit programs only");
    }
    auto opened = ElfImage::Open(current);
    if (std::holds_alternative<std::string>(opened)) return;  // not readable, but possibly executable
    const ElfImage& image = *std::get<ElfImagePtr>(opened);
    if (image.machine() != HostMachine()) {
      throw StatedFailure(shown + ": built for " + MachineName(image.machine()) + ", this machine is " +
                          MachineName(HostMachine()) + "; record it on its own kind of machine");
    }
    CheckGoRuntime(image, shown);
    if (!image.has_interpreter()) FailStatic(shown);
    CheckSanitizer(image, shown);
    return;
  }
}

}  // namespace softlbr::toolchain
