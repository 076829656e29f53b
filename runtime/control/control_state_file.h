// The file of a DeviceState, and its lock.
//
// A kill at any instant leaves the old file or the new one: the new content is written beside it, synced, and renamed.
// Several processes may share a file: each change is made with its lock held. Names beside it: <name>.lock, <name>.tmp; mode 0600.
// Context: control; blocks for a sync. No heap. Results: 0, or negative errno.
#ifndef SOFTLBR_RUNTIME_CONTROL_CONTROL_STATE_FILE_H_
#define SOFTLBR_RUNTIME_CONTROL_CONTROL_STATE_FILE_H_

#include "runtime/control/control_state.h"

namespace softlbr {

inline constexpr uint32_t kStatePathBytes = 1024;
inline constexpr uint32_t kStateNameBytes = 200;
inline constexpr uint64_t kStateLockWaitNs = 2000000000;

// Where the file is. Empty folder: nowhere, and the state is remembered as long as the process.
struct StatePlace {
  char folder[kStatePathBytes];
  char name[kStateNameBytes];
};
// Divides an absolute path. False: it is none, or too long.
bool SetStatePlace(const char* path, StatePlace* place);

// The state, while it is looked at and changed: the lock is held from Open to the destructor.
class StateEdit {
 public:
  // *memory is the state if `place` is nowhere.
  StateEdit(const StatePlace& place, DeviceState* memory) : place_(place), memory_(memory) {}
  StateEdit(const StateEdit&) = delete;
  StateEdit& operator=(const StateEdit&) = delete;
  ~StateEdit();

  // Waits for the lock, two seconds at most, and fills state(). A file that is not there is an empty state. A damaged one is replaced by a
  // lost state. The folder must be private (platform/local_socket.h). Once; nothing else may be called unless it gave 0.
  long Open(const DeviceClock& now);
  DeviceState* state() { return &state_; }
  bool was_damaged() const { return was_damaged_; }
  // Makes state() the one that is remembered. On failure the old one is.
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

#endif  // SOFTLBR_RUNTIME_CONTROL_CONTROL_STATE_FILE_H_
