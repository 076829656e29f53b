/* softlbr: sessions on request. The program listens on a Unix socket; `softlbr trigger` starts a session in it and
 * fetches the profile. The program can also record by itself at random times, and accept requests that a server has
 * signed.
 * Threads: call start, stop and poll from one thread at a time; the other functions from any thread. Call none from
 * a signal handler or a callback.
 * Memory: no heap. Errors: 0 on success, else a softlbr_status value. Prints nothing, leaves errno alone.
 *
 * Details:
 * In an archive of its own, libsoftlbr_control.a (pkg-config softlbr-control), which uses the C API of softlbr.h.
 * docs/sessions_on_request.md describes the messages and the servers' requests.
 * Cost without a session: one thread that sleeps in the kernel, or none if the app lends its own; two descriptors,
 * three with a schedule. The thread, named "softlbr", has every signal blocked and no libc thread state.
 * Who may request a session: the program's user and root, and holders of a key that the program trusts. The limits
 * and budgets below apply to them, to the schedule and to the program itself. A refused request changes nothing and
 * is counted; of the state file it changes only the latest time seen (docs/sessions_on_request.md).
 * fork: the child does not serve the parent's socket. It may call softlbr_control_start for a socket of its own.
 * If the process ends without softlbr_control_stop, its socket file stays, and connecting to it fails. A later
 * process with the same name and process id replaces it. */
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

/* Called before a session that is within the limits starts. Return 0 to refuse it, for example because the device is
 * hot or low on battery. Called on the serving thread; the archive's own has no libc thread state: only read
 * variables or make plain system calls. */
typedef int (*softlbr_control_condition)(void* cookie);

/* Returns whether a server's request is signed by a key that the program trusts; 0 refuses the request. Called on
 * the thread that calls softlbr_control_request. verify_ed25519.h contains one. */
typedef int (*softlbr_control_verify)(void* cookie, const void* bytes, size_t size, const void* signature,
                                      size_t signature_size);

/* Gives the descriptor, open for writing, that the next session's profile is written to. The archive does not close
 * it: the app does so, or commits its spool, when softlbr_control_ended is called. Return 0; anything else refuses
 * the session (SOFTLBR_CONTROL_SINK_NOT_OPENED).
 *
 * Details:
 * Called when nothing else stands against the session, on the thread that starts it: the serving one, or that of
 * softlbr_control_run and softlbr_control_request. For a spool:
 *   static int OpenSpool(void* spool, int* descriptor) { return softlbr_spool_descriptor(spool, descriptor); } */
typedef int (*softlbr_control_open)(void* cookie, int* descriptor);

/* Called after a session whose profile went to the sink or to the descriptor of open_sink, with the result of
 * softlbr_stop: call softlbr_spool_commit here, for example. After open_sink it is also called if the session then
 * could not be started, with the result of softlbr_start. Called on the serving thread, and in the last case on the
 * one that called open_sink. */
typedef void (*softlbr_control_ended)(void* cookie, int status);

/* A session that ends by itself. Zero is the default of every field except struct_size; values as in softlbr_options.
 * */
struct softlbr_control_session {
  uint32_t struct_size; /* sizeof(struct softlbr_control_session) */
  uint32_t duration_ms; /* 0: 10000, or longest_session_ms if that is less; a schedule must set it */
  uint32_t event;       /* softlbr_event */
  uint32_t branches_per_trace;
  uint64_t period;
  uint64_t frequency_hz;
  uint32_t max_overhead_ppm; /* 0: 10000 (1 %), or largest_overhead_ppm if that is less */
  uint32_t skip_ppm;         /* the probability, in millionths, that nothing is recorded */
  uint64_t reserved;         /* 0 */
};

/* Zero is the default of every field except struct_size. Later versions add fields at the end, as with softlbr_options.
 * */
