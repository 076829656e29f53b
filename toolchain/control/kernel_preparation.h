// Lets the kernel get ready for perf events before a program is asked for a session, so that its start need not wait for that.
//
// Why: where no process has an event of its own, the kernel switches its code for events on when the first one is opened, and lets the
//   caller wait until each CPU has noticed: 5 to 15 ms (bench/README.md, "Sessions in a server under load"). While an event is open, and
//   for a second after the last is closed, another process waits for microseconds.
#ifndef SOFTLBR_TOOLCHAIN_CONTROL_KERNEL_PREPARATION_H_
#define SOFTLBR_TOOLCHAIN_CONTROL_KERNEL_PREPARATION_H_

namespace softlbr::toolchain {

class KernelPreparation {
 public:
  // Opens a disabled event of this process, which never counts, and keeps it as long as the object lives. Where the kernel forbids it,
  // or a sandbox would kill for it, nothing happens.
  KernelPreparation();
  KernelPreparation(const KernelPreparation&) = delete;
  KernelPreparation& operator=(const KernelPreparation&) = delete;
  ~KernelPreparation();

 private:
  int event_;  // -1: forbidden
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONTROL_KERNEL_PREPARATION_H_
