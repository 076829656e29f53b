/* Decompression of a frame's payload, in memory of the caller. No heap, no state outside the memory given.
 *
 * Two implementations, one of which is in libsoftlbr_compact.a (runtime/profile/CMakeLists.txt says which):
 *   unzstd_small.c    built from zstd's source, with internal symbols
 *   unzstd_system.c   calls the system's libzstd.a
 */
#ifndef SOFTLBR_RUNTIME_COMPACT_DECOMPRESSOR_H_
#define SOFTLBR_RUNTIME_COMPACT_DECOMPRESSOR_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads one zstd frame. Returns the bytes written; 0 if there are none, the input is no such frame, the output too
 * small, or the memory (aligned to 8, of any content) is less than zstd needs. The input may be hostile. */
size_t SoftlbrDecompress(void* memory, size_t memory_bytes, void* output, size_t output_bytes, const void* input,
                         size_t input_bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_RUNTIME_COMPACT_DECOMPRESSOR_H_ */
