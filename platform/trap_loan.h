// If the app ignores SIGTRAP, makes sure that its children execute programs with SIGTRAP ignored.
//
// Why: an exec keeps ignored signals ignored and resets handlers. A child born while our handler is installed would
//   execute its program with the default action.
// Who: the functions that runtime/attach interposes; not part of libsoftlbr.a. Control; the first function also in a
// signal handler.
#ifndef SOFTLBR_PLATFORM_TRAP_LOAN_H_
#define SOFTLBR_PLATFORM_TRAP_LOAN_H_

#include "platform/base/attributes.h"

namespace softlbr::platform {

// The calling process is about to exec, and has no session: ignores SIGTRAP if the app does.
void IgnoreTrapsIfAppDoes();

// Linux 5.19 and later: a trap that is raised while SIGTRAP is ignored is lost, and one that is raised while it is
// blocked waits. Before, both kill the process.
bool DoesKernelLoseIgnoredTraps();

// For functions that create the child and exec in one. While an object lives, a SIGTRAP that the app ignores is ignored
// in the kernel too, so our traps are lost in that time. Does nothing before Linux 5.19, where a trap kills a process
// that ignores it.
class TrapLoan {
 public:
  TrapLoan();
  ~TrapLoan();
  TrapLoan(const TrapLoan&) = delete;
  TrapLoan& operator=(const TrapLoan&) = delete;

 private:
  bool is_lent_ = false;
};

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_TRAP_LOAN_H_
