// Finds functions in the libraries that the program has loaded, without dlsym.
//
// Why not dlsym: it is in libc.so.6 under the version GLIBC_2.34, and before that in libdl, which a program need not
//   have loaded. With it the preload library would need a libc of 2021 or later, and a program that brings an older one
//   would not start.
// How: walks the libraries in the loader's order (dl_iterate_phdr) and looks the name up in each one's hash table, as
//   the loader does: the default version of a symbol counts. Libraries that were loaded later by dlopen come last.
// Context: OnLoad. Later calls take the loader's lock, as dlsym would.
#ifndef SOFTLBR_RUNTIME_LIBC_LOADED_FUNCTIONS_H_
#define SOFTLBR_RUNTIME_LIBC_LOADED_FUNCTIONS_H_

#include <cstdint>

namespace softlbr {

// The function in the first library after the one that contains this code; nullptr if there is none.
void* FindNextFunction(const char* name);

// The path of the library that contains this code, as the loader names it; nullptr if the loader does not list it.
const char* OwnLibraryPath();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LIBC_LOADED_FUNCTIONS_H_
