/* softlbr: rewrites the profile of a finished session in a fraction of its bytes, on the device.
 * libsoftlbr_compact.a (pkg-config softlbr-compact, CMake softlbr::compact).
 * Threads: any; several calls at once. Memory: no heap. 24 KiB of stack.
 * Errors: prints nothing, leaves errno alone; no signal is raised at a file size limit.
 *
 * Details:
 * At each flush a session writes a frame with the rows counted since the last one, so most rows are in many frames.
 * Compacting adds up equal rows and writes them in a smaller encoding. `softlbr` reads the same counts from both
 * files.
 *
 *   struct softlbr_spool_options where = {.struct_size = sizeof where, .folder = "/data/app/profiles",
 *                                         .compact = softlbr_compact};
 *
 * Maps 14 MiB during the call, of which it touches 0.4 MiB plus 50 bytes for each distinct row. If the rows do not
 * fit, it makes further passes over the file, but never uses more memory. */
#ifndef SOFTLBR_SOFTLBR_COMPACT_H_
#define SOFTLBR_SOFTLBR_COMPACT_H_

#ifdef __cplusplus
extern "C" {
#endif

enum softlbr_compact_status {
  SOFTLBR_COMPACT_OK = 0,
  /* Keep the file: compacting does not shrink it, or it is compact, damaged, lacks frames, has whole traces or several
   * sessions. */
  SOFTLBR_COMPACT_KEPT = 1,
  SOFTLBR_COMPACT_FAILED = 2 /* a file could not be read or written, or memory not be mapped */
};

/* Reads the profile of one session from the descriptor `source` and writes it to the empty file `target`. Does not
 * move their positions and does not sync them. Unless the result is SOFTLBR_COMPACT_OK, the content of target is
 * unusable. */
int softlbr_compact(int source, int target);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_COMPACT_H_ */
