/* A workload with known call counts, built into a program or a shared library. */
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROGRAMS_WORKLOAD_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROGRAMS_WORKLOAD_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Calls counted_leaf LEAF_CALLS_PER_WORKLOAD times, and other functions an unspecified number of times. */
long workload(int seed);

enum {
  WORKLOAD_CALLS = 3, /* of workload by main */
  LEAF_CALLS_PER_WORKLOAD = 100,
};

#ifdef __cplusplus
}
#endif

#endif /* SOFTLBR_TESTS_TOOLCHAIN_PROGRAMS_WORKLOAD_H_ */
