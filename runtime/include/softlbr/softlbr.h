/* softlbr: last branch records in software. The C API of the runtime.
 * Threads: call softlbr_load_decoder, softlbr_register_decoder and softlbr_start from one thread at a time; the
 * other functions from any thread at any time. From a signal handler: only those whose comment permits it.
 * Memory: no heap. The runtime maps one region at start, or uses the one given, and releases it at stop.
 * Errors: 0 on success, else a softlbr_status value (positive). Functions print nothing and leave errno alone.
 *
 * Details:
 * The runtime is in libsoftlbr_all.a, or in libsoftlbr.a and the other parts.
 * A call reads or fills what its pointers name before it returns; the caller may free it then, unless the function
 * says otherwise.
 * Shared libraries: a library or plugin may contain the runtime for its own use; it does not export this API. End
 * the session before its dlclose, because the runtime's code must not be unmapped while it runs.
 * softlbr_register_decoder and softlbr_start therefore make the loader keep the library that they are in: its
 * dlclose does not unmap it, the session continues, and a later dlopen finds it. */
#ifndef SOFTLBR_SOFTLBR_SOFTLBR_H_
#define SOFTLBR_SOFTLBR_SOFTLBR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Result codes, with the same numbers as in a profile. */
enum softlbr_status {
  SOFTLBR_OK = 0,
  SOFTLBR_UNSUPPORTED = 3,       /* this OS or CPU lacks a facility that is needed */
  SOFTLBR_PERMISSION_DENIED = 4, /* perf_event_paranoid or seccomp; `softlbr doctor` says which */
  SOFTLBR_TOO_MANY_LABELS = 6,
  SOFTLBR_INVALID_ARGUMENT = 7,
  SOFTLBR_NOT_ENOUGH_MEMORY = 8, /* the given region is too small, or mapping one failed */
  SOFTLBR_WRONG_STATE = 9,       /* start during a session, stop without one, a decoder registered during a session */
  SOFTLBR_INCOMPATIBLE_PLUGIN = 10,
  SOFTLBR_SYSTEM_ERROR = 11,
  SOFTLBR_NO_DECODER = 15,        /* no decoder plugin for this CPU is loaded */
  SOFTLBR_NO_DESCRIPTOR = 16,     /* too few file descriptors are left (RLIMIT_NOFILE) */
  SOFTLBR_MISALIGNED_REGION = 17, /* the region given does not begin at a multiple of SOFTLBR_REGION_ALIGNMENT */
  SOFTLBR_HANDLER_REPLACED =
      18, /* from stop: the app replaced our SIGTRAP handler, and sampling ended there (see below) */
  SOFTLBR_OTHER_RUNTIME =
      19, /* another copy of the runtime has a session in this process, e.g. that of `softlbr record` */
  SOFTLBR_SINK_FAILED = 20, /* from stop: not all of the profile has been written */
  /* From softlbr_control_start, about the folder of the socket: */
  SOFTLBR_FOLDER_MISSING = 21,
  SOFTLBR_FOLDER_IS_LINK = 22,        /* a symbolic link, or no folder */
  SOFTLBR_FOLDER_OF_ANOTHER = 23,     /* it belongs to another user */
  SOFTLBR_FOLDER_OPEN_TO_OTHERS = 24, /* others may create or delete entries there */
  SOFTLBR_FOLDER_NOT_WRITABLE = 25,   /* permissions, a read-only file system, or no space */
  SOFTLBR_SOCKET_NAME_TAKEN = 26,     /* by something that is no socket, which stays */
  SOFTLBR_SOCKET_IN_USE = 27,         /* somebody listens there */
  /* From softlbr_control_start, about state_file: */
  SOFTLBR_STATE_FOLDER_NOT_PRIVATE = 28, /* its folder is missing or, as above, no private folder of this user */
  SOFTLBR_STATE_NOT_KEPT = 29            /* the file or its lock cannot be read, locked or written */
};

/* One line with the meaning of a result and its remedy. Any thread, and in signal handlers. Inline: costs nothing if
 * it is not used. */
