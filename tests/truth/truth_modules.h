// Translates run-time addresses of a process to module and link-time address, by /proc/<pid>/maps and the ELF files.
#ifndef SOFTLBR_TESTS_TRUTH_TRUTH_MODULES_H_
#define SOFTLBR_TESTS_TRUTH_TRUTH_MODULES_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <string>
#include <vector>

namespace softlbr::truth {

inline constexpr uint32_t kNoTruthModule = 0xffffffffu;

// `address` is the link-time virtual address in the module; outside every module it is the run-time address.
struct CodeAddress {
  uint32_t module = kNoTruthModule;
  uint64_t address = 0;
  auto operator<=>(const CodeAddress&) const = default;
};

struct TruthModule {
  std::string path;
  std::vector<uint8_t> build_id;  // empty if the file has none
};

// Last component of a path.
std::string BaseName(const std::string& path);

// What is needed of a module's file: its executable PT_LOADs and its build id.
struct TruthImage {
  struct Segment {
    uint64_t file_offset, file_bytes, vaddr;
  };
  std::vector<Segment> segments;
  std::vector<uint8_t> build_id;
};

class TruthModules {
 public:
  // Returns the image of the file mapped at `begin` under this path.
  using ImageReader = std::function<TruthImage(const std::string& path, uint64_t begin)>;
  // Replaces the mappings by those in `maps`, text as in /proc/PID/maps.
  void ReadMappings(std::istream& maps, const ImageReader& read_image);
  // Replaces the mappings by those of a process. Modules keep their numbers across calls.
  void Refresh(pid_t pid);
  CodeAddress Translate(uint64_t pc) const;
  const std::vector<TruthModule>& modules() const { return modules_; }
  // "libc.so.6+0x29d90"
  std::string Describe(const CodeAddress& address) const;

 private:
  struct Mapping {
    uint64_t end;
    uint64_t delta;  // link-time address = pc + delta, modulo 2^64
    uint32_t module;
  };
  uint32_t Find(const std::string& path, uint64_t begin, const ImageReader& read_image);

  std::vector<TruthModule> modules_;
  std::vector<std::vector<TruthImage::Segment>> segments_;  // per module
  std::map<std::string, uint32_t> by_path_;
  std::map<uint64_t, Mapping> mappings_;  // executable ones, by begin
};

}  // namespace softlbr::truth

#endif  // SOFTLBR_TESTS_TRUTH_TRUTH_MODULES_H_
