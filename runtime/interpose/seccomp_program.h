// What a seccomp filter answers to a system call of which only some arguments are known.
//
// Who calls: sandbox.cc, on a thread of the program, before the filter is installed.
// How: each jump on an unknown value is followed both ways, so the answer holds for every value that an unknown
// argument can have. Memory: 2 KiB of stack.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_SECCOMP_PROGRAM_H_
#define SOFTLBR_RUNTIME_INTERPOSE_SECCOMP_PROGRAM_H_

#include <linux/filter.h>

#include <cstdint>

namespace softlbr {

// Bit set: an answer that is possible.
inline constexpr uint32_t kFilterAllows = 1u << 0;   // the call is made and nobody is told
inline constexpr uint32_t kFilterRefuses = 1u << 1;  // the call fails with an error
// kills, signals, asks a tracer, logs; or the program is not understood
inline constexpr uint32_t kFilterDoesMore = 1u << 2;

// A system call of ours. An argument that is unknown, or that differs from call to call, is kAnyArgument.
inline constexpr int64_t kAnyArgument = INT64_MIN;
struct ExpectedCall {
  int32_t number;
  int64_t arguments[6];
};

// Answers of the filter of `count` instructions. Takes each instruction executed from *steps_left; kFilterDoesMore if
// none is left.
uint32_t FilterAnswers(const sock_filter* code, uint32_t count, const ExpectedCall& call, uint32_t* steps_left);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_SECCOMP_PROGRAM_H_
