/* A program that starts no session itself, for softlbr::main. Without one it ends at once. */
#include "package_recording.h"

int main(void) {
  PackageWorkUntilSampled();
  return 0;
}
