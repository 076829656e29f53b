// The libc's functions for signals, by system calls. Used if no other version of a function exists, as in a static
// program, where ours replace the libc's. NextFunction gets them as the last resort.
//
// Context: the program's threads and handlers. errno and results as in the libc. No cancellation points, unlike the
// libc's.
#ifndef SOFTLBR_RUNTIME_LIBC_STATIC_LIBC_H_
#define SOFTLBR_RUNTIME_LIBC_STATIC_LIBC_H_

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

namespace softlbr::static_libc {

using Handler = void (*)(int);

int SigWaitInfo(const sigset_t* set, siginfo_t* info);
int SigTimedWait(const sigset_t* set, siginfo_t* info, const timespec* timeout);
int SigPending(sigset_t* set);
int SignalFd(int fd, const sigset_t* set, int flags);
int SigSuspend(const sigset_t* mask);
int PPoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask);
int PPollChecked(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t bytes);
int PSelect(int count, fd_set* reads, fd_set* writes, fd_set* exceptions, const timespec* timeout,
            const sigset_t* mask);
int EpollPWait(int epoll, epoll_event* events, int count, int timeout_ms, const sigset_t* mask);
int EpollPWait2(int epoll, epoll_event* events, int count, const timespec* timeout, const sigset_t* mask);

int SigAction(int signal, const struct sigaction* wish, struct sigaction* previous);
Handler Signal(int signal, Handler handler);
Handler SysVSignal(int signal, Handler handler);
Handler SigSet(int signal, Handler handler);
int SigIgnore(int signal);
int SigInterrupt(int signal, int interrupts);

}  // namespace softlbr::static_libc

#endif  // SOFTLBR_RUNTIME_LIBC_STATIC_LIBC_H_
