// The only file that tests the target. Everything else uses the 0/1 macros below.
#ifndef SOFTLBR_PLATFORM_BASE_CONFIG_H_
#define SOFTLBR_PLATFORM_BASE_CONFIG_H_

#if defined(__linux__)
#define SOFTLBR_OS_LINUX 1
#else
#define SOFTLBR_OS_LINUX 0
#endif

#if defined(__ANDROID__)
#define SOFTLBR_OS_ANDROID 1
#else
#define SOFTLBR_OS_ANDROID 0
#endif

#if defined(__x86_64__)
#define SOFTLBR_CPU_X86_64 1
#else
#define SOFTLBR_CPU_X86_64 0
#endif

#if defined(__aarch64__)
#define SOFTLBR_CPU_AARCH64 1
#else
#define SOFTLBR_CPU_AARCH64 0
#endif

// The CPU can execute the instruction at a breakpoint without another hit (x86: the RF flag, which every hit sets).
#define SOFTLBR_CPU_HAS_RESUME_FLAG SOFTLBR_CPU_X86_64

// The CPU may check the tag of a data address, so reads on behalf of the program keep the tag.
#define SOFTLBR_CPU_CHECKS_TAGS SOFTLBR_CPU_AARCH64

#endif  // SOFTLBR_PLATFORM_BASE_CONFIG_H_
