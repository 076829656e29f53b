// The session of this process, and who may use it.
//
// Any thread, in a signal handler too, may read the session while it holds a SessionUse. The thread that stops the session withdraws
// it first: it sets the pointer to null, then waits until no use is left. The user counts itself before it reads the pointer and all
// of these are sequentially consistent, so either the user sees null or the stopping thread sees the user.
// A forked child inherits the pointer but not the session: every entry compares the process id, and the first start in the child
// resets the words.
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
};
extern SOFTLBR_HIDDEN ActiveSession g_active_session;

// The session of this process, or nullptr: none, or this is a forked child.
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

// Makes it the session that others see.
inline void PublishSession(Session* session) { g_active_session.session.store(session, std::memory_order_seq_cst); }
// Nobody finds it any more. False if a thread still uses it after kStopWaitNs: its memory must stay.
bool WithdrawSession();
// In a forked child: drops what it inherited.
void ForgetSession();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_ACTIVE_SESSION_H_
