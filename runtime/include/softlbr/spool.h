/* softlbr: a folder on the device that keeps the profiles of finished sessions, within a quota, until they are
 * uploaded. libsoftlbr_spool.a (pkg-config softlbr-spool, CMake softlbr::spool).
 * Threads: the runtime calls the sink. Call the other functions from one thread at a time, and during a session that
 * writes into the spool only softlbr_spool_counters.
 * Memory: no heap. Errors: functions return softlbr_spool_status, print nothing and leave errno alone; no signal is
 * raised at a limit of file sizes.
 *
 * Details:
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
 *   <session id>.truncated.slbr   the whole frames of an unfinished session: its process was killed or its last frame
 *                                 was lost
 *   .<id>.<process>.tmp           a session that is being written; its owner holds a lock on the file
 *   .lock, .salvage.tmp           the lock for quota and salvage; a salvaged or compacted file being written
 * All have mode 0600. The spool ignores other names. A file gets its finished name only after its content is on the
 * disk. Removing finished files needs no lock.
 *
 * Processes: several may use one folder. A forked child must open a spool of its own; in the child the functions
 * refuse the parent's spool.
 * Opening a spool and committing map 1.1 MiB temporarily, plus what compact maps.
 * For sandboxes, the sink's system calls: openat, fcntl, close, fchmod, flock, statx, geteuid, prlimit64, pwrite64,
 * ftruncate, unlinkat. */
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
  SOFTLBR_SPOOL_TOO_LARGE = 6,    /* the session exceeds the quota; it was dropped */
  SOFTLBR_SPOOL_TOO_FEW =
      7 /* from commit and close: the session has fewer samples than fewest_samples; it was dropped */
};

/* One line with the meaning of a result and its remedy. Inline: costs nothing if it is not used. */
static inline const char* softlbr_spool_status_text(int status) {
  switch (status) {
    case SOFTLBR_SPOOL_OK: return "done";
    case SOFTLBR_SPOOL_INVALID_ARGUMENT: return "folder is NULL or empty, or struct_size is wrong";
    case SOFTLBR_SPOOL_WRONG_STATE:
      return "the spool is not open in this process, or opened twice; call softlbr_spool_open once before, "
             "softlbr_spool_close "
             "after";
    case SOFTLBR_SPOOL_NOT_PRIVATE:
      return "the folder or its .lock is a link, or others may change it; make a folder of this user with mode 0700 "
             "(0771 will "
             "do in a folder of this user that nobody else may enter)";
    case SOFTLBR_SPOOL_NOT_WRITABLE: return "the folder cannot be made or written: it is missing, read-only or full";
    case SOFTLBR_SPOOL_BUSY:
      return "another process holds the folder's lock; the session is kept, and the next open finishes it";
    case SOFTLBR_SPOOL_TOO_LARGE:
      return "the session is larger than max_bytes and was dropped; raise max_bytes or record for less time";
    case SOFTLBR_SPOOL_TOO_FEW:
      return "the session has fewer samples than fewest_samples and was dropped; record for longer, or lower "
             "fewest_samples";
    default: return "not a status of this version";
  }
}

/* Set struct_size to sizeof(struct softlbr_spool_options). Zero is the default of the quotas. */
struct softlbr_spool_options {
  uint32_t struct_size;
  uint32_t max_files; /* finished files in the folder; 0: 64 */
  uint64_t
      max_bytes; /* of all finished files; 0: 16 MiB. A session that the sink writes takes at most the same again. */
  const char*
      folder; /* made with mode 0700 if it is missing; the part before its last slash must exist. Else as the folder
                          of softlbr_control_options: nobody else may be able to create or delete files there */
  /* softlbr_compact (softlbr/compact.h), which shrinks files to a fraction of their size before they get their
   * finished names; NULL: none.
   * The field may be left out: then struct_size is its offset. */
  int (*compact)(int source, int target);
  /* A session with fewer samples than this is dropped, and counted in too_few. 0: 3, because what a session repeats
   * of every other (settings, counters, records of its modules) outweighs what fewer samples say.
   * SOFTLBR_SPOOL_KEEP_EMPTY: none is dropped. A session without its last frame is dropped only if it has no rows at
   * all. May be left out, like compact. */
  uint32_t fewest_samples;
  uint32_t reserved; /* 0 */
};
#define SOFTLBR_SPOOL_KEEP_EMPTY 0xffffffffu

