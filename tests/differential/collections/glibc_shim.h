// What glibc's tests and their support code take from a glibc build tree, for compiling them alone against the system's
// libc. Force-included by sources.sh.
#include <limits.h>

#define TIMEOUTFACTOR 1
#define _STACK_GROWS_DOWN 1
#define attribute_hidden
#define attribute_optimize(...)
#define hidden_proto(...)
#define inhibit_loop_to_libcall
#define libc_hidden_def(...)
#define libc_hidden_proto(...)
#define libc_hidden_weak(...)
#define strong_alias(...)
#define weak_alias(...)
