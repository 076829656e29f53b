/* softlbr: last branch records in software. The C API of the runtime (libsoftlbr.a).
 *
 * Threads: call softlbr_load_decoder, softlbr_register_decoder and softlbr_start from one thread at a time; the other functions
 * from any thread at any time. Call none from a signal handler.
 * Memory: the runtime allocates no heap. It maps one region at start, or uses the one given, and releases it at stop.
 * Errors: functions return 0 on success, else a softlbr_status value (positive). They print nothing and leave errno alone. */
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
  SOFTLBR_INVALID_ARGUMENT = 7,
  SOFTLBR_NOT_ENOUGH_MEMORY = 8, /* the given region is too small, or mapping one failed */
  SOFTLBR_WRONG_STATE = 9,       /* start during a session, stop without one, a decoder registered during a session */
  SOFTLBR_INCOMPATIBLE_PLUGIN = 10,
  SOFTLBR_SYSTEM_ERROR = 11,
  SOFTLBR_NO_DECODER = 15,       /* no decoder plugin for this CPU is loaded */
  SOFTLBR_NO_DESCRIPTOR = 16,    /* too few file descriptors are left (RLIMIT_NOFILE) */
  SOFTLBR_MISALIGNED_REGION = 17 /* the region given does not begin at a multiple of SOFTLBR_REGION_ALIGNMENT */
};

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

enum softlbr_option_flags {
  SOFTLBR_KEEP_TRACES = 1u << 0,   /* write whole traces into the profile, in addition to the counts */
  SOFTLBR_KEEP_PATHS = 1u << 1,    /* keep the directories in module names */
  SOFTLBR_FIXED_PERIOD = 1u << 2,  /* do not randomise the sampling period */
  SOFTLBR_NO_BREAKPOINTS = 1u << 3 /* look-ahead alone */
};

/* Takes one finished chunk of the profile; the chunks, appended in order, form a .slbr file. Called on the runtime's own thread,
 * which has no libc thread state: copy the bytes or use plain system calls. Return 0 if the chunk was taken; a chunk that was not
 * taken is counted as lost. */
typedef int (*softlbr_sink)(void* cookie, const void* bytes, size_t size);

/* A region given by the app must begin at a multiple of this. */
#define SOFTLBR_REGION_ALIGNMENT 4096

/* Zero is the default of every field except struct_size and the sink. Units are in the names. */
struct softlbr_options {
  uint32_t struct_size;        /* sizeof(struct softlbr_options) */
  uint32_t flags;              /* softlbr_option_flags */
  uint32_t event;              /* softlbr_event */
  uint32_t resolve_plus_one;   /* 0: default (look-ahead); else 1 + softlbr_resolve */
  uint64_t period;             /* events (clocks: ns) between samples; 0: default */
  uint64_t frequency_hz;       /* instead of period: samples per second of CPU time, up to 100000; 0: use period */
  uint32_t branches_per_trace; /* 1..1024; 0: default (128; 16 if static) */
  uint32_t max_threads;        /* 1..4096; 0: default (512) */
  int sink_fd;                 /* used if sink is NULL; the runtime does not close it */
  uint32_t verify_every;       /* verify one trace in verify_every against the true state at its end; 0: default (1024) */
  uint32_t max_overhead_ppm;   /* lower the sampling rate to stay below this share of the app's CPU time; 0: no limit */
  uint32_t reserved;           /* 0 */
  softlbr_sink sink;
  void* sink_cookie;
  void* region;        /* all memory of the session, with any content; NULL: the runtime maps its own */
  size_t region_bytes; /* size of region; at least softlbr_region_bytes() */
};

/* A snapshot of the session's totals. Set struct_size before the call. */
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

/* Loads and registers a decoder plugin (a shared object). The dynamic loader may allocate here; later calls do not. */
int softlbr_load_decoder(const char* path);
/* Registers a statically linked decoder. struct softlbr_decoder_plugin is defined in decoders/api/plugin.h. */
struct softlbr_decoder_plugin;
int softlbr_register_decoder(const struct softlbr_decoder_plugin* plugin);

/* The size of region that softlbr_start needs for these options; 0 if they are invalid. */
size_t softlbr_region_bytes(const struct softlbr_options* options);

/* Starts a session: samples every thread of the process, including threads created later. */
int softlbr_start(const struct softlbr_options* options);
/* Ends the session: writes the rest of the profile, joins the runtime's thread, releases all memory and descriptors. A region given
 * by the app may be used again. SOFTLBR_WRONG_STATE: there is no session, or another thread is stopping it; this call has then
 * waited for that thread, two seconds at most. SOFTLBR_SYSTEM_ERROR: the session has ended, but the sink did not take all of the
 * profile, or a thread is stuck inside our signal handler and the app must never use or unmap the region again. */
int softlbr_stop(void);
/* 1 while a session runs, else 0. */
int softlbr_is_running(void);
/* Fills *counters with the totals so far; SOFTLBR_WRONG_STATE without a session. */
int softlbr_get_counters(struct softlbr_counters* counters);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_SOFTLBR_H_ */
