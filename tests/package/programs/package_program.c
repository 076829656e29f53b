/* Records itself.  Use: PROGRAM PROFILE.  Exit 0, or the status of the call that failed, which is also printed. */
#include <stdio.h>

#include "package_recording.h"

int main(int count, char** arguments) {
  if (count != 2) return 100;
  const int started = PackageBegin(arguments[1]);
  if (started != 0) {
    fprintf(stderr, "softlbr_start: %d\n", started);
    return started;
  }
  PackageWorkUntilSampled();
  const int stopped = PackageEnd();
  if (stopped != 0) fprintf(stderr, "softlbr_stop: %d\n", stopped);
  return stopped;
}