struct softlbr_control_options {
  uint32_t struct_size; /* sizeof(struct softlbr_control_options) */
  uint32_t flags;       /* softlbr_control_flags */
  /* An absolute path. The folder must belong to the user of the process, nobody else may be able to create or delete
   * files there, and it may not be a symbolic link. NULL: $XDG_RUNTIME_DIR/softlbr, else /tmp/softlbr-<user id>;
   * only the default is made if it is missing.
   *
   * Details:
   * So neither its group nor others may have write permission; the group may if the folder above belongs to the
   * user, too, and lets nobody else pass (no x for group and others): Android's getFilesDir, of mode 0771 in an
   * app's own folder of mode 0700. */
  const char* folder;
  const char* program; /* in the name of the socket, softlbr.<program>.<pid>.sock; NULL: the name of the process */
  uint32_t longest_session_ms;   /* 0: 60000 */
  uint32_t largest_overhead_ppm; /* up to 1000000; 0: 20000 (2 %) */
  uint64_t densest_period;       /* the smallest that a request may set; 0: 100000 */
  uint64_t highest_frequency_hz; /* 0: 10000 */
  void* region;                  /* for the sessions, as in softlbr_options; NULL: each maps its own */
  size_t region_bytes;
  softlbr_control_condition condition; /* NULL: every session within the limits is permitted */
  void* condition_cookie;
  /* The time that all sessions of this archive together, whoever requests them, may take in any hour, day and week, in
   * milliseconds; 0: no budget. A running session counts with its full duration, an ended one with the time that it
   * took. */
  uint32_t budget_hour_ms;
  uint32_t budget_day_ms;
  uint32_t budget_week_ms;
  uint32_t reserved; /* 0 */
  /* An absolute path in a private folder. The file keeps the budgets and the nonces of accepted requests across
   * restarts, also if the process is killed at any instant, and shares them with other processes that name the same
   * file. NULL: budgets last as long as the process.
   *
   * Details:
   * <path>.lock and <path>.tmp are made beside it; mode 0600. If it is damaged, every budget counts as spent and
   * every request as taken before: all is permitted again after a week. Within one boot budgets do not depend on the
   * wall clock; setting it back never frees any. */
  const char* state_file;
  /* Receives the profiles of sessions that were not requested over the socket; softlbr_spool_sink, for example. */
  softlbr_sink sink;
  void* sink_cookie;
  softlbr_control_ended ended; /* may be NULL */
  void* ended_cookie;
  /* Sessions at random times: from one start to the next it takes 0.5 to 1.5 times schedule_every_ms, and the first
   * starts within schedule_every_ms, which is at least twice the duration and at most a week. Nothing of a session
   * exists between them.
   * Set both fields or none, and sink or open_sink with them. *schedule is copied. */
  const struct softlbr_control_session* schedule;
  uint32_t schedule_every_ms;
  uint32_t reserved2; /* 0 */
  softlbr_control_verify
      verify; /* NULL: servers' requests are refused. Otherwise set state_file and sink or open_sink, too. */
  void* verify_cookie;
  /* Instead of the sink (set one of the two): a descriptor for each session. Whatever ends the process, what a
   * session recorded up to then is written to it a moment later, as with softlbr_options.sink_fd. A sink function
   * loses what it had not received. */
  softlbr_control_open open_sink;
  void* open_cookie;
};

