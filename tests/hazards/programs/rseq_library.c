/* The critical section in a library that is loaded while the program runs. */
#include "rseq_critical_section.h"

int library_rseq_add(struct rseq* area, uint64_t* counters, uint64_t step, uint64_t parity) {
  return rseq_add(area, counters, step, parity);
}
