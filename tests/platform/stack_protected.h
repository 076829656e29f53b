// A function built with -fstack-protector-all, independent of the other compile options.
#ifndef SOFTLBR_TESTS_PLATFORM_STACK_PROTECTED_H_
#define SOFTLBR_TESTS_PLATFORM_STACK_PROTECTED_H_

namespace softlbr::platform {

// Copies text into a local buffer and returns its length. Reads the guard on entry and compares it on exit.
int CopyUnderGuard(const char* text);

}  // namespace softlbr::platform

#endif  // SOFTLBR_TESTS_PLATFORM_STACK_PROTECTED_H_
