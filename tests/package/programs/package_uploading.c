/* Uploads a spool that holds nothing.  Use: PROGRAM FOLDER.  Exit 0, or the status of the call that failed. */
#include <softlbr/upload.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  if (count != 2) return 100;
  struct softlbr_upload_options options;
  struct softlbr_upload_result result;
  memset(&options, 0, sizeof(options));
  memset(&result, 0, sizeof(result));
  options.struct_size = sizeof(options);
  options.folder = arguments[1];
  options.url = "nowhere";
  result.struct_size = sizeof(result);
  if (softlbr_upload_run(&options, &result) != SOFTLBR_UPLOAD_INVALID_ARGUMENT || result.message[0] == '\0') return 101;
  options.url = "http://127.0.0.1:9/";
  const int status = softlbr_upload_run(&options, &result);
  if (status != SOFTLBR_UPLOAD_OK) fprintf(stderr, "%s\n", result.message);
  return status;
}
