// Counts every use of the heap and of libc's mappings in this process while it is on, by any thread, in handlers too.
//
// It stands before libc's malloc family, operator new (which calls malloc) and the mmap family in the executable that links
// it. Raw system calls are not seen: the runtime's one region comes from one and is not heap.
#ifndef SOFTLBR_TESTS_CHECKS_HEAP_GUARD_H_
#define SOFTLBR_TESTS_CHECKS_HEAP_GUARD_H_

#include <cstdint>

namespace softlbr::checks {

struct HeapUse {
  uint64_t calls;
  const char* first_function;  // nullptr if none
  const void* first_caller;
};

void StartHeapGuard();
HeapUse StopHeapGuard();

}  // namespace softlbr::checks

#endif  // SOFTLBR_TESTS_CHECKS_HEAP_GUARD_H_