/* Why a request was refused; the numbers are those of the control protocol. */
enum softlbr_control_refusal {
  SOFTLBR_CONTROL_MALFORMED = 1,
  SOFTLBR_CONTROL_OVERSIZED = 2,
  SOFTLBR_CONTROL_WRONG_VERSION = 3,
  SOFTLBR_CONTROL_OUT_OF_RANGE = 4,
  SOFTLBR_CONTROL_OTHER_USER = 5,
  SOFTLBR_CONTROL_SESSION_RUNS = 6,
  SOFTLBR_CONTROL_TOO_LONG = 7,
  SOFTLBR_CONTROL_TOO_DENSE = 8,
  SOFTLBR_CONTROL_TOO_FREQUENT = 9,
  SOFTLBR_CONTROL_TOO_COSTLY = 10,
  SOFTLBR_CONTROL_NOT_STARTED = 11,
  SOFTLBR_CONTROL_NOT_NOW = 12,
  SOFTLBR_CONTROL_HOUR_SPENT = 13,
  SOFTLBR_CONTROL_DAY_SPENT = 14,
  SOFTLBR_CONTROL_WEEK_SPENT = 15,
  SOFTLBR_CONTROL_STATE_NOT_KEPT = 16,
  SOFTLBR_CONTROL_NO_VERIFIER = 17,
  SOFTLBR_CONTROL_BAD_SIGNATURE = 18,
  SOFTLBR_CONTROL_OTHER_APP = 19,
  SOFTLBR_CONTROL_OTHER_BUILD = 20,
  SOFTLBR_CONTROL_NOT_YET = 21,
  SOFTLBR_CONTROL_EXPIRED = 22,
  SOFTLBR_CONTROL_VALID_TOO_LONG = 23,
  SOFTLBR_CONTROL_REPLAYED = 24,
  SOFTLBR_CONTROL_TOO_MANY_REQUESTS = 25,
  SOFTLBR_CONTROL_SINK_NOT_OPENED = 26,
  SOFTLBR_CONTROL_REFUSALS = 32 /* numbers below this have a counter */
};

/* Totals since the start of the process. Set struct_size before the call; only that much is written. */
struct softlbr_control_counters {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t connections;
  uint64_t sessions;             /* started by a request, the schedule or softlbr_control_run */
  uint64_t sessions_cancelled;   /* of these: ended early by the requester */
  uint64_t refused_malformed;    /* messages of another form, size or version */
  uint64_t refused_out_of_range; /* a value that softlbr_start would not take */
  uint64_t refused_other_user;
  uint64_t refused_busy;   /* during a session */
  uint64_t refused_policy; /* beyond a limit of the options, or by their condition */
  uint64_t refused_not_started;
  uint64_t refused_budget;
  uint64_t refused_state;
  uint64_t refused_request;                   /* a server's request: its signature, addressee, validity or nonce */
  uint64_t sessions_skipped;                  /* by skip_ppm */
  uint64_t states_lost;                       /* the state file was damaged */
  uint64_t refused[SOFTLBR_CONTROL_REFUSALS]; /* each softlbr_control_refusal */
};

/* One line with the meaning of a refusal. Any thread. Inline: costs nothing if it is not used. */
static inline const char* softlbr_control_refusal_text(uint32_t refusal) {
  switch (refusal) {
    case 0: return "not refused";
    case SOFTLBR_CONTROL_MALFORMED: return "the message is none of the control protocol";
    case SOFTLBR_CONTROL_OVERSIZED:
      return "the message is larger than any of the control protocol, or carries too many descriptors";
    case SOFTLBR_CONTROL_WRONG_VERSION: return "the message is of another version of the control protocol";
    case SOFTLBR_CONTROL_OUT_OF_RANGE: return "an option of the request is outside its range";
    case SOFTLBR_CONTROL_OTHER_USER: return "only the program's user and root may ask";
    case SOFTLBR_CONTROL_SESSION_RUNS: return "a session runs in the program already";
    case SOFTLBR_CONTROL_TOO_LONG: return "the program permits no session of that duration";
    case SOFTLBR_CONTROL_TOO_DENSE: return "the program permits no period that short";
    case SOFTLBR_CONTROL_TOO_FREQUENT: return "the program permits no frequency that high";
    case SOFTLBR_CONTROL_TOO_COSTLY: return "the program permits no overhead that large";
    case SOFTLBR_CONTROL_NOT_STARTED: return "the session could not be started";
    case SOFTLBR_CONTROL_NOT_NOW: return "the program permits no session now";
    case SOFTLBR_CONTROL_HOUR_SPENT: return "the program's budget for an hour is spent";
    case SOFTLBR_CONTROL_DAY_SPENT: return "the program's budget for a day is spent";
    case SOFTLBR_CONTROL_WEEK_SPENT: return "the program's budget for a week is spent";
    case SOFTLBR_CONTROL_STATE_NOT_KEPT: return "the program's state file cannot be read or written";
    case SOFTLBR_CONTROL_NO_VERIFIER: return "the program takes no requests of a server";
    case SOFTLBR_CONTROL_BAD_SIGNATURE: return "the request is not signed by a key that the program trusts";
    case SOFTLBR_CONTROL_OTHER_APP: return "the request is for another program";
    case SOFTLBR_CONTROL_OTHER_BUILD: return "the request is for another build of the program";
    case SOFTLBR_CONTROL_NOT_YET: return "the request is not valid yet";
    case SOFTLBR_CONTROL_EXPIRED: return "the request has expired";
    case SOFTLBR_CONTROL_VALID_TOO_LONG: return "the request is valid for longer than a week";
    case SOFTLBR_CONTROL_REPLAYED: return "the request was taken before, or may have been";
    case SOFTLBR_CONTROL_TOO_MANY_REQUESTS: return "the program remembers as many requests as it can";
    case SOFTLBR_CONTROL_SINK_NOT_OPENED: return "the program has no file for the profile (open_sink)";
    default: return "not a refusal of this version";
  }
}

