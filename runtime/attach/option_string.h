// Session options as one line of text, the way a parent process or a user hands them to an unmodified program:
// "v1;fd=5;event=task-clock;freq=997;branches=16;resolve=lookahead;flags=1;decoder=/a/b.so" (record_protocol.h).
//
// Context: before main, on the starting thread; no heap, no libc beyond what the caller passes in.
// Input is foreign: every malformed line is refused whole, never half applied.
#ifndef SOFTLBR_RUNTIME_ATTACH_OPTION_STRING_H_
#define SOFTLBR_RUNTIME_ATTACH_OPTION_STRING_H_

#include <cstdint>

#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

struct AttachOptions {
  softlbr_options session;
  int32_t profile_fd;       // -1: none given
  int32_t status_fd;        // -1: none given
  char out_path[1024];      // "" : none given
  char decoder_path[1024];  // "" : the decoder is linked in
};

// False if the text is of another version or malformed.
bool ParseOptionString(const char* text, AttachOptions* options);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_OPTION_STRING_H_
