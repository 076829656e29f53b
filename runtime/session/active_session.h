// The session of this process: who may use it, and who may start or stop it.
//
// Use. Any thread, in a signal handler too, may read the session while it holds a SessionUse. The thread that stops the session
//   withdraws it first: it sets the pointer to null, then waits until no use is left. The user counts itself before it reads the
//   pointer and all of these are sequentially consistent, so either the user sees null or the stopping thread sees the user.
// Claim. One thread at a time may start or stop a session. Two threads may want to stop it at the same time: a process can end by
//   exit() in one thread and by _exit() or exec in another. The first one claims the session and writes the profile. The other
//   waits for it, because its own system call would end the process in the middle of that; at most kStopWaitNs to twice as long,
//   because it must not hang on a sink that does.
// No samples of our own code. The thread that stops the session gives none from its claim on. The claim is taken before any system
//   call, and names the thread by its stack, which takes none: on an emulated CPU, where a handler can take longer than the
//   sampling period, a thread is sampled hundreds of times at the return from one system call.
// A forked child inherits the pointer and the claim but not the session: every entry compares the process id, and the first start
//   in the child resets the words.
#ifndef SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_
#define SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"

namespace softlbr {

struct Session;

// The one mutable global of a session. All zero: no session.
struct ActiveSession {
  std::atomic<Session*> session;
  std::atomic<uint64_t> users;
  std::atomic<int32_t> process_id;
  std::atomic<uint64_t> claim;  // stack address of the thread that stops the session, or kStarting; 0: nobody has claimed it
};
extern SOFTLBR_HIDDEN ActiveSession g_active_session;

// The session of this process, or nullptr: none, or this is a forked child. Only the thread that has claimed it and one that holds
// a SessionUse may look inside.
Session* CurrentSession();

class SessionUse {
 public:
  SOFTLBR_HANDLER_SAFE SessionUse() {
    g_active_session.users.fetch_add(1, std::memory_order_seq_cst);
    session_ = g_active_session.session.load(std::memory_order_seq_cst);
  }
  SOFTLBR_HANDLER_SAFE ~SessionUse() { g_active_session.users.fetch_sub(1, std::memory_order_seq_cst); }
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;

  // nullptr: there is none. In a forked child it is the parent's.
  SOFTLBR_HANDLER_SAFE Session* session() const { return session_; }

 private:
  Session* session_;
};

// True if there was no session and the calling thread may start one. It gives the claim back by ReleaseClaim, session or not.
bool ClaimForStart();
// The session, if the calling thread is the one that stops it; then ReleaseClaim. nullptr: there is none, or another thread has
// been stopping it and has finished or used up its time. A signal handler that comes here on the stack of the thread that stops the
// session does not wait for that thread.
Session* ClaimForStop();
// Others that end the process wait until now, so it comes after all that must not be cut off.
void ReleaseClaim();
// True if sp, a thread's stack pointer, lies in the stack of the thread that stops the session.
SOFTLBR_HANDLER_SAFE inline bool IsStoppingStack(uint64_t sp) {
  constexpr uint64_t kMostBytes = 65536;  // between the claim and what its thread calls or was called by
  return sp - (g_active_session.claim.load(std::memory_order_relaxed) - kMostBytes) < 2 * kMostBytes;
}

// Makes it the session that others see.
inline void PublishSession(Session* session) { g_active_session.session.store(session, std::memory_order_seq_cst); }
// Nobody finds it any more. False if a thread still uses it after kStopWaitNs: its memory must stay.
bool WithdrawSession();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_