static inline const char* softlbr_status_text(int status) {
  switch (status) {
    case SOFTLBR_OK: return "done";
    case SOFTLBR_UNSUPPORTED: return "this system or CPU lacks a facility that is needed; `softlbr doctor` names it";
    case SOFTLBR_PERMISSION_DENIED:
      return "the kernel refuses perf events (perf_event_paranoid, seccomp); use SOFTLBR_EVENT_THREAD_TIMER, or see "
             "`softlbr "
             "doctor`";
    case SOFTLBR_TOO_MANY_LABELS:
      return "SOFTLBR_MOST_LABELS labels are set; remove one, by softlbr_set_label with NULL";
    case SOFTLBR_INVALID_ARGUMENT:
      return "an option is out of its range or unknown, a path is not absolute or too long, a label is beyond "
             "its limits, or sink_fd is not open for writing";
    case SOFTLBR_NOT_ENOUGH_MEMORY: return "the region is smaller than softlbr_region_bytes, or none could be mapped";
    case SOFTLBR_WRONG_STATE:
      return "a session is running, or none is; or the control is started twice, or not started";
    case SOFTLBR_INCOMPATIBLE_PLUGIN: return "the decoder was built for another version of softlbr or another CPU";
    case SOFTLBR_SYSTEM_ERROR:
      return "a system call failed (raise RLIMIT_NPROC if the user has too many threads; mount /proc), or a thread is "
             "stuck in the "
             "runtime's handler";
    case SOFTLBR_NO_DECODER:
      return "no decoder is registered; call softlbr_register_decoder or softlbr_load_decoder first";
    case SOFTLBR_NO_DESCRIPTOR: return "too few file descriptors are left; raise RLIMIT_NOFILE";
    case SOFTLBR_MISALIGNED_REGION: return "the region does not begin at a multiple of SOFTLBR_REGION_ALIGNMENT";
    case SOFTLBR_HANDLER_REPLACED:
      return "the app replaced the SIGTRAP handler, and sampling ended there; link libsoftlbr_signals.a";
    case SOFTLBR_OTHER_RUNTIME: return "another copy of the runtime has a session in this process";
    case SOFTLBR_SINK_FAILED:
      return "the profile's end is missing: the sink refused it, or our process was killed; the rest can be read";
    case SOFTLBR_FOLDER_MISSING: return "the control socket's folder is not there; make it, with mode 0700";
    case SOFTLBR_FOLDER_IS_LINK:
      return "the control socket's folder is a symbolic link or no folder; name a folder itself (realpath gives its "
             "path)";
    case SOFTLBR_FOLDER_OF_ANOTHER:
      return "the control socket's folder belongs to another user; make a folder of the process's own user, with mode "
             "0700";
    case SOFTLBR_FOLDER_OPEN_TO_OTHERS:
      return "others may create and delete files in the control socket's folder; chmod it to 0700, or make a folder in "
             "it with "
             "mode 0700 and use that";
    case SOFTLBR_FOLDER_NOT_WRITABLE:
      return "the control socket's folder may not be entered, made or written to, is read-only or full; give its user "
             "rwx (chmod "
             "0700), or use a folder where the process may make files";
    case SOFTLBR_SOCKET_NAME_TAKEN:
      return "a file that is no socket has the control socket's name; remove it, or set another program name or folder";
    case SOFTLBR_SOCKET_IN_USE:
      return "somebody listens at the control socket's name: another copy of the archive in this process, or a "
             "container with the "
             "same process id; set another program name or folder";
    case SOFTLBR_STATE_FOLDER_NOT_PRIVATE:
      return "the folder of state_file is missing, a symbolic link, another user's, or others may create and delete "
             "files there; "
             "make a folder of this user, with mode 0700";
    case SOFTLBR_STATE_NOT_KEPT:
      return "state_file, or the .lock beside it, cannot be read or written (a link, another user's, a full or "
             "read-only disk), or "
             "another process has held the lock for two seconds; use a path where this user may make files";
    default: return "not a status of this version";
  }
}

/* Before Linux 6.11, BEST is a clock, because a PMU's events can make blocking calls of the app fail with EINTR on
 * these kernels. */
