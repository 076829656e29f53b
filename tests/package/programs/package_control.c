/* Waits to be triggered, and stops at once.  Use: PROGRAM PROFILE.  The socket is beside the profile, in a private
 *                                                                   folder.
 * Then it records itself as package_program.c does, because the archive must not stand in the way of that. */
#include <libgen.h>
#include <softlbr/control.h>
#include <stdio.h>
#include <string.h>

#include "package_recording.h"

int main(int count, char** arguments) {
  if (count != 2 || strlen(arguments[1]) > 1000) return 100;
  char path[1024];
  strcpy(path, arguments[1]);
  struct softlbr_control_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.folder = dirname(path);
  int status = softlbr_control_start(&options);
  if (status == SOFTLBR_OK) status = softlbr_control_descriptor() >= 0 ? PackageBegin(arguments[1]) : 101;
  if (status != SOFTLBR_OK) {
    fprintf(stderr, "softlbr_control_start or softlbr_start: %d\n", status);
    return status;
  }
  PackageWorkUntilSampled();
  status = PackageEnd();
  return status != SOFTLBR_OK ? status : softlbr_control_stop();
}
