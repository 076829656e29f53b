// Finds out whether a shared object calls functions that no handler may call, by their entries in its table of imported
// functions.
#ifndef SOFTLBR_TOOLCHAIN_PLUGIN_FORBIDDEN_CALLS_H_
#define SOFTLBR_TOOLCHAIN_PLUGIN_FORBIDDEN_CALLS_H_

namespace softlbr::toolchain {

// Replaces what the object imports of the heap, of locks and of exceptions: a call ends by on_call(name of the
// function), which must not return. address: any in the object. False if the object's tables cannot be found or
// written.
bool ReplaceForbiddenImports(const void* address, void (*on_call)(const char* name));

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PLUGIN_FORBIDDEN_CALLS_H_
