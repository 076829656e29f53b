// Tells whether a program that is about to be executed can be recorded, before anything is added to its environment.
//
// Why: a static program would see the added variables; a set-user-id program ignores LD_PRELOAD but would see
//   SOFTLBR_OPTIONS; the loader of a 32-bit program would print a warning; a program with a shared sanitizer would
//   refuse to run.
// Context: also in a vforked child: raw system calls, the caller's stack (about 1.5 KiB), no other memory written.
// Cost: five to ten system calls, 10 us.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_PROGRAM_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_PROGRAM_H_

#include "runtime/process_tree/record_protocol.h"

namespace softlbr {

// path is relative to `folder`, as for openat; empty: the file open as `folder`. For a script the interpreter decides.
// The result is kNot if the file does not exist or may not be executed, or if `path` cannot be read: the exec will fail
// anyway.
Unrecordable CheckChildProgram(int folder, const char* path);
// The same for the file that execvp would find: `file` in the folders of `search`, the value of PATH (nullptr: not
// set).
Unrecordable CheckChildProgramInPath(const char* file, const char* search);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_PROGRAM_H_
