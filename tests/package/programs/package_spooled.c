/* Records itself into a spool, compactly.  Use: PROGRAM PROFILE.  The spool is the folder PROFILE.spool; its only file
 *                                                                 becomes PROFILE. Exit 0, or the status of the call
 *                                                                 that failed. */
#include <dirent.h>
#include <softlbr/compact.h>
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <softlbr/spool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "package_recording.h"

static struct softlbr_spool g_spool;

static int TakeFinished(const char* folder, const char* profile) {
  int files = 0;
  DIR* directory = opendir(folder);
  if (directory == NULL) return 101;
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
    char path[600];
    if (entry->d_name[0] == '.') continue;
    ++files;
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (rename(path, profile) != 0) files = 100;
  }
  closedir(directory);
  return files == 1 ? 0 : 102;
}

int main(int count, char** arguments) {
  if (count != 2) return 100;
  char folder[256];
  snprintf(folder, sizeof(folder), "%s.spool", arguments[1]);
  struct softlbr_spool_options where;
  memset(&where, 0, sizeof(where));
  where.struct_size = sizeof(where);
  where.folder = folder;
  where.compact = softlbr_compact;
  int status = softlbr_spool_open(&g_spool, &where);
  if (status != SOFTLBR_SPOOL_OK) {
    fprintf(stderr, "softlbr_spool_open: %s\n", softlbr_spool_status_text(status));
    return status;
  }
  struct softlbr_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.sink = softlbr_spool_sink;
  options.sink_cookie = &g_spool;
  options.frequency_hz = 9973;
  status = softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  if (status == SOFTLBR_OK) status = softlbr_start(&options);
  if (status != SOFTLBR_OK) return status;
  PackageWorkUntilSampled();
  status = softlbr_stop();
  if (status == SOFTLBR_OK) status = softlbr_spool_close(&g_spool);
  return status != 0 ? status : TakeFinished(folder, arguments[1]);
}
