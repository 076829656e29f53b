// Counts every use of the heap and of libc's mmap family in this process while it is on, by any thread, in handlers
// too.
//
// In the executable that links it, it interposes libc's malloc and mmap families, and operator new, which calls malloc.
// It does not see raw system calls: the runtime maps its one region by one, and that is not heap.
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
