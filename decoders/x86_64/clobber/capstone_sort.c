/* qsort for the copy of Capstone that the plugin links (CMakeLists.txt adds this file to it). Unlike libc's it uses no
 * heap.
 *
 * Who calls: Capstone, once, during open(), for a table of some hundred rows. Context: control. Cost: quadratic. */
#include <stddef.h>

void softlbr_capstone_qsort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*));

void softlbr_capstone_qsort(void* base, size_t count, size_t size, int (*compare)(const void*, const void*)) {
  unsigned char* rows = (unsigned char*)base;
  for (size_t sorted = 1; sorted < count; ++sorted) {
    for (size_t at = sorted; at > 0; --at) {
      unsigned char* low = rows + (at - 1) * size;
      unsigned char* high = low + size;
      if (compare(low, high) <= 0) break;
      for (size_t byte = 0; byte < size; ++byte) {
        const unsigned char kept = low[byte];
        low[byte] = high[byte];
        high[byte] = kept;
      }
    }
  }
}
