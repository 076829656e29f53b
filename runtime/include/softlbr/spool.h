/* softlbr: a folder on the device that keeps the profiles of finished sessions, within a quota, until they are uploaded.
 * libsoftlbr_spool.a (pkg-config softlbr-spool, CMake softlbr::spool).
 *
 *   static struct softlbr_spool spool;
 *   struct softlbr_spool_options where = {.struct_size = sizeof where, .folder = "/data/app/profiles"};
 *   if (softlbr_spool_open(&spool, &where) == SOFTLBR_SPOOL_OK) {
 *     options.sink = softlbr_spool_sink;
 *     options.sink_cookie = &spool;
 *     softlbr_start(&options);
 *     ...
 *     softlbr_stop();
 *     softlbr_spool_close(&spool);
 *   }
 *
 * The folder:
 *   <session id>.slbr             a finished session; the id has 16 lower-case hexadecimal digits
 *   <session id>.truncated.slbr   what a session left that never finished, because its process was killed or its last frame was lost
 *   .<id>.<process>.tmp           a session that is being written; its owner holds a lock on the file
 *   .lock, .salvage.tmp           the lock of quota and salvage; a salvaged or compacted file being written
 * All have mode 0600. The spool leaves other names alone. A file gets its finished name when its content is on the disk.
 * Whoever takes finished files away needs no lock.
 *
 * Threads: the sink is called by the runtime; call the other functions from one thread at a time, and none but softlbr_spool_counters
 * during a session that writes into the spool. Processes: several may use one folder. A forked child opens a spool of its own; there the
 * functions refuse the parent's.
 * Memory: no heap. Opening a spool and committing map 1.1 MiB for a moment, and what compact maps.
 * Errors: functions return softlbr_spool_status, print nothing and leave errno alone; no signal is raised at a limit of file sizes.
 * System calls of the sink, for sandboxes: openat, fcntl, close, fchmod, flock, statx, geteuid, prlimit64, pwrite64, ftruncate, unlinkat. */
#ifndef SOFTLBR_SOFTLBR_SPOOL_H_
#define SOFTLBR_SOFTLBR_SPOOL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum softlbr_spool_status {
  SOFTLBR_SPOOL_OK = 0,
  SOFTLBR_SPOOL_INVALID_ARGUMENT = 1,
  SOFTLBR_SPOOL_WRONG_STATE =
      2, /* the spool is not open, or belongs to the parent process; softlbr_spool_open: it is open already */
  SOFTLBR_SPOOL_NOT_PRIVATE =
      3, /* the folder or its .lock is a link, of another kind, another user's, or open to changes by others */
  SOFTLBR_SPOOL_NOT_WRITABLE = 4, /* the folder is missing, read-only or full */
  SOFTLBR_SPOOL_BUSY = 5,         /* another process has held .lock for two seconds */
  SOFTLBR_SPOOL_TOO_LARGE = 6     /* the session exceeds the quota; it was dropped */
};

/* What a result means and what helps, in one line. Inline: costs nothing where it is not used. */
static inline const char* softlbr_spool_status_text(int status) {
  switch (status) {
    case SOFTLBR_SPOOL_OK: return "done";
    case SOFTLBR_SPOOL_INVALID_ARGUMENT: return "folder is NULL or empty, or struct_size is wrong";
    case SOFTLBR_SPOOL_WRONG_STATE:
      return "the spool is not open in this process, or opened twice; call softlbr_spool_open once before, softlbr_spool_close "
             "after";
    case SOFTLBR_SPOOL_NOT_PRIVATE:
      return "the folder or its .lock is a link, or others may change it; make a folder of this user with mode 0700";
    case SOFTLBR_SPOOL_NOT_WRITABLE: return "the folder cannot be made or written: it is missing, read-only or full";
    case SOFTLBR_SPOOL_BUSY: return "another process holds the folder's lock; the session is kept, and the next open finishes it";
    case SOFTLBR_SPOOL_TOO_LARGE:
      return "the session is larger than max_bytes and was dropped; raise max_bytes or record for less time";
    default: return "not a status of this version";
  }
}

/* Set struct_size to sizeof(struct softlbr_spool_options). Zero is the default of the quotas. */
struct softlbr_spool_options {
  uint32_t struct_size;
  uint32_t max_files; /* finished files in the folder; 0: 64 */
  uint64_t max_bytes; /* of finished files together; 0: 16 MiB. A session being written takes as much again at most. */
  const char* folder; /* made with mode 0700 if it is missing; the part before its last slash must exist */
  /* softlbr_compact (softlbr/compact.h), which makes files a fraction of their size before they get their finished names, or NULL. May be
   * missing: struct_size is then the offset of this field. */
  int (*compact)(int source, int target);
};

/* Sums since softlbr_spool_open. Set struct_size before the call; only that much is written. */
struct softlbr_spool_counts {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t written;  /* sessions that became <id>.slbr when they were committed */
  uint64_t salvaged; /* files kept of sessions whose process was killed, or that were committed without their last frame */
  uint64_t dropped;  /* finished files removed, the oldest first, to make room */
  uint64_t lost;     /* frames that could not be written, or were given up with their session */
  uint64_t refused;  /* sessions larger than the quota, and what remained of such */
};

/* The state of a spool, in memory of the app that stays where it is until softlbr_spool_close. */
struct softlbr_spool {
  uint64_t state[32];
};

/* Opens the folder and salvages what killed processes left in it: whole frames, whose checksums are right, are kept; what had its last
 * frame becomes <id>.slbr, the rest <id>.truncated.slbr; a file without a whole frame is removed. *options may go.
 * Opens also if .lock is held for two seconds; what is to be salvaged then waits for the next open.
 * SOFTLBR_SPOOL_WRONG_STATE: it is open in this process, and stays so. After any other failure nothing is open.
 * Cost: a listing of the folder; for each file salvaged, reading it and some fsync. */
int softlbr_spool_open(struct softlbr_spool* spool, const struct softlbr_spool_options* options);

/* A softlbr_sink, whose cookie is the spool. Takes a whole frame or refuses it (1), which is counted. Makes the temporary file at the
 * first frame of a session. */
int softlbr_spool_sink(void* spool, const void* bytes, size_t size);

/* Instead of the sink: *descriptor is for softlbr_options.sink_fd, of a temporary file. So the end of the profile is written even if the
 * process ends without softlbr_stop, and the next open finishes the file. Do not close it. Valid until the next commit or close. */
int softlbr_spool_descriptor(struct softlbr_spool* spool, int* descriptor);

/* After softlbr_stop: gives the session its finished name, after removing the oldest finished files if the quota demands it. Without a
 * session nothing happens. The spool stays open for another session.
 * Unless the result is SOFTLBR_SPOOL_OK or SOFTLBR_SPOOL_TOO_LARGE, the temporary file stays, and the next open tries again.
 * Cost: reads the file once, and three fsync; with compact, what that costs and one more. */
int softlbr_spool_commit(struct softlbr_spool* spool);

/* Commits and closes the folder, whatever the result is. */
int softlbr_spool_close(struct softlbr_spool* spool);

/* Fills *counts. Any thread, at any time while the spool is open, and after its close. */
int softlbr_spool_counters(const struct softlbr_spool* spool, struct softlbr_spool_counts* counts);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_SPOOL_H_ */
