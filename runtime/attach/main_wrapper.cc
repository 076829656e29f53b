// libsoftlbr_main.a: runs a session around main. Enabled at link time (-Wl,--wrap=main), as in the paper.
//
// Who calls: the C start-up code, in place of main. The decoder is linked in; nothing is loaded.
// Off by default: a session runs only if the environment variable SOFTLBR_OPTIONS is set, e.g.
// "v1;out=app.slbr;freq=997" (docs/linking.md lists the keys). After a malformed value or a failed start the program
// runs untraced. Its exit code and output stay the same, so the failure shows only in the profile: it is missing after
// a malformed value, and empty after a failed start. `softlbr doctor` tells what the machine permits; it does not check
// the value.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "platform/base/attributes.h"
#include "platform/base/status.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/process_tree/option_string.h"
#include "runtime/process_tree/record_protocol.h"

extern "C" {

int __real_main(int count, char** arguments, char** environment);
// The linked-in decoder of this CPU; CMake defines its name.
const softlbr_decoder_plugin* SOFTLBR_HOST_DECODER(void);

static void StopAtExit(void) { (void)softlbr_stop(); }

int __wrap_main(int count, char** arguments, char** environment) {
  static softlbr::AttachOptions options;
  const int saved = errno;
  const char* text = getenv(softlbr::kRecordOptionsVariable);
  const bool is_wanted = text != nullptr && softlbr::ParseOptionString(text, &options);
  // A program of the same kind that this one starts would write into the same profile.
  unsetenv(softlbr::kRecordOptionsVariable);
  if (is_wanted) {
    softlbr::SetLabels(&options);
    options.session.sink_fd = options.profile_fd;
    if (options.out_path[0] != '\0') {
      options.session.sink_fd = open(options.out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    if (options.session.sink_fd >= 0 && softlbr_register_decoder(SOFTLBR_HOST_DECODER()) == SOFTLBR_OK &&
        softlbr_start(&options.session) == SOFTLBR_OK) {
      atexit(StopAtExit);
    }
  }
  errno = saved;
  return __real_main(count, arguments, environment);
}

}  // extern "C"
