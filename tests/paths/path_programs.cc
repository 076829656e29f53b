// Contract: path_programs.h.
#include "tests/paths/path_programs.h"

#include <unistd.h>

#include "bench/program_inputs.h"
#include "tests/paths/emulated_program.h"
#include "tests/paths/traced_program.h"

namespace softlbr::paths {
namespace {

struct A64Program {
  const char* name;
  const char* path;       // in the root
  const char* arguments;  // shell words
};
constexpr A64Program kA64Programs[] = {
    {"xz", "usr/bin/xz", "-3 -T1 -c text"},
    {"bzip2", "bin/bzip2", "-9 -c text"},
    {"gzip", "bin/gzip", "-6 -c text"},
    {"perl", "usr/bin/perl", "words.pl"},
    {"sqlite3", "usr/bin/sqlite3", ":memory: '.read load.sql'"},
    {"lua", "usr/bin/lua5.4", "words.lua"},
    {"busybox", "bin/busybox", "awk '{for (i = 1; i <= NF; i++) h[$i]++} END {for (w in h) n++; print n}' text"},
};

}  // namespace

std::vector<PathProgram> NativePrograms(const std::string& folder) {
  std::vector<PathProgram> programs;
  for (const bench::RealProgram& program : bench::RealPrograms()) {
    const bool is_there = access(program.needs, X_OK) == 0;
    programs.push_back({program.name, is_there ? "" : program.needs, [program, folder](std::string* error) {
                          std::unique_ptr<SteppedProgram> started;
                          if (bench::PrepareProgram(program, folder, error))
                            started = TracedProgram::Start(program.run, folder, error);
                          return started;
                        }});
  }
  return programs;
}

PathProgram CommandProgram(const std::string& command) {
  return {"command", "", [command](std::string* error) -> std::unique_ptr<SteppedProgram> {
            return TracedProgram::Start(command, ".", error);
          }};
}

std::vector<PathProgram> A64Programs(const std::string& folder, const std::string& root, const std::string& own,
                                     const std::string& cpu) {
  std::vector<PathProgram> programs;
  const auto add = [&](const char* name, const std::string& in, const std::string& path, const char* arguments) {
    std::string missing;
    if (FindEmulator().empty()) {
      missing = "qemu-aarch64";
    } else if (access((in + "/" + path).c_str(), X_OK) != 0) {
      missing = in + "/" + path + " (sh toolchain/scripts/cross/setup.sh)";
    }
    const EmulatedLaunch launch = {in, cpu, path + " " + arguments, folder};
    programs.push_back({name, missing, [launch](std::string* error) -> std::unique_ptr<SteppedProgram> {
                          return EmulatedProgram::Start(launch, error);
                        }});
  };
  for (const A64Program& program : kA64Programs) add(program.name, root, program.path, program.arguments);
  if (cpu == "max") {
    for (const char* name : {"authenticated", "scalable_loops"}) add(name, own, name, "");
  }
  return programs;
}

}  // namespace softlbr::paths
