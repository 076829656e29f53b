/* softlbr: sessions on request. The program waits on a Unix socket, and `softlbr trigger` starts a session in it and fetches the profile.
 * In an archive of its own, libsoftlbr_control.a (pkg-config softlbr-control), over the C API of softlbr.h; docs/control_protocol.md
 * describes the messages.
 *
 * Cost without a session: one thread that sleeps in the kernel, or none if the app lends its own; two descriptors. The thread, named
 * "softlbr", has every signal blocked and no libc thread state.
 * Who may ask: the program's user and root. What they may ask for: no more than the limits below.
 * Threads: call start, stop and poll from one thread at a time; the other functions from any thread. None from a signal handler.
 * Memory: no heap. Errors: 0 on success, else a softlbr_status value. Prints nothing, leaves errno alone.
 * fork: the child does not serve the parent's socket. It may call softlbr_control_start for one of its own.
 * The process ends without softlbr_control_stop: its socket stays, and nobody answers there. A later process of the same name and
 * process id replaces it. */
#ifndef SOFTLBR_SOFTLBR_CONTROL_H_
#define SOFTLBR_SOFTLBR_CONTROL_H_

#include <stddef.h>
#include <stdint.h>

#include "softlbr/softlbr.h"

#ifdef __cplusplus
extern "C" {
#endif

enum softlbr_control_flags {
  SOFTLBR_CONTROL_NO_THREAD = 1u << 0 /* the app calls softlbr_control_poll; the archive starts no thread */
};

/* Asked before a session that is within the limits: 0 refuses it, because the device is hot or low on battery, for example. Called on the
 * thread that serves; the archive's has no libc thread state, so look at variables of the app or make plain system calls. */
typedef int (*softlbr_control_condition)(void* cookie);

/* Zero is the default of every field except struct_size. Later versions add fields at the end, as with softlbr_options. */
struct softlbr_control_options {
  uint32_t struct_size; /* sizeof(struct softlbr_control_options) */
  uint32_t flags;       /* softlbr_control_flags */
  /* An absolute path. The folder must belong to the user of the process, nobody else may have write permission, and it may not be a
   * symbolic link. NULL: $XDG_RUNTIME_DIR/softlbr, else /tmp/softlbr-<user id>; this one is made if it is not there. */
  const char* folder;
  const char* program;           /* in the name of the socket, softlbr.<program>.<pid>.sock; NULL: the name of the process */
  uint32_t longest_session_ms;   /* 0: 60000 */
  uint32_t largest_overhead_ppm; /* up to 1000000; 0: 20000 (2 %) */
  uint64_t densest_period;       /* the least that a request may set; 0: 100000 */
  uint64_t highest_frequency_hz; /* 0: 10000 */
  void* region;                  /* for the sessions, as in softlbr_options; NULL: each maps its own */
  size_t region_bytes;
  softlbr_control_condition condition; /* NULL: every session within the limits is permitted */
  void* condition_cookie;
};

/* Totals since the start of the process. Set struct_size before the call; only that much is written. A refused request changes nothing. */
struct softlbr_control_counters {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t connections;
  uint64_t sessions;             /* started by a request */
  uint64_t sessions_cancelled;   /* of these: ended early by the requester */
  uint64_t refused_malformed;    /* messages of another form, size or version */
  uint64_t refused_out_of_range; /* a value that softlbr_start would not take */
  uint64_t refused_other_user;
  uint64_t refused_busy;   /* during a session */
  uint64_t refused_policy; /* beyond a limit of the options, or by its condition */
  uint64_t refused_not_started;
};

/* Makes the socket and waits for requests. A decoder must be registered (softlbr_register_decoder) before a request can succeed.
 * Blocks for less than a millisecond. *options and the texts may go.
 * SOFTLBR_INVALID_ARGUMENT: an option. SOFTLBR_PERMISSION_DENIED: the folder is not private, is a symbolic link, or cannot be made or
 * written to. SOFTLBR_WRONG_STATE: already started. SOFTLBR_OTHER_RUNTIME: another copy in this process listens there.
 * SOFTLBR_NO_DESCRIPTOR, SOFTLBR_SYSTEM_ERROR: nothing was left behind. */
int softlbr_control_start(const struct softlbr_control_options* options);
/* Ends a session that a request started, keeping what it recorded; then closes and removes the socket and joins the thread.
 * Blocks as long as softlbr_stop. SOFTLBR_WRONG_STATE: not started. */
int softlbr_control_stop(void);

/* For an app that lends its own thread. The descriptor is readable (poll, epoll) when softlbr_control_poll has something to do;
 * -1: not started. The app never closes it. */
int softlbr_control_descriptor(void);
/* Serves what waits, and returns. During a session to be called whenever the descriptor is readable, else the session does not end in
 * time. Blocks for some microseconds; for as long as softlbr_start and softlbr_stop where a session starts or ends.
 * SOFTLBR_WRONG_STATE: not started, or the archive has a thread. */
int softlbr_control_poll(void);

/* SOFTLBR_INVALID_ARGUMENT: NULL, or a struct_size that does not reach behind connections. */
int softlbr_control_get_counters(struct softlbr_control_counters* counters);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_CONTROL_H_ */
