// pc_samples: samples the pc of a program by the kernel's CPU clock, and does nothing else. Writes a profile of samples
// without branches.
//
// What a conventional profiler sees on a machine without a PMU. The period is fixed, or with --random a new one for
// each sample, drawn evenly from half to one and a half times the given one. Threads and their children are sampled at
// the fixed period in any case, as the kernel takes a new period for the first thread only.
//
// Usage: see kUsage. Exit code: the program's; 1 for a stated failure, 2 for wrong usage.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::trust {
namespace {

using toolchain::ElfImage;
using toolchain::ElfImagePtr;
using toolchain::kNoModule;
using toolchain::Location;
using toolchain::Profile;
using toolchain::Segment;
using toolchain::StatedFailure;
using toolchain::UsageFailure;

constexpr char kUsage[] =
    "pc_samples [-o F] [-c NANOSECONDS] [--random] -- PROGRAM [ARGUMENTS...]\n"
    "  -o F             profile to write; default samples.slbr\n"
    "  -c NANOSECONDS   CPU time between samples; default 1000000, at least 10000\n"
    "  --random         a new period for each sample, from half to one and a half times this one\n";
constexpr uint64_t kLeastPeriod = 10000;  // the kernel's
constexpr size_t kRingBytes = size_t{1} << 20;

struct Options {
  std::string output = "samples.slbr";
  uint64_t period = 1000000;
  bool is_random = false;
  std::vector<char*> program;
};

Options Parse(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i < argc && std::strcmp(argv[i], "--") != 0; ++i) {
    const std::string option = argv[i];
    if (option == "--random") {
      options.is_random = true;
      continue;
    }
    if ((option != "-o" && option != "-c") || i + 1 >= argc) {
      throw UsageFailure("unknown or incomplete option " + option + "; the program follows --");
    }
    const std::string value = argv[++i];
    if (option == "-o") {
      options.output = value;
      continue;
    }
    char* end = nullptr;
    options.period = std::strtoull(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0' || options.period < kLeastPeriod)
      throw UsageFailure("-c takes a number from 10000");
  }
  for (++i; i < argc; ++i) options.program.push_back(argv[i]);
  if (options.program.empty()) throw UsageFailure("no program; it follows --");
  options.program.push_back(nullptr);
  return options;
}

struct Mapping {
  uint64_t begin, end, offset;
  std::string path;
};

// The clock events of a program, one for each CPU, and what they tell.
class ClockEvents {
 public:
  ClockEvents(pid_t process, const Options& options) : options_(options) {
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (int cpu = 0; cpu < cpus; ++cpu) Open(process, cpu);
    if (rings_.empty()) {
      throw StatedFailure(std::string("no clock event: ") + std::strerror(errno) +
                          "; set kernel.perf_event_paranoid to 2 or less");
    }
  }
  ClockEvents(const ClockEvents&) = delete;
  ClockEvents& operator=(const ClockEvents&) = delete;

  void Read() {
    for (Ring& ring : rings_) {
      if (ReadRing(&ring) && options_.is_random) SetNewPeriod(ring.fd);
    }
  }
  void Wait() {
    std::vector<pollfd> fds;
    for (const Ring& ring : rings_) fds.push_back({ring.fd, POLLIN, 0});
    poll(fds.data(), fds.size(), 50);
  }

  const std::map<uint64_t, uint64_t>& samples() const { return samples_; }
  const std::vector<Mapping>& mappings() const { return mappings_; }
  uint64_t lost() const { return lost_; }

 private:
  struct Ring {
    int fd;
    perf_event_mmap_page* page;
    const char* data;
  };

  void Open(pid_t process, int cpu) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.sample_period = options_.period;
    attr.sample_type = PERF_SAMPLE_IP;
    attr.disabled = 1;
    attr.enable_on_exec = 1;
    attr.inherit = 1;
    attr.exclude_kernel = 1;
    attr.exclude_hv = 1;
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.wakeup_events = 1;
    const int fd = static_cast<int>(syscall(SYS_perf_event_open, &attr, process, cpu, -1, PERF_FLAG_FD_CLOEXEC));
    if (fd < 0) return;  // a CPU that is offline
    const size_t page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* memory = mmap(nullptr, page_bytes + kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
      throw StatedFailure(std::string("no ring buffer: ") + std::strerror(errno) + "; run it as root");
    rings_.push_back({fd, static_cast<perf_event_mmap_page*>(memory), static_cast<const char*>(memory) + page_bytes});
  }

  void SetNewPeriod(int fd) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    uint64_t period = std::max(kLeastPeriod, options_.period / 2 + random_ % options_.period);
    ioctl(fd, PERF_EVENT_IOC_PERIOD, &period);
  }

