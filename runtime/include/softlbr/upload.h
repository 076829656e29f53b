/* softlbr: sends the finished sessions of a spool (spool.h) to an HTTP(S) server, as `softlbr upload` does. Each
 * session arrives exactly once, even if either end is killed at any time; its file is deleted once the server has
 * proved to have all of it.
 * Unlike the runtime this is ordinary code: it uses the heap, libcurl, libzstd and the C++ library, and takes as
 * long as the network does. Call it on a separate thread, and never in a signal handler.
 * Errors: returns a softlbr_upload_status. Prints nothing. No C++ exception leaves it.
 *
 * Details:
 *   struct softlbr_upload_options what = {.struct_size = sizeof what,
 *                                         .folder = "/data/app/profiles",
 *                                         .url = "https://server/profiles"};
 *   struct softlbr_upload_result result = {.struct_size = sizeof result};
 *   int status = softlbr_upload_run(&what, &result);
 *   if (status != SOFTLBR_UPLOAD_OK) log("not uploaded: %s\n", result.message);
 *
 * libsoftlbr_upload.a (pkg-config softlbr-upload, CMake softlbr::upload) is an archive of its own that needs neither
 * the runtime nor the spool. docs/uploads.md describes the protocol, docs/cli.md (upload) the options.
 * Threads: any; of two runs over one folder, in one process or in two, the second is refused (SOFTLBR_UPLOAD_BUSY).
 * Signals: none is raised or waited for, and no action is changed.
 * On return nothing is left behind except the state that libcurl keeps after curl_global_init. */
#ifndef SOFTLBR_SOFTLBR_UPLOAD_H_
#define SOFTLBR_SOFTLBR_UPLOAD_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum softlbr_upload_status {
  SOFTLBR_UPLOAD_OK = 0,               /* nothing is left to send */
  SOFTLBR_UPLOAD_INVALID_ARGUMENT = 1, /* an option, the address, or the file ca_file. Nothing was sent */
  SOFTLBR_UPLOAD_SPOOL_FAILED = 2,     /* the folder is missing, or cannot be read or written */
  SOFTLBR_UPLOAD_BUSY = 3,             /* another upload of this folder is running */
  SOFTLBR_UPLOAD_CANCELLED = 4,        /* by *cancel */
  SOFTLBR_UPLOAD_UNAVAILABLE = 5,      /* the server took a segment in none of the attempts: try again later */
  SOFTLBR_UPLOAD_NOT_ADMITTED = 6,     /* credentials, a redirection or a certificate: trying again does not help */
  SOFTLBR_UPLOAD_BUDGET_USED = 7,      /* daily_bytes is used up: try again tomorrow */
  SOFTLBR_UPLOAD_QUARANTINED =
      8, /* all the others were sent, but files are in quarantine/: damaged, or refused by the server */
  SOFTLBR_UPLOAD_SYSTEM_ERROR = 9, /* out of memory, for example */
  SOFTLBR_UPLOAD_UNPROVEN =
      10 /* the server holds other bytes in a segment's place, or did not prove that it has one: those files stay */
};

enum softlbr_upload_flags {
  SOFTLBR_UPLOAD_HEAD_FIRST = 1u << 0, /* ask for each segment first: for servers that overwrite, such as nginx */
  SOFTLBR_UPLOAD_MAKE_COLLECTIONS =
      1u << 1, /* MKCOL before a session: for WebDAV servers that need it, such as Apache */
  SOFTLBR_UPLOAD_TRUST_ANSWERS =
      1u << 2 /* delete on a status of success, without proof: for servers that allow PUT only */
};

/* Called on the calling thread when a segment has reached the server: done_bytes of the all_bytes in the spool have
 * been sent. */
typedef void (*softlbr_upload_progress)(void* cookie, uint64_t done_bytes, uint64_t all_bytes);

/* Zero is the default of every field except struct_size, folder and url. Later versions add fields at the end: a
 * smaller struct_size means that they are 0; a larger one is accepted if the bytes that this version does not know
 * are 0. No text is used after the call. */
struct softlbr_upload_options {
  uint32_t struct_size; /* sizeof(struct softlbr_upload_options) */
  uint32_t flags;       /* softlbr_upload_flags */
  const char* folder;
  const char* url; /* http:// or https://; without credentials */
  const char*
      ca_file; /* the certificate authorities to trust, PEM; NULL: the system's. Certificates are always verified */
  const char* const* headers; /* added to each request, "Name: value"; NULL-terminated; NULL: none */
  uint64_t segment_bytes;     /* the largest segment; 0: 262144. Keep it the same for a folder until all is sent */
  uint64_t rate_bytes;        /* a second; 0: no limit */
  uint64_t daily_bytes;       /* in 24 hours, counted in the folder; 0: no limit */
  uint32_t retries_plus_one;  /* attempts for one request; 0: 9 */
  uint32_t max_wait_ms;       /* between two attempts; 0: 300000 */
  uint32_t timeout_s;         /* without progress, and for an answer; 0: 60 */
  uint32_t reserved;          /* 0 */
  const int*
      cancel; /* the run ends within a second after another thread stores a value other than 0 there; NULL: never */
  softlbr_upload_progress progress; /* NULL: none */
  void* progress_cookie;
};

/* Set struct_size before the call; only that much is written. */
struct softlbr_upload_result {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t files;             /* finished sessions in the spool when the run began */
  uint64_t files_sent;        /* of these: sent and deleted */
  uint64_t files_quarantined; /* of these: moved to quarantine/ */
  uint64_t segments_sent;
  uint64_t segments_present; /* were on the server already */
  uint64_t bytes_sent;
  /* Unless OK: cause and remedy, one line, cut to fit. Names options as `softlbr upload` does: --cacert is ca_file. */
  char message[512];
};

/* Sends the finished sessions that are in the folder now, and returns a softlbr_upload_status. Blocks. result may be
 * NULL. */
int softlbr_upload_run(const struct softlbr_upload_options* options, struct softlbr_upload_result* result);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_UPLOAD_H_ */