enum softlbr_event {
  SOFTLBR_EVENT_BEST = 0,           /* the first event below that this machine permits */
  SOFTLBR_EVENT_TAKEN_BRANCHES = 1, /* period counts taken branches */
  SOFTLBR_EVENT_BRANCHES = 2,       /* branch instructions */
  SOFTLBR_EVENT_INSTRUCTIONS = 3,
  SOFTLBR_EVENT_CYCLES = 4,
  SOFTLBR_EVENT_TASK_CLOCK = 5,  /* nanoseconds of CPU time */
  SOFTLBR_EVENT_THREAD_TIMER = 6 /* nanoseconds of CPU time, without perf events */
};

enum softlbr_resolve {
  SOFTLBR_RESOLVE_STATIC = 0,   /* the paper's method: a breakpoint at each branch that decoding alone cannot resolve */
  SOFTLBR_RESOLVE_LOOKAHEAD = 1 /* evaluate ahead of the program; a breakpoint only where a value is unknown */
};

/* SOFTLBR_NO_BREAKPOINTS: no breakpoint is armed, not even at start. This costs the traces that need one. It is for
 * an app that cannot accept the following: on some virtual machines a breakpoint hit, one in 10^4 to 10^5, ends the
 * process if its thread blocks SIGTRAP at that moment, or if the app ignores SIGTRAP.
 *
 * Details:
 * Such a hit reaches the kernel without its cause, and is forced on the thread as a SIGTRAP (docs/kernel_limits.md).
 * The runtime recognises it and nothing is lost. But if the thread blocks SIGTRAP at that moment, or the app ignores
 * it, the kernel ends the process, whatever handler there is.
 * No breakpoint is armed on a thread that blocks SIGTRAP, nor behind a system call that may block it. What remains:
 * a signal handler of the app with SIGTRAP in its sa_mask (sigfillset) that interrupts a thread with an armed
 * breakpoint and runs the very instruction, or a thread that leaves the recorded path, by siglongjmp for example,
 * and then blocks SIGTRAP and runs it. By default one trace in 50 arms a breakpoint, for microseconds
 * (docs/decisions/0022-breakpoints-stay-on-where-marks-are-lost.md). */
enum softlbr_option_flags {
  SOFTLBR_KEEP_TRACES = 1u << 0,    /* write whole traces into the profile, in addition to the counts */
  SOFTLBR_KEEP_PATHS = 1u << 1,     /* keep the directories in module names */
  SOFTLBR_FIXED_PERIOD = 1u << 2,   /* do not randomise the sampling period */
  SOFTLBR_NO_BREAKPOINTS = 1u << 3, /* look-ahead alone */
  SOFTLBR_SHARE_DESCRIPTORS =
      1u << 4, /* without pidfd_open and pidfd_getfd, for which a sandbox may kill; see softlbr_start */
  SOFTLBR_DENSE_START = 1u << 5 /* for a person at a desk: many short traces in the first second, see softlbr_options */
};

/* Takes one finished chunk of the profile; the chunks, appended in order, form a .slbr file. Called on the runtime's
 * own thread, which has no libc thread state: copy the bytes or use plain system calls. This thread usually runs in a
 * separate process, which shares the app's memory and descriptors, but not its process id and current directory. Return
 * 0 if the chunk was taken; otherwise the chunk is counted as lost. */
typedef int (*softlbr_sink)(void* cookie, const void* bytes, size_t size);

/* A region given by the app must begin at a multiple of this. */
#define SOFTLBR_REGION_ALIGNMENT 4096

/* Zero is the default of every field except struct_size and the sink. Units are in the names. Later versions add
 * fields at the end: a smaller struct_size means that they are 0; a larger one is accepted if the bytes that this
 * version does not know are 0.
 * The app keeps sink_fd open until the session ends, and closes it.
 * SOFTLBR_INVALID_ARGUMENT: a value out of its range, an unknown flag, a sink_fd that is not open for writing.
 *
 * Details:
 * sink_fd: if it accepts no bytes for a second, like a pipe that nobody reads, the chunk is lost.
 * max_overhead_ppm: the session takes at most this share of the app's CPU time. The runtime lowers the sampling rate
 * to keep to it, and samples by timers of the threads, without breakpoints, or pauses at times, if the context
 * switches of sampled threads alone would exceed it. 1000000, the largest value: no limit. 0: 12500 (1.25 %); 100000
 * (10 %) if frequency_hz is set; no limit if period is set.
 * SOFTLBR_DENSE_START: unless period or frequency_hz is set, traces have 256 branches, and a clock's period is 1 ms.
 * Unless max_overhead_ppm is set, it is 4 % for the first second or so of the app's CPU time, then so little that
 * the session takes 1.25 % of the first ten seconds, then 1.25 %. The later, sparser branches and samples then count
 * as several each, so that shares are those of the whole time. Whole traces (SOFTLBR_KEEP_TRACES) do not. */
