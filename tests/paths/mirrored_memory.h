// The memory of a stopped program, mirrored on demand at the same addresses of this process.
//
// The evaluator under test dereferences program addresses after asking platform/safe_read.h; mirrored_memory.cc is that
// contract's body here. The program runs without address randomisation and this process with it, so the two seldom
// collide; EnsureFreeAddresses restarts this process until they do not.
// Context: host, one thread, one program at a time.
#ifndef SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_
#define SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "runtime/lookahead/memory/page_cache.h"
#include "tests/paths/stepped_program.h"

namespace softlbr::paths {

// Call it first in main. Executes this program again if any of its mappings is where programs without randomisation
// have theirs. Returns false, with a line on stderr, if that did not help.
bool EnsureFreeAddresses(char** arguments);

// Mirrors this program's memory from now on; null: none. Drops the old mirror.
void MirrorMemoryOf(const SteppedProgram* program);
// Drops the mirror. Call it when the program has run.
void ForgetMirror();
// Number of pages that could not be mirrored because this process uses the address. They appear unreadable: results
// that depend on them do not count.
uint64_t MirrorCollisions();

// The file mapped at an address of a process, and the offset in it: "libc.so.6+0x29d90".
std::string DescribeAddressOf(pid_t pid, uint64_t pc);

// Device files and the clock page in a process's memory map.
void ReadSpecialRangesOf(pid_t pid, SpecialRanges* ranges);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_
