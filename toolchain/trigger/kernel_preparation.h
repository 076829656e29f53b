// Makes the kernel enable perf events before a program is asked for a session, so that the session's start need not
// wait for it.
//
// Why: if no process has an event, the kernel enables its event code when the first one is opened, and makes the caller
//   wait until each CPU has noticed: 5 to 15 ms (bench/README.md, "Sessions in a server under load"). While an event is
//   open, and for a second after the last one is closed, another process waits only for microseconds.
#ifndef SOFTLBR_TOOLCHAIN_TRIGGER_KERNEL_PREPARATION_H_
#define SOFTLBR_TOOLCHAIN_TRIGGER_KERNEL_PREPARATION_H_

namespace softlbr::toolchain {

class KernelPreparation {
 public:
  // Opens a disabled event of this process, which never counts, and keeps it as long as the object lives. Does nothing
  // if the kernel forbids it, or a sandbox would kill for it.
  KernelPreparation();
  KernelPreparation(const KernelPreparation&) = delete;
  KernelPreparation& operator=(const KernelPreparation&) = delete;
  ~KernelPreparation();

 private:
  int event_;  // -1: forbidden
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_TRIGGER_KERNEL_PREPARATION_H_