struct softlbr_options {
  uint32_t struct_size;      /* sizeof(struct softlbr_options) */
  uint32_t flags;            /* softlbr_option_flags */
  uint32_t event;            /* softlbr_event */
  uint32_t resolve_plus_one; /* 0: default (look-ahead); else 1 + softlbr_resolve */
  uint64_t period;           /* events (clocks: ns) between samples; 0: default */
  uint64_t frequency_hz; /* instead of period: samples per second of CPU time (of user code only, unless the event is a
                                  clock), up to 100000; 0: use period */
  uint32_t branches_per_trace; /* 1..1024; 0: default (1024; if period or frequency_hz is set, 128; if static, 16) */
  uint32_t max_threads;        /* 1..4096; 0: default (512) */
  int sink_fd;                 /* used if sink is NULL */
  uint32_t
      verify_every; /* verify at least one trace in verify_every against the true state at its end; 0: default (1024) */
  uint32_t max_overhead_ppm; /* 1..1000000; 0: default */
  uint32_t reserved;         /* 0 */
  softlbr_sink sink;
  void* sink_cookie;
  void* region;        /* all memory of the session, with any content; NULL: the runtime maps its own */
  size_t region_bytes; /* size of region; at least softlbr_region_bytes() */
};

/* A snapshot of the session's totals. Set struct_size to sizeof(struct softlbr_counters) before the call; only that
 * much is written. */
struct softlbr_counters {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t samples;
  uint64_t traces_complete;
  uint64_t traces_aborted;
  uint64_t taken_branches;
  uint64_t breakpoint_hits;
  uint64_t overhead_ns;
  uint64_t threads_traced;
  uint64_t threads_untraced;
  uint64_t lost;
};

/* Loads a decoder plugin, a shared object, and registers it. One call serves all later sessions; the plugin stays
 * loaded.
 * Cost: dlopen, which may allocate and block; no later call does.
 * SOFTLBR_INVALID_ARGUMENT: NULL. SOFTLBR_SYSTEM_ERROR: the file cannot be loaded. SOFTLBR_INCOMPATIBLE_PLUGIN: it
 * has no entry point. Otherwise as softlbr_register_decoder. */
int softlbr_load_decoder(const char* path);
/* Registers a statically linked decoder: SOFTLBR_HOST_DECODER() of decoders.h, or one of the app's own (plugin.h).
 * It replaces the one registered before. The table and its functions must stay in memory. Cost: some comparisons.
 * SOFTLBR_INCOMPATIBLE_PLUGIN: NULL, of another version, or for another CPU. SOFTLBR_WRONG_STATE: during a session. */
struct softlbr_decoder_plugin;
int softlbr_register_decoder(const struct softlbr_decoder_plugin* plugin);

/* The size of region that softlbr_start needs for these options; 0 if they are NULL or invalid. Any thread. No system
 * call. */
size_t softlbr_region_bytes(const struct softlbr_options* options);

