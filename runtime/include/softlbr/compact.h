/* softlbr: rewrites the profile of a finished session in a fraction of its bytes, on the device. libsoftlbr_compact.a (pkg-config
 * softlbr-compact, CMake softlbr::compact).
 *
 * A session writes a frame at each flush, with the rows counted since the last one; the same rows come again and again. Compacting adds
 * them up and writes them in version 2 of the format. What `softlbr` reads from both files is the same.
 *
 *   struct softlbr_spool_options where = {.struct_size = sizeof where, .folder = "/data/app/profiles", .compact = softlbr_compact};
 *
 * Memory: no heap. Maps 14 MiB during the call, of which it touches 0.4 MiB and 50 bytes for each distinct row. More rows than it
 * has room for take further passes over the file, and never more memory. 24 KiB of stack.
 * Threads: any; several calls at once. Errors: prints nothing, leaves errno alone; no signal is raised at a limit of file sizes. */
#ifndef SOFTLBR_SOFTLBR_COMPACT_H_
#define SOFTLBR_SOFTLBR_COMPACT_H_

#ifdef __cplusplus
extern "C" {
#endif

enum softlbr_compact_status {
  SOFTLBR_COMPACT_OK = 0,
  /* The file stays as it is: it is not smaller otherwise, is compact, damaged, lacks frames, has whole traces or several sessions. */
  SOFTLBR_COMPACT_KEPT = 1,
  SOFTLBR_COMPACT_FAILED = 2 /* a file could not be read or written, or memory not be mapped */
};

/* Reads the profile of one session from the descriptor `source` and writes it to the empty file `target`, neither moving their positions
 * nor syncing them. Unless the result is SOFTLBR_COMPACT_OK, *target is of no use. */
int softlbr_compact(int source, int target);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_COMPACT_H_ */
