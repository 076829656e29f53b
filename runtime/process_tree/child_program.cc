#include "runtime/process_tree/child_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "platform/file.h"
#include "platform/syscall.h"

// The ELF header of this library, by the linker.
extern "C" __attribute__((visibility("hidden"))) const Elf64_Ehdr __ehdr_start;

namespace softlbr {
namespace {

constexpr uint32_t kMostPathBytes = 512;

struct OpenProgram {
  int fd;
  Elf64_Ehdr header;
};

bool ReadExactly(int fd, uint64_t offset, void* output, uint64_t bytes) {
  return platform::ReadAt(fd, offset, output, bytes) == static_cast<long>(bytes);
}

bool StartsWith(const char* text, const char* prefix) {
  for (; *prefix != '\0'; ++prefix, ++text) {
    if (*text != *prefix) return false;
  }
  return true;
}

// Calls visit(program header) for each one, until it returns false.
template <typename Visit>
void ForEachSegment(const OpenProgram& program, Visit visit) {
  constexpr uint32_t kMostSegments = 64;
  constexpr uint32_t kBatch = 16;  // more than most programs have
  Elf64_Phdr batch[kBatch];
  for (uint32_t first = 0; first < program.header.e_phnum && first < kMostSegments; first += kBatch) {
    const uint32_t wanted = program.header.e_phnum - first < kBatch ? program.header.e_phnum - first : kBatch;
    const long bytes =
        platform::ReadAt(program.fd, program.header.e_phoff + first * sizeof *batch, batch, wanted * sizeof *batch);
    const uint32_t count = bytes > 0 ? static_cast<uint32_t>(static_cast<uint64_t>(bytes) / sizeof *batch) : 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (!visit(batch[i])) return;
    }
    if (count != wanted) return;
  }
}

// The file offset of a link-time address; 0 if no segment holds it.
uint64_t OffsetOf(const OpenProgram& program, uint64_t address) {
  uint64_t offset = 0;
  ForEachSegment(program, [&offset, address](const Elf64_Phdr& segment) {
    if (segment.p_type != PT_LOAD || address - segment.p_vaddr >= segment.p_filesz) return true;
    offset = address - segment.p_vaddr + segment.p_offset;
    return false;
  });
  return offset;
}

// True if the program names a shared sanitizer among its libraries.
bool NeedsSanitizer(const OpenProgram& program, const Elf64_Phdr& dynamic) {
  constexpr uint64_t kMostEntries = 256;
  constexpr uint32_t kBatch = 32;  // more than most programs have
  uint64_t strings = 0;
  for (const bool is_search : {true, false}) {
    for (uint64_t at = 0; at < dynamic.p_filesz && at < kMostEntries * sizeof(Elf64_Dyn);
         at += kBatch * sizeof(Elf64_Dyn)) {
      Elf64_Dyn entries[kBatch] = {};
      if (platform::ReadAt(program.fd, dynamic.p_offset + at, entries, sizeof entries) <= 0) return false;
      for (const Elf64_Dyn& entry : entries) {
        if (entry.d_tag == DT_NULL) break;
        if (is_search && entry.d_tag == DT_STRTAB) strings = OffsetOf(program, entry.d_un.d_ptr);
        if (is_search || entry.d_tag != DT_NEEDED || strings == 0) continue;
        char name[24] = {};
        (void)platform::ReadAt(program.fd, strings + entry.d_un.d_val, name, sizeof name - 1);
        for (const char* sanitizer : {"libasan.", "libtsan.", "libhwasan.", "liblsan.", "libclang_rt."}) {
          if (StartsWith(name, sanitizer)) return true;
        }
      }
    }
  }
  return false;
}

bool IsGoNote(const OpenProgram& program, const Elf64_Phdr& notes) {
  uint64_t at = 0;
  for (uint32_t count = 0; count < 8 && at + sizeof(Elf64_Nhdr) < notes.p_filesz; ++count) {
    struct {
      Elf64_Nhdr header;
      char name[4];
    } note;
    if (!ReadExactly(program.fd, notes.p_offset + at, &note, sizeof note)) return false;
    if (note.header.n_namesz == 4 && note.name[0] == 'G' && note.name[1] == 'o' && note.name[2] == '\0') return true;
    at += sizeof note.header + ((note.header.n_namesz + 3u) & ~3u) + ((note.header.n_descsz + 3u) & ~3u);
  }
  return false;
}

Unrecordable CheckElf(const OpenProgram& program) {
  const Elf64_Ehdr& header = program.header;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != __ehdr_start.e_machine)
    return Unrecordable::kOtherMachine;
  bool has_loader = false;
  bool is_go = false;
  Elf64_Phdr dynamic = {};
  ForEachSegment(program, [&](const Elf64_Phdr& segment) {
    if (segment.p_type == PT_INTERP) has_loader = true;
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
    is_go = segment.p_type == PT_NOTE && IsGoNote(program, segment);
    return !is_go;
  });
  if (is_go) return Unrecordable::kGo;
  if (!has_loader) return Unrecordable::kStatic;
  return NeedsSanitizer(program, dynamic) ? Unrecordable::kSanitized : Unrecordable::kNot;
}

