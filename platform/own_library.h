// Keeps the shared library that contains this code in memory, so that dlclose does not unmap code that runs in signal
// handlers and threads.
#ifndef SOFTLBR_PLATFORM_OWN_LIBRARY_H_
#define SOFTLBR_PLATFORM_OWN_LIBRARY_H_

namespace softlbr::platform {

// Control, on a thread of the app: it may take the loader's lock. Nothing in a program, in a library that was linked
// with -z nodelete, and from the second call on. Otherwise the loader opens the library once more, for good. Without a
// loader (a static program), nothing.
void KeepOwnLibrary();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_OWN_LIBRARY_H_