/* Sums since softlbr_spool_open. Set struct_size before the call; only that much is written. */
struct softlbr_spool_counts {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t written; /* sessions that became <id>.slbr when they were committed */
  uint64_t
      salvaged; /* files kept from sessions whose process was killed, or that were committed without their last frame */
  uint64_t dropped; /* finished files removed, the oldest first, to make room */
  /* Frames that could not be written, or were given up with their session. A session by softlbr_spool_descriptor
   * counts those missing at its commit: one at least if nothing is left of it, and one if no file could be made for
   * it. */
  uint64_t lost;
  uint64_t refused; /* sessions larger than the quota, and remains of such sessions */
  uint64_t too_few; /* sessions with fewer samples than fewest_samples */
};

/* The state of a spool, in the app's memory. Do not move it before softlbr_spool_close. */
struct softlbr_spool {
  uint64_t state[32];
};

/* Opens the folder and salvages the sessions that killed processes left in it. *options is copied.
 * SOFTLBR_SPOOL_WRONG_STATE: it is already open in this process, and stays open. After any other failure nothing is
 * open.
 * Cost: a listing of the folder; for each file salvaged, reading it and some fsync.
 *
 * Details:
 * Whole frames with correct checksums are kept: a session with its last frame becomes <id>.slbr, any other
 * <id>.truncated.slbr. A file without a whole frame is removed. If .lock stays held for two seconds, the spool is
 * opened without salvaging; the next open salvages. */
int softlbr_spool_open(struct softlbr_spool* spool, const struct softlbr_spool_options* options);

/* A softlbr_sink, whose cookie is the spool. Takes a whole frame (0), or refuses it (1) and counts the loss. Makes
 * the temporary file at the first frame of a session. */
int softlbr_spool_sink(void* spool, const void* bytes, size_t size);

/* Instead of the sink: *descriptor is that of a temporary file, to be used as softlbr_options.sink_fd. The end of
 * the profile is then written even if the process ends without softlbr_stop, and the next open finishes the file. Do
 * not close *descriptor. It is valid until the next commit or close.
 * SOFTLBR_SPOOL_NOT_WRITABLE, and *descriptor is unchanged, if the disk has no room for the file, or had none for
 * the session before.
 *
 * Details:
 * The runtime writes to it without regard to the quota, which only the commit checks: a session that is too large
 * takes its room until then, and is dropped. If the disk fills during the session, softlbr_stop returns
 * SOFTLBR_SINK_FAILED and the commit keeps the whole frames written before. */
int softlbr_spool_descriptor(struct softlbr_spool* spool, int* descriptor);

/* Call it after softlbr_stop. First removes the oldest finished files if the quota requires it, then gives the
 * session its finished name. Does nothing if there is no session. The spool stays open for another session.
 * If nothing could be kept of it, says why once: SOFTLBR_SPOOL_TOO_LARGE, SOFTLBR_SPOOL_TOO_FEW or
 * SOFTLBR_SPOOL_NOT_WRITABLE.
 * Cost: one read of the file and three fsync; with compact, its cost and one more fsync.
 *
 * Details:
 * Unless the result is SOFTLBR_SPOOL_OK, SOFTLBR_SPOOL_TOO_LARGE or SOFTLBR_SPOOL_TOO_FEW, the temporary file stays,
 * and the next open tries again. */
int softlbr_spool_commit(struct softlbr_spool* spool);

/* Commits the session and closes the folder, which is closed whatever the result. */
int softlbr_spool_close(struct softlbr_spool* spool);

/* Fills *counts. Any thread, at any time while the spool is open and after it was closed. */
int softlbr_spool_counters(const struct softlbr_spool* spool, struct softlbr_spool_counts* counts);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_SPOOL_H_ */
