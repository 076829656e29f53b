// Where the emulated program's code comes from: the files that QEMU's user-mode emulator has mapped for it.
//
// Used by the plugins, inside the emulator's process and under their lock.
#ifndef SOFTLBR_TESTS_REFERENCE_GUEST_PLACES_H_
#define SOFTLBR_TESTS_REFERENCE_GUEST_PLACES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace softlbr::reference {

struct GuestPlace {
  int module = -1;      // index into GuestPlaces::modules(); -1: code in no file
  uint64_t offset = 0;  // in the module's file; with module -1 the run-time address
};

class GuestPlaces {
 public:
  // guest_base: what the emulator adds to an address of the program.
  GuestPlace Of(uint64_t address, uint64_t guest_base);
  // Whether the address is in an executable segment of a mapped ELF file.
  bool IsCode(uint64_t address, uint64_t guest_base);
  // The program may have changed its mappings: the next question reads them again.
  void Forget();
  // The system calls that do so: mmap, munmap, mremap.
  static bool ChangesMappings(int64_t system_call, bool is_a64);
  const std::vector<std::string>& modules() const { return modules_; }

 private:
  struct Mapping {
    uint64_t begin, end, offset;
    int module;
  };

  void Read();

  bool is_known_ = false;
  std::vector<Mapping> mappings_;
  std::vector<std::string> modules_;
  // by module: executable parts of the file, [begin, end)
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> code_;
};

}  // namespace softlbr::reference

#endif  // SOFTLBR_TESTS_REFERENCE_GUEST_PLACES_H_
