/* An app that is triggered, in two rounds: waits, works until a session has begun and ended, and waits no more. Linked
 * into a program of any kind, and without main (PACKAGE_IS_PLUGIN) into a plugin for package_trigger_host.c.
 *
 * Use: PROGRAM FOLDER      FOLDER, a private one, has the sockets; the program's name is "round1", then "round2"
 * Exit 0, or the status of the call that failed, or a number below. */
#include "package_triggered.h"

#include <softlbr/control.h>
#include <softlbr/decoders.h>
#include <string.h>
#include <time.h>

#include "package_recording.h"

enum { kNobodyAsked = 101, kRefused };
enum { kPatienceS = 60 };

static int ReadCounters(struct softlbr_control_counters* counters) {
  memset(counters, 0, sizeof(*counters));
  counters->struct_size = sizeof(*counters);
  return softlbr_control_get_counters(counters);
}

int PackageBeTriggered(const char* folder, const char* name) {
  struct softlbr_control_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.folder = folder;
  options.program = name;
  options.largest_overhead_ppm = 1000000; /* on an emulated CPU few samples take more than 2 % */
  struct softlbr_control_counters before;
  struct softlbr_control_counters now;
  int status = softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  if (status == SOFTLBR_OK) status = ReadCounters(&before);
  if (status == SOFTLBR_OK) status = softlbr_control_start(&options);
  if (status != SOFTLBR_OK) return status;
  const time_t end = time(NULL) + kPatienceS;
  do {
    PackageWork(2000);
    status = ReadCounters(&now);
  } while (status == SOFTLBR_OK && time(NULL) < end && (now.sessions == before.sessions || softlbr_is_running()));
  const int stopped = softlbr_control_stop();
  if (status != SOFTLBR_OK) return status;
  if (stopped != SOFTLBR_OK) return stopped;
  if (now.sessions != before.sessions + 1 || softlbr_is_running()) return kNobodyAsked;
  return memcmp(now.refused, before.refused, sizeof(now.refused)) == 0 ? 0 : kRefused;
}

#ifndef PACKAGE_IS_PLUGIN
int main(int count, char** arguments) {
  if (count != 2) return 100;
  const int result = PackageBeTriggered(arguments[1], "round1");
  return result != 0 ? result : PackageBeTriggered(arguments[1], "round2");
}
#endif
