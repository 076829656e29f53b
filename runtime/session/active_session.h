// The session of this process: who may use it, and who may start or stop it.
//
// Use. Any thread, in a signal handler too, may read the session while it holds a SessionUse. The thread that stops the
//   session withdraws it first: it sets the pointer to null, then waits until no use is left. The user counts itself
//   before it reads the pointer and all of these are sequentially consistent, so either the user sees null or the
//   stopping thread sees the user.
// Claim. One thread at a time may start or stop a session. Two threads may try to stop it at the same time, if one
//   calls exit() while another calls _exit() or exec. The first one claims the session and writes the profile. The
//   other waits, because its own system call would end the process before the profile is complete. It waits for at
//   least kStopWaitNs and at most twice as long, so that a sink that hangs cannot hang it too.
// No samples of our own code. From its claim on, the thread that stops the session is not sampled. The claim precedes
//   the first system call; it therefore holds a stack address, because to get the thread id takes a system call. This
//   matters on an emulated CPU, where a handler can take longer than the sampling period: a thread is then sampled
//   hundreds of times when it returns from one system call.
// A forked child inherits the pointer and the claim but not the session: every entry compares the process id, and the
//   first start in the child resets both.
#ifndef SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_
#define SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

struct Session;

// The only mutable global of a session. All zero: no session.
struct ActiveSession {
  std::atomic<Session*> session;
  std::atomic<uint64_t> users;
  std::atomic<int32_t> process_id;
  // stack address of the thread that stops the session, or kStarting; 0: nobody has claimed it
  std::atomic<uint64_t> claim;
};
extern SOFTLBR_HIDDEN ActiveSession g_active_session;

// The session of this process; nullptr if there is none, or in a forked child. Only the thread that has claimed the
// session, or one that holds a SessionUse, may dereference it.
SOFTLBR_HANDLER_SAFE Session* CurrentSession();

class SessionUse {
 public:
  SOFTLBR_HANDLER_SAFE SessionUse() {
    g_active_session.users.fetch_add(1, std::memory_order_seq_cst);
    session_ = g_active_session.session.load(std::memory_order_seq_cst);
  }
  SOFTLBR_HANDLER_SAFE ~SessionUse() { g_active_session.users.fetch_sub(1, std::memory_order_seq_cst); }
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;

  // nullptr if there is none. In a forked child: the address of the parent's session, where the child has no memory
  // (CurrentSession tells).
  SOFTLBR_HANDLER_SAFE Session* session() const { return session_; }

 private:
  Session* session_;
};

// True if there is no session and the calling thread may start one. It then calls ReleaseClaim, whether the start
// succeeds or not.
bool ClaimForStart();
// The session, if the calling thread is the one to stop it; it calls ReleaseClaim afterwards. nullptr if there is none,
// or if another thread was stopping it and has finished or has not finished in time. A signal handler on the stack of
// the stopping thread gets nullptr at once: it must not wait for the thread that it interrupts.
Session* ClaimForStop();
// Threads that wait in ClaimForStop then end the process, so everything that must be complete comes before this call.
void ReleaseClaim();
// True if sp, a thread's stack pointer, points into the stack of the thread that stops the session.
SOFTLBR_HANDLER_SAFE inline bool IsStoppingStack(uint64_t sp) {
  constexpr uint64_t kMostBytes = 65536;  // from the frame that made the claim to any frame of its callers and callees
  return sp - (g_active_session.claim.load(std::memory_order_relaxed) - kMostBytes) < 2 * kMostBytes;
}

// Makes the session visible to CurrentSession and SessionUse.
inline void PublishSession(Session* session) { g_active_session.session.store(session, std::memory_order_seq_cst); }
// Hides the session and waits until no SessionUse is left. False if one is left after kStopWaitNs: its memory must stay
// mapped.
bool WithdrawSession();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_
