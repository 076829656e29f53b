/* A program that starts no session itself, for softlbr::main. Without one it ends at once. */
#include <errno.h>
#include <stdlib.h>

#include "package_recording.h"

int main(void) {
  if (errno != 0 || getenv("SOFTLBR_OPTIONS") != NULL) return 9;
  PackageWorkUntilSampled();
  return 0;
}
