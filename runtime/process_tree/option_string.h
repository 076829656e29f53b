// Parses the session options that a parent process or a user passes to a program as one line of text, for example
// "v1;fd=5;event=task-clock;freq=997;branches=16;resolve=lookahead;flags=1". Grammar: record_protocol.h.
//
// Context: before main, on the starting thread. No heap, no libc.
// Trust: the text is foreign. A malformed line is refused; *options is then unspecified.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_OPTION_STRING_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_OPTION_STRING_H_

#include <cstdint>

#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

struct AttachOptions {
  softlbr_options session;
  int32_t profile_fd;      // -1: none
  int32_t status_fd;       // -1: none
  int32_t record_process;  // 0: this process only
  uint64_t again;          // 0: the first process
  uint32_t waits;          // 1: records nothing until a session is asked for
  char out_path[1024];     // "": none
  char socket_name[64];    // "": none
  uint32_t label_bytes;    // of labels
  char labels[832];        // each "key=value", ended by a zero; 8 of the longest have 784 bytes
};

// False if the text is malformed or of another version.
bool ParseOptionString(const char* text, AttachOptions* options);
// Sets the labels of this process, and takes them out of *options.
void SetLabels(AttachOptions* options);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_OPTION_STRING_H_