  // True if there was a sample.
  bool ReadRing(Ring* ring) {
    bool has_sample = false;
    const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;
    while (tail < head) {
      perf_event_header header;
      Copy(*ring, tail, &header, sizeof header);
      std::vector<char> body(header.size);
      Copy(*ring, tail, body.data(), header.size);
      if (header.type == PERF_RECORD_SAMPLE) {
        uint64_t pc = 0;
        std::memcpy(&pc, body.data() + sizeof header, sizeof pc);
        ++samples_[pc];
        has_sample = true;
      } else if (header.type == PERF_RECORD_LOST) {
        uint64_t lost = 0;
        std::memcpy(&lost, body.data() + sizeof header + 8, sizeof lost);
        lost_ += lost;
      } else if (header.type == PERF_RECORD_MMAP2) {
        struct {
          uint32_t process, thread;
          uint64_t begin, bytes, offset;
        } fields;
        std::memcpy(&fields, body.data() + sizeof header, sizeof fields);
        constexpr size_t kNameOffset = sizeof header + 64;  // behind the device, inode, protection and flags
        mappings_.push_back({fields.begin, fields.begin + fields.bytes, fields.offset, body.data() + kNameOffset});
      }
      tail += header.size;
    }
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
    return has_sample;
  }

  static void Copy(const Ring& ring, uint64_t from, void* to, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) static_cast<char*>(to)[i] = ring.data[(from + i) % kRingBytes];
  }

  const Options& options_;
  std::vector<Ring> rings_;
  std::map<uint64_t, uint64_t> samples_;
  std::vector<Mapping> mappings_;
  uint64_t lost_ = 0;
  uint64_t random_ = 88172645463325252u;
};

// Samples in mapped ELF files, by link-time address.
class ProfileMaker {
 public:
  Profile Make(const ClockEvents& events, const std::string& program) {
    uint64_t total = 0;
    std::map<Location, uint64_t> counts;
    for (const auto& [pc, count] : events.samples()) {
      counts[LocationOf(pc, events.mappings())] += count;
      total += count;
    }
    for (const auto& [location, count] : counts) profile_.samples.push_back({location, count});
    toolchain::ProfileSession session{};
    session.session_id = 1;
    session.event = 5;  // task-clock (platform/base/sample_events.def)
    session.program = toolchain::BaseName(program);
    session.arch = profile_.modules.empty() ? 0 : profile_.modules.front().machine;
    session.counters.samples = total;
    profile_.sessions.push_back(session);
    return std::move(profile_);
  }

 private:
  Location LocationOf(uint64_t pc, const std::vector<Mapping>& mappings) {
    // a later one replaces an earlier one
    for (auto mapping = mappings.rbegin(); mapping != mappings.rend(); ++mapping) {
      if (pc < mapping->begin || pc >= mapping->end) continue;
      const uint32_t module = ModuleOf(mapping->path);
      if (module == kNoModule) return {};
      const uint64_t offset = pc - mapping->begin + mapping->offset;
      for (const Segment& segment : profile_.modules[module].segments) {
        if ((segment.flags & 1) == 0 || offset < segment.file_offset ||
            offset - segment.file_offset >= segment.file_bytes)
          continue;
        return {module, segment.vaddr + (offset - segment.file_offset)};
      }
      return {};
    }
    return {};
  }

  uint32_t ModuleOf(const std::string& path) {
    const auto [it, is_new] = numbers_.try_emplace(path, kNoModule);
    if (!is_new) return it->second;
    const auto opened = ElfImage::Open(path);
    const auto* image = std::get_if<ElfImagePtr>(&opened);
    if (image == nullptr) return kNoModule;
    toolchain::ProfileModule module;
    module.name = toolchain::BaseName(path);
    module.build_id = (*image)->build_id();
    module.machine = (*image)->machine();
    module.elf_type = (*image)->type();
    module.is_main = profile_.modules.empty();
    module.segments = (*image)->segments();
    profile_.modules.push_back(std::move(module));
    return it->second = static_cast<uint32_t>(profile_.modules.size() - 1);
  }

  Profile profile_;
  std::map<std::string, uint32_t> numbers_;
};

int Run(const Options& options) {
  int start[2];
  if (pipe2(start, O_CLOEXEC) != 0) throw StatedFailure(std::string("no pipe: ") + std::strerror(errno));
  const pid_t child = fork();
  if (child < 0) throw StatedFailure(std::string("no process: ") + std::strerror(errno));
  if (child == 0) {
    char go;
    if (read(start[0], &go, 1) != 1) _exit(127);
    execvp(options.program[0], options.program.data());
    _exit(127);
  }
  close(start[0]);
  ClockEvents events(child, options);
  if (write(start[1], "g", 1) != 1) throw StatedFailure("the program cannot be started");
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    events.Wait();
    events.Read();
  }
  events.Read();
  if (events.samples().empty())
    throw StatedFailure("no sample: the program is missing or too short; try a smaller period");
  const Profile profile = ProfileMaker().Make(events, options.program[0]);
  const std::string error = toolchain::WriteProfileFile(profile, options.output);
  if (!error.empty()) throw StatedFailure(error);
  if (events.lost() != 0) std::cerr << "pc_samples: " << events.lost() << " samples lost\n";
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace softlbr::trust

int main(int argc, char** argv) {
  try {
    return softlbr::trust::Run(softlbr::trust::Parse(argc, argv));
  } catch (const softlbr::toolchain::UsageFailure& failure) {
    std::cerr << "pc_samples: " << failure.what() << "\n" << softlbr::trust::kUsage;
    return softlbr::toolchain::kExitUsage;
  } catch (const softlbr::toolchain::StatedFailure& failure) {
    std::cerr << "pc_samples: " << failure.what() << "\n";
    return failure.exit_code();
  }
}
