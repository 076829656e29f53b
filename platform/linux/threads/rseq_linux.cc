// The C library's registration of rseq (glibc 2.35 and later).
#include "platform/base/config.h"
#include "platform/rseq.h"

#include "platform/base/handler_prelude.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

// Weak: other C libraries do not define them.
extern "C" {
extern const int64_t __rseq_offset __attribute__((weak));
extern const uint32_t __rseq_size __attribute__((weak));  // 0: not registered
}

namespace softlbr::platform {

bool FindRseqPointer(int64_t* from_thread_pointer) {
  constexpr int64_t kPointerInArea = 8;  // struct rseq: cpu_id_start, cpu_id, rseq_cs
  const int64_t* offset = &__rseq_offset;
  const uint32_t* size = &__rseq_size;
  if (offset == nullptr || size == nullptr || *size == 0) return false;
  *from_thread_pointer = *offset + kPointerInArea;
  return true;
}

}  // namespace softlbr::platform