/* Starts a session: samples every thread of the process, including threads created later, but no forked children.
 * Blocks until the existing threads are sampled: 1 to 2 ms, and 5 to 10 ms at the first start of a process.
 * Signals: installs an action for SIGTRAP, see below. No system call of the app fails with EINTR because of it,
 * except with SOFTLBR_EVENT_THREAD_TIMER.
 * Owns until softlbr_stop: the region, the sink and its cookie. *options is copied.
 * On failure nothing has changed. Errors: most of softlbr_status; softlbr_status_text names the remedy.
 *
 * Details:
 * fork: the child's copy of the session does nothing, and the child may start a session of its own.
 * Time: the first start of a process measures what a trap costs. If more threads are runnable than there are CPUs,
 * the new control thread first has to wait a time slice or two of the scheduler, as any new thread does.
 * Threads: if two threads call it at once, one gets the session and the other gets SOFTLBR_WRONG_STATE.
 * Resources: it also owns some 22 MB of addresses (1 to 3 MB of memory), and one descriptor with a high number. With
 * a sink function, with SOFTLBR_SHARE_DESCRIPTORS, or where the kernel refuses pidfd_getfd, it owns two descriptors
 * for each thread instead; then each read or write of an app with one thread takes 50 ns more in the kernel.
 * End of the process: without softlbr_stop, the rest of the profile is written to sink_fd a moment later. It is lost
 * with SOFTLBR_EVENT_THREAD_TIMER, and where the kernel does not let another process of ours open the app's events
 * (the app is not dumpable, or is process 1). A sink function is not called any more, and what it had not received
 * is lost.
 * exec ends the session in the same way. Where each thread has two descriptors, call softlbr_stop before exec:
 * otherwise the app can lose its POSIX record locks (fcntl), and its close-on-exec files close a moment later. */
int softlbr_start(const struct softlbr_options* options);
/* SIGTRAP belongs to the runtime during a session. If the app installs a handler of its own meanwhile, as crash
 * reporters do, sampling ends for good, and softlbr_stop returns SOFTLBR_HANDLER_REPLACED. Handlers installed before
 * the session are safe. Remedies:
 *   - link libsoftlbr_signals.a (pkg-config softlbr-signals), which does the following for sigaction, signal and
 *     their relatives;
 *   - call softlbr_exchange_trap_action instead of sigaction(SIGTRAP).
 *
 * Details:
 * The new handler receives our traps until the runtime notices, some milliseconds later. In builds with a sanitizer
 * only softlbr_exchange_trap_action helps, because the sanitizer's own sigaction comes first. */

/* Sandboxes: call softlbr_stop before the app enters a sandbox (seccomp, in strict mode or with a filter).
 * Memory: call softlbr_stop before the app registers memory with userfaultfd, clones a process that shares its
 * memory (CLONE_VM) and goes on running, or puts guards (MADV_GUARD_INSTALL) on memory that other threads have just
 * read.
 *
 * Details:
 * Sandboxes: our signal handler makes system calls on the app's threads; a filter that kills for one of them kills
 * the app at the next sample. It is safe to go on recording only if both hold: the filter allows all calls of
 * our_calls.def (it comes with the package), and a process of ours has the rest of the work. The latter is not so
 * with SOFTLBR_EVENT_THREAD_TIMER (softlbr_get_options tells what BEST has become), nor in an app that is not
 * dumpable or is process 1. `softlbr record` does all this by itself; no archive does.
 * Memory: our handler reads memory that the thread is about to read. An inaccessible page there kills the app; a
 * page that userfaultfd handles blocks the handler. `softlbr record` takes care of this by itself, too. */

/* An action of SIGTRAP, as rt_sigaction has it. */
struct softlbr_trap_action {
  uint64_t handler;  /* the function's address, SIG_DFL or SIG_IGN */
  uint64_t flags;    /* SA_SIGINFO, SA_RESTART, ... */
  uint64_t restorer; /* used with SA_RESTORER (0x04000000); without, the runtime adds what the CPU needs */
  uint64_t mask;     /* bit n - 1 for signal n */
};
/* sigaction for SIGTRAP, during a session and at any other time. During a session our handler stays installed: it
 * passes every SIGTRAP that is not ours to *action (may be NULL), which is installed when the session ends.
 * *previous (may be NULL) receives the app's former action. Any thread, and in signal handlers, as sigaction. Cost:
 * some system calls. SOFTLBR_SYSTEM_ERROR: the kernel rejected *action; nothing has changed. */
int softlbr_exchange_trap_action(const struct softlbr_trap_action* action, struct softlbr_trap_action* previous);