bool HasOtherRights(int fd) {
  struct stat info;
  if (platform::SysCall(SYS_fstat, fd, reinterpret_cast<long>(&info)) != 0) return false;
  const auto user = static_cast<uid_t>(platform::SysCall(SYS_getuid));
  const auto group = static_cast<gid_t>(platform::SysCall(SYS_getgid));
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != user) return true;
  if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 && info.st_gid != group) return true;
  return user != 0 && platform::SysCall(SYS_fgetxattr, fd, reinterpret_cast<long>("security.capability"), 0, 0) > 0;
}

// Opens `path` in a folder for reading; if the path is empty, the file open as `folder`. The kernel reads the path
// first: -EFAULT if it cannot. Regular files only: opening others can have effects; a FIFO, for example, wakes a
// process that waits for a reader.
long OpenChild(int folder, const char* path) {
  struct stat facts {};
  const long looked =
      platform::SysCall(SYS_newfstatat, folder, reinterpret_cast<long>(path), reinterpret_cast<long>(&facts), 0);
  if (looked == 0 && !S_ISREG(facts.st_mode)) return -EINVAL;
  const long fd =
      platform::SysCall(SYS_openat, folder, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd != -ENOENT || path[0] != '\0') return fd;
  return platform::SysCall(SYS_fcntl, folder, F_DUPFD_CLOEXEC, 0);
}

// The interpreter's path in the first line of a script, in place. Empty if there is none.
const char* InterpreterOf(char* line) {
  char* begin = line + 2;
  while (*begin == ' ' || *begin == '\t') ++begin;
  char* end = begin;
  while (*end != '\0' && *end != ' ' && *end != '\t' && *end != '\r' && *end != '\n') ++end;
  *end = '\0';
  return begin;
}

}  // namespace

Unrecordable CheckChildProgram(int folder, const char* path) {
  constexpr int kMostInterpreters = 5;  // how many nested scripts the kernel follows
  if (path == nullptr) return Unrecordable::kNot;
  char line[256 + 1];
  for (int level = 0; level < kMostInterpreters; ++level) {
    const long fd = OpenChild(folder, path);
    if (fd < 0) {
      const bool is_executable =
          fd == -EACCES && platform::SysCall(SYS_faccessat, folder, reinterpret_cast<long>(path), X_OK) == 0;
      return is_executable ? Unrecordable::kUnreadable : Unrecordable::kNot;
    }
    const int file = static_cast<int>(fd);
    OpenProgram program;
    program.fd = file;
    const bool has_other_rights = HasOtherRights(file);
    const long got = platform::ReadAt(file, 0, line, sizeof line - 1);
    const uint64_t bytes = got > 0 ? static_cast<uint64_t>(got) : 0;
    line[bytes] = '\0';
    Unrecordable found = Unrecordable::kNot;
    const bool is_elf = bytes >= sizeof program.header && StartsWith(line, ELFMAG);
    if (is_elf) {
      __builtin_memcpy(&program.header, line, sizeof program.header);
      found = CheckElf(program);
    }
    platform::CloseFile(file);
    if (has_other_rights) return Unrecordable::kPrivileged;
    if (bytes < 2 || line[0] != '#' || line[1] != '!') return found;
    path = InterpreterOf(line);
    if (*path == '\0') return found;
    folder = AT_FDCWD;
  }
  return Unrecordable::kNot;
}

Unrecordable CheckChildProgramInPath(const char* file, const char* search) {
  if (file == nullptr || file[0] == '\0') return Unrecordable::kNot;
  for (const char* at = file; *at != '\0'; ++at) {
    if (*at == '/') return CheckChildProgram(AT_FDCWD, file);
  }
  if (search == nullptr) search = "/bin:/usr/bin";
  for (;;) {
    char path[kMostPathBytes];
    uint32_t length = 0;
    for (; *search != '\0' && *search != ':'; ++search) {
      if (length < kMostPathBytes - 2) path[length++] = *search;
    }
    if (length != 0) path[length++] = '/';
    const char* from = file;
    while (*from != '\0' && length < kMostPathBytes - 1) path[length++] = *from++;
    path[length] = '\0';
    struct stat info;
    const bool is_there = *from == '\0' &&
                          platform::SysCall(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>(path),
                                            reinterpret_cast<long>(&info), 0) == 0 &&
                          S_ISREG(info.st_mode) &&
                          platform::SysCall(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), X_OK) == 0;
    if (is_there) return CheckChildProgram(AT_FDCWD, path);
    if (*search == '\0') return Unrecordable::kNot;
    ++search;
  }
}

}  // namespace softlbr
