// The memory of a stopped program, mirrored at the same addresses of this process as it is asked for.
//
// The evaluator under test dereferences program addresses after asking platform/safe_read.h; mirrored_memory.cc is that
// contract's body here. The program runs without address randomisation and this process with it, so the two seldom meet;
// EnsureFreeAddresses starts this process over until they do not.
// Context: host, one thread, one program at a time.
#ifndef SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_
#define SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "runtime/lookahead/memory/page_cache.h"
#include "tests/paths/stepped_program.h"

namespace softlbr::paths {

// First thing in main: runs this program again if something of it lies where programs without randomisation have theirs.
// Returns false, with a line on stderr, if that did not help.
bool EnsureFreeAddresses(char** arguments);

// Whose memory is mirrored from now on; null: nobody's. What was mirrored is forgotten.
void MirrorMemoryOf(const SteppedProgram* program);
// The program has run: what was mirrored is stale.
void ForgetMirror();
// Pages that could not be mirrored because something of this process lies there. Such a page reads as unreadable: no answer
// that depends on it counts.
uint64_t MirrorCollisions();

// "libc.so.6+0x29d90": the file mapped at a process's address, and the offset in it.
std::string DescribeAddressOf(pid_t pid, uint64_t pc);

// Device files and the clock page in a process's memory map.
void ReadSpecialRangesOf(pid_t pid, SpecialRanges* ranges);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_MIRRORED_MEMORY_H_
