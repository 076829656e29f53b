// exact_counts: runs a program in QEMU's user-mode emulator and writes a profile with the exact count of each of its
// taken branches.
//
// Usage: see kUsage. Exit code: the program's; 1 for a stated failure, 2 for wrong usage.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <variant>
#include <vector>

#include "platform/base/elf_machine.h"
#include "platform/base/sample_event.h"
#include "tests/reference/exact_profile.h"
#include "toolchain/base/failure.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::reference {
namespace {

using toolchain::StatedFailure;
using toolchain::UsageFailure;

constexpr char kUsage[] =
    "exact_counts [-o F] [--lbr N] [--every P [--branches] [--skid S] --sampled G] [-q] -- PROGRAM [ARGUMENTS...]\n"
    "  -o F          profile of exact counts; default exact.slbr\n"
    "  --every P     read a simulated LBR at every Pth instruction of a thread, or with --branches behind every Pth "
    "taken branch\n"
    "  --skid S      read it S instructions after that event, up to 65536; default 0\n"
    "  --lbr N       its length, 1 to 65536; default 16\n"
    "  --sampled G   profile of what it held, with the sampled pcs\n"
    "  -q            no summary line\n"
    "For AArch64 programs on another CPU set QEMU_LD_PREFIX to the folder of their libraries.\n";

struct Options {
  std::string output = "exact.slbr";
  std::string sampled;
  uint64_t every = 0;
  uint64_t lbr = 16;
  uint64_t skid = 0;
  bool by_branches = false;
  bool quiet = false;
  std::vector<std::string> program;
};

uint64_t Number(const std::string& option, const std::string& text, uint64_t largest) {
  char* end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value == 0 || value > largest) {
    throw UsageFailure(option + " takes a number from 1 to " + std::to_string(largest));
  }
  return value;
}

Options Parse(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) throw UsageFailure(option + " needs a value");
      return argv[i];
    };
    if (option == "-o") {
      options.output = value();
    } else if (option == "--sampled") {
      options.sampled = value();
    } else if (option == "--every") {
      options.every = Number(option, value(), uint64_t{1} << 62);
    } else if (option == "--lbr") {
      options.lbr = Number(option, value(), 65536);
    } else if (option == "--skid") {
      options.skid = Number(option, value(), 65536);
    } else if (option == "--branches") {
      options.by_branches = true;
    } else if (option == "-q") {
      options.quiet = true;
    } else {
      throw UsageFailure("unknown option " + option + "; the program follows --");
    }
  }
  for (++i; i < argc; ++i) options.program.push_back(argv[i]);
  if (options.program.empty()) throw UsageFailure("no program; it follows --");
  if ((options.every != 0) != !options.sampled.empty()) throw UsageFailure("--every and --sampled need each other");
  return options;
}

// The file that the shell would execute.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (std::string rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t colon = rest.find(':');
    const std::string candidate = rest.substr(0, colon) + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  throw StatedFailure(name + ": no such program in PATH; name its file");
}

std::string EmulatorOf(const std::string& program) {
  const auto opened = toolchain::ElfImage::Open(program);
  if (const auto* error = std::get_if<std::string>(&opened)) throw StatedFailure(*error);
  switch (std::get<toolchain::ElfImagePtr>(opened)->machine()) {
    case kMachineX86_64: return "qemu-x86_64";
    case kMachineAarch64: return "qemu-aarch64";
    default: throw StatedFailure(program + ": neither an x86-64 nor an AArch64 program");
  }
}

std::string PluginPath() {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path() / "exact_counts_plugin.so").string();
}

class TemporaryFile {
 public:
  TemporaryFile() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr ? "/tmp" : folder) + "/softlbr-exact.XXXXXX";
    const int fd = mkstemp(path_.data());
    if (fd < 0) throw StatedFailure(path_ + ": " + std::strerror(errno) + "; set TMPDIR to a folder with space");
    close(fd);
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int RunEmulator(const std::string& emulator, const std::string& plugin, const std::vector<std::string>& program,
                const std::string& file) {
  std::vector<std::string> arguments = {emulator, "-cpu", "max", "-plugin", plugin, "-0", program[0], file};
  arguments.insert(arguments.end(), program.begin() + 1, program.end());
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw StatedFailure(std::string("no process: ") + std::strerror(errno));
  if (child == 0) {
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

void WriteOrFail(const toolchain::Profile& profile, const std::string& path) {
  const std::string error = toolchain::WriteProfileFile(profile, path);
  if (!error.empty()) throw StatedFailure(error);
}

int Run(const Options& options) {
  const std::string file = FindProgram(options.program[0]);
  const std::string emulator = EmulatorOf(file);
  const TemporaryFile counts;
  std::string plugin = PluginPath() + ",out=" + counts.path() + ",lbr=" + std::to_string(options.lbr);
  if (options.every != 0) {
    plugin += ",every=" + std::to_string(options.every) +
              ",unit=" + (options.by_branches ? "branches" : "instructions") + ",skid=" + std::to_string(options.skid);
  }
  const int status = RunEmulator(emulator, plugin, options.program, file);
  std::ifstream input(counts.path());
  if (input.peek() == std::ifstream::traits_type::eof()) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
      throw StatedFailure(
          emulator + " could not run the program; it comes with Debian's package qemu-user (not qemu-user-static)");
    }
    throw StatedFailure(
        "the program left no counts: a signal killed it, or it replaced itself by exec; name the program it becomes");
  }
  ExactProfiles profiles = ReadExactCounts(input, file);
  for (toolchain::ProfileSession& session : profiles.sampled.sessions) {
    session.event = static_cast<uint8_t>(options.by_branches ? platform::SampleEvent::kTakenBranches
                                                             : platform::SampleEvent::kInstructions);
    session.period = options.every;
  }
  WriteOrFail(profiles.exact, options.output);
  if (!options.sampled.empty()) WriteOrFail(profiles.sampled, options.sampled);
  if (!options.quiet) {
    std::cerr << "exact_counts: " << profiles.instructions << " instructions, " << profiles.branches
              << " taken branches (" << profiles.unmapped << " of them to or from code in no file) in "
              << options.output << "\n";
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace softlbr::reference

int main(int argc, char** argv) {
  try {
    return softlbr::reference::Run(softlbr::reference::Parse(argc, argv));
  } catch (const softlbr::toolchain::UsageFailure& failure) {
    std::cerr << "exact_counts: " << failure.what() << "\n" << softlbr::reference::kUsage;
    return softlbr::toolchain::kExitUsage;
  } catch (const softlbr::toolchain::StatedFailure& failure) {
    std::cerr << "exact_counts: " << failure.what() << "\n";
    return failure.exit_code();
  }
}
