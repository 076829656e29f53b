// Checks whether `softlbr record` can record a program, before it is started.
//
// The preload library can be loaded only into dynamically linked, unprivileged programs for this machine's CPU. For a
// script the interpreter is checked.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_
#define SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_

#include <string>

namespace softlbr::toolchain {

// The file that execvp would run. StatedFailure if it is not found or not executable.
std::string ResolveProgram(const std::string& name);

// Returns if the program can be recorded or if its file cannot be read; otherwise StatedFailure with the remedy.
void CheckProgram(const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_
