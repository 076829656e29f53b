/* Compression of a frame's payload by zstd at level 1, in memory of the caller.
 *
 * Who calls: the profile writer, on the control thread. No heap, no state outside the memory given.
 * Two implementations, one of which is in libsoftlbr_zstd.a; both make the same bytes (profile_tests, Compressor.*):
 *   zstd_small.c    built from zstd's source: only what these two functions need, with internal symbols
 *   zstd_system.c   calls the system's libzstd.a, which an app then links too
 */
#ifndef SOFTLBR_RUNTIME_PROFILE_COMPRESSOR_H_
#define SOFTLBR_RUNTIME_PROFILE_COMPRESSOR_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The fastest level that still uses matches. Columns of small differences gain most from entropy coding, which all
 * levels do. */
#define SOFTLBR_COMPRESSION_LEVEL 1

/* Larger inputs are compressed in blocks of this size, each within a window of it, so that they take no more memory. */
#define SOFTLBR_COMPRESSION_BLOCK 65536

/* Room for the compressed bytes: no less than ZSTD_COMPRESSBOUND. */
#define SOFTLBR_COMPRESS_BOUND(bytes) ((bytes) + ((bytes) >> 8) + 64)

struct SoftlbrCompressor;

/* A compressor for inputs of at most `most_input_bytes`, and for those of any size if that is SOFTLBR_COMPRESSION_BLOCK
 * or more; in `bytes` of memory, aligned to 8. NULL: too little memory. */
struct SoftlbrCompressor* SoftlbrInitCompressor(void* memory, size_t bytes, size_t most_input_bytes);

/* Writes one zstd frame. Returns its size; 0 if it does not fit or the input is larger than promised. The same input
 * gives the same bytes, whatever was compressed before. */
size_t SoftlbrCompress(struct SoftlbrCompressor* compressor, void* output, size_t output_bytes, const void* input,
                       size_t input_bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_RUNTIME_PROFILE_COMPRESSOR_H_ */
