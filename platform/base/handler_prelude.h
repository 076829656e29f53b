// Makes libc's names a compile error in code that may run in a signal handler.
//
// Include it last in a .cc file with handler code: a header included after it that uses a poisoned name would not
// compile. Replacements:
//   memcpy memmove memset memcmp strlen   platform/base/bytes.h
//   open read write close mmap …          platform/file.h, platform/memory_map.h, platform/syscall.h
//   errno                                 the negative result of SysCall
//   abort assert printf malloc new        nothing: return a Status and count the failure
// The compiler may still emit calls to memcpy and similar functions; tests/checks/allow/handler_symbols.allow catches
// those.
#ifndef SOFTLBR_PLATFORM_BASE_HANDLER_PRELUDE_H_
#define SOFTLBR_PLATFORM_BASE_HANDLER_PRELUDE_H_

#undef alloca
#undef bcopy
#undef bzero
#undef errno
#undef assert
#pragma GCC poison memcpy memmove memset memcmp memchr bcopy bzero
#pragma GCC poison strlen strnlen strcmp strncmp strcpy strncpy strcat strchr strrchr strstr strtol strtoul
#pragma GCC poison malloc calloc realloc free posix_memalign aligned_alloc alloca
#pragma GCC poison printf fprintf snprintf sprintf vsnprintf puts fputs fopen fclose fread fwrite perror strerror
#pragma GCC poison errno assert abort exit _exit atexit raise setjmp longjmp sigsetjmp siglongjmp
#pragma GCC poison mmap munmap mprotect madvise ioctl fcntl syscall gettid getpid prctl
#pragma GCC poison sigaction sigprocmask pthread_sigmask sigemptyset sigfillset pthread_self pthread_getspecific
#pragma GCC poison clock_gettime nanosleep usleep dlopen dlsym dl_iterate_phdr getauxval getenv
#pragma GCC poison thread_local

#endif  // SOFTLBR_PLATFORM_BASE_HANDLER_PRELUDE_H_
