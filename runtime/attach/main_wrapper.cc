// libsoftlbr_main.a: a session around main, chosen at link time (-Wl,--wrap=main), as in the paper.
//
// Who calls: the C start-up code, in place of main. The decoder is linked in; nothing is loaded.
// Off unless the environment variable SOFTLBR_OPTIONS is set, e.g. "v1;out=app.slbr;freq=997" (record_protocol.h): the
// program then runs as if we were not there. A malformed value or a failed start leaves the program untraced; its exit code
// and output are its own either way, so `softlbr doctor` and the absent profile are what tells.
#include <fcntl.h>
#include <stdlib.h>

#include "platform/base/attributes.h"
#include "platform/base/status.h"
#include "runtime/attach/option_string.h"
#include "runtime/attach/record_protocol.h"
#include "runtime/include/softlbr/softlbr.h"

extern "C" {

int __real_main(int count, char** arguments, char** environment);
// The decoder of this machine, linked in; CMake names it.
const softlbr_decoder_plugin* SOFTLBR_HOST_DECODER(void);

static void StopAtExit(void) { (void)softlbr_stop(); }

int __wrap_main(int count, char** arguments, char** environment) {
  static softlbr::AttachOptions options;
  const char* text = getenv(softlbr::kRecordOptionsVariable);
  if (text != nullptr && softlbr::ParseOptionString(text, &options)) {
    options.session.sink_fd = options.profile_fd;
    if (options.out_path[0] != '\0') {
      options.session.sink_fd = open(options.out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    }
    if (options.session.sink_fd >= 0 && softlbr_register_decoder(SOFTLBR_HOST_DECODER()) == SOFTLBR_OK &&
        softlbr_start(&options.session) == SOFTLBR_OK) {
      atexit(StopAtExit);
    }
  }
  return __real_main(count, arguments, environment);
}

}  // extern "C"
