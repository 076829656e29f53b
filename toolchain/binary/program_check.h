// What will happen when a program is started under `softlbr record`: found, dynamic, of this CPU, not privileged?
//
// The preload library reaches only dynamically linked, unprivileged programs of this machine's CPU; everything else is
// told apart here, before anything is started. Scripts are followed to their interpreter.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_
#define SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_

#include <string>

namespace softlbr::toolchain {

// The file that execvp would run, or StatedFailure (not found, not executable).
std::string ResolveProgram(const std::string& name);

// Returns if the program can be recorded (or if that cannot be told); StatedFailure with the remedy otherwise.
void CheckProgram(const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_PROGRAM_CHECK_H_
