// The file of a DeviceState, and its lock.
//
// A kill at any instant leaves the old file or the new one, because new content is written to a file beside it, synced,
// and renamed. Several processes may share a file: each change is made with its lock held. Files beside it:
// <name>.lock, <name>.tmp; mode 0600. Context: control; blocks for a sync. No heap. Results: 0, negative errno, or
// one of CheckPrivateFolder (platform/folder.h).
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_FILE_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_FILE_H_

#include "runtime/trigger/control_state.h"

namespace softlbr {

inline constexpr uint32_t kStatePathBytes = 1024;
inline constexpr uint32_t kStateNameBytes = 200;
inline constexpr uint64_t kStateLockWaitNs = 2000000000;

// Where the file is. Empty folder: there is no file, and the state lasts as long as the process.
struct StatePlace {
  char folder[kStatePathBytes];
  char name[kStateNameBytes];
};
// Splits an absolute path. False: it is not absolute, or too long.
bool SetStatePlace(const char* path, StatePlace* place);

// Access to the state, to read and change it: the lock is held from Open to the destructor.
class StateEdit {
 public:
  // *memory is the state if there is no file.
  StateEdit(const StatePlace& place, DeviceState* memory) : place_(place), memory_(memory) {}
  StateEdit(const StateEdit&) = delete;
  StateEdit& operator=(const StateEdit&) = delete;
  ~StateEdit();

  // Waits for the lock, two seconds at most, and fills state(). A missing file is an empty state. A damaged one is
  // replaced by a lost state (MakeLostState). The folder must be private (platform/local_socket.h). Call it once, and
  // nothing else unless it returned 0.
  long Open(const DeviceClock& now);
  DeviceState* state() { return &state_; }
  bool was_damaged() const { return was_damaged_; }
  // Stores state(). On failure the old state stays stored.
  long Keep();

 private:
  long OpenFolderAndLock();
  long Load(const DeviceClock& now);

  const StatePlace& place_;
  DeviceState* memory_;
  DeviceState state_;
  int folder_ = -1;
  int lock_ = -1;
  bool was_damaged_ = false;
};

// The clocks of this device. By system calls; the boot's id is read from /proc once.
DeviceClock ReadDeviceClock();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_FILE_H_