/* Makes the socket and waits for requests. A decoder must be registered (softlbr_register_decoder) before a request
 * can succeed. Blocks for less than a millisecond. *options and its texts are copied.
 * SOFTLBR_INVALID_ARGUMENT: an option. SOFTLBR_WRONG_STATE: already started. SOFTLBR_FOLDER_*, SOFTLBR_SOCKET_*: the
 * socket's folder or name (SOFTLBR_FOLDER_MISSING: of the default folder, the one above it). SOFTLBR_STATE_*: the
 * state file. SOFTLBR_NO_DESCRIPTOR. SOFTLBR_SYSTEM_ERROR. softlbr_status_text names cause and remedy. A failure
 * leaves nothing behind. */
int softlbr_control_start(const struct softlbr_control_options* options);
/* Ends a session that a request started, and keeps what it recorded; then closes and removes the socket and joins the
 * thread. Blocks as long as softlbr_stop. SOFTLBR_WRONG_STATE: not started. */
int softlbr_control_stop(void);

/* For an app that lends its own thread. The descriptor is readable (poll, epoll) when softlbr_control_poll has
 * something to do; -1: not started. The app never closes it. */
int softlbr_control_descriptor(void);
/* Serves all pending events, and returns. During a session, call it whenever the descriptor is readable; otherwise the
 * session ends late. Blocks for some microseconds; where a session starts or ends, as long as softlbr_start and
 * softlbr_stop. SOFTLBR_WRONG_STATE: not started, or the archive has a thread. */
int softlbr_control_poll(void);

/* Starts a session that ends by itself; its profile goes to the sink or open_sink of the options. Blocks as long as
 * softlbr_start plus a sync of the state file. *refusal (may be NULL): why it was refused, else 0. SOFTLBR_OK: it
 * runs, or was skipped (skip_ppm).
 * SOFTLBR_WRONG_STATE: not started, or a session runs. SOFTLBR_INVALID_ARGUMENT: a value, or there is neither.
 * SOFTLBR_PERMISSION_DENIED: refused. Else the result of softlbr_start. */
int softlbr_control_run(const struct softlbr_control_session* session, uint32_t* refusal);
/* The same for a server's request (docs/sessions_on_request.md), which the app received over a channel of its own.
 * Accepts any bytes safely. Results as of softlbr_control_run. */
int softlbr_control_request(const void* bytes, size_t size, uint32_t* refusal);

/* SOFTLBR_INVALID_ARGUMENT: NULL, or a struct_size that does not include connections. */
int softlbr_control_get_counters(struct softlbr_control_counters* counters);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_CONTROL_H_ */