/* Ends the session: writes the rest of the profile, joins the runtime's thread, releases all memory and descriptors.
 * A region given by the app may be used again, except after SOFTLBR_SYSTEM_ERROR. Calls the sink for the last time
 * before it returns. Blocks for about a millisecond; in three cases, below, for longer.
 * SOFTLBR_WRONG_STATE: there is no session, or another thread is stopping it. SOFTLBR_HANDLER_REPLACED,
 * SOFTLBR_SINK_FAILED, SOFTLBR_SYSTEM_ERROR: the session has ended; below is what each means for the profile and the
 * region.
 *
 * Details:
 * Longer: if threads wait for a CPU, until each has run once, since a trap of ours may be pending for it; after half
 * a second our action for SIGTRAP stays installed instead, and passes every trap on. If the sink does not take the
 * profile, a second for each chunk. If a thread is stopped inside our handler, a second at most.
 * SOFTLBR_WRONG_STATE: if another thread is stopping the session, this call has waited for that thread, two seconds
 * at most.
 * SOFTLBR_HANDLER_REPLACED: the profile is complete up to the replacement.
 * SOFTLBR_SINK_FAILED: the sink did not take all of the profile, or our process that writes it was killed.
 * SOFTLBR_SYSTEM_ERROR: a thread is stuck inside our signal handler: the app must never use or unmap the region
 * again. */
int softlbr_stop(void);
/* softlbr_stop, but only if the session was started with this sink_cookie; NULL: any session. For code that shares
 * the process with other code that starts and stops sessions: it ends its own session, never one that another thread
 * has started meanwhile.
 * SOFTLBR_WRONG_STATE also: the session has another cookie, and goes on. Otherwise as softlbr_stop. */
int softlbr_stop_session(const void* sink_cookie);
/* 1 while a session runs, else 0. In a forked child: of its own session. One system call. */
int softlbr_is_running(void);
/* Fills *options with the options in effect: those given, with the chosen event, the current period, and defaults
 * filled in. flags has SOFTLBR_NO_BREAKPOINTS if the kernel permits none; max_overhead_ppm is 1000000 if there is no
 * limit. Set struct_size before the call; only that much is written. Cost: a system call and a copy; a stop by
 * another thread waits for it.
 * SOFTLBR_WRONG_STATE: no session. SOFTLBR_INVALID_ARGUMENT: NULL, or a struct_size that does not reach region. */
int softlbr_get_options(struct softlbr_options* options);
/* Fills *counters with the totals so far. Cost: a system call, and a few microseconds for each thread; a stop by
 * another thread waits for it. Works as soon as the first thread's events are open, even before softlbr_start has
 * opened those of the other threads.
 * SOFTLBR_WRONG_STATE: no session. SOFTLBR_INVALID_ARGUMENT: NULL, or a struct_size that does not include samples. */
int softlbr_get_counters(struct softlbr_counters* counters);

/* The id of the session that runs or, if none does, of the last one of this process: 16 hexadecimal digits of it
 * name the session's file in a spool and on a server. The same in every frame of its profile. Any thread of the
 * process, but not in a sink, which another process of ours usually calls. One system call.
 * SOFTLBR_WRONG_STATE: this process has started none. SOFTLBR_INVALID_ARGUMENT: NULL. */
int softlbr_get_session_id(uint64_t* id);

#define SOFTLBR_MOST_LABELS 8
#define SOFTLBR_MOST_LABEL_KEY_BYTES 32   /* 1 or more of: letters, digits, '_', '-', '.' */
#define SOFTLBR_MOST_LABEL_VALUE_BYTES 64 /* 0 or more printable ASCII characters, but no '"', ';' or '\\' */
/* Sets a label of this process, replaces its value, or (value NULL) removes it. All sessions of the process have it,
 * whoever starts them: the one that runs, from its next frame on, and later ones. Both texts are copied.
 * Labels leave the device in the profile: never give one that names a person (docs/privacy.md).
 * Any thread, not in a handler or sink. Waits for another thread that sets one. Cost: some microseconds.
 * SOFTLBR_INVALID_ARGUMENT: beyond the limits above. SOFTLBR_TOO_MANY_LABELS. On failure nothing has changed.
 *
 * Details:
 * Labels say what a session is one of, so that profiles can be compared: the app's version, an arm of an experiment,
 * a kind of device. A session has the labels that are set when it ends. A forked child has copies. */
int softlbr_set_label(const char* key, const char* value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_SOFTLBR_H_ */
