// Waits for the end of a process that is not a child, such as a helper.
#ifndef SOFTLBR_TESTS_PLATFORM_PROCESS_END_WAIT_H_
#define SOFTLBR_TESTS_PLATFORM_PROCESS_END_WAIT_H_

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace softlbr::testing {

// True once the process has ended; false after ten seconds.
inline bool HasProcessEnded(pid_t process) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (fd < 0) return errno == ESRCH;
  pollfd wait{fd, POLLIN, 0};
  const bool has_ended = poll(&wait, 1, 10000) == 1;
  close(fd);
  return has_ended;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_PLATFORM_PROCESS_END_WAIT_H_
