/* Contract: decompressor.h. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_initStaticDCtx */
#include <zstd.h>

#include "runtime/compact/decompressor.h"

size_t SoftlbrDecompress(void* memory, size_t memory_bytes, void* output, size_t output_bytes, const void* input,
                         size_t input_bytes) {
  ZSTD_DCtx* context = ZSTD_initStaticDCtx(memory, memory_bytes);
  if (context == NULL) return 0;
  const size_t bytes = ZSTD_decompressDCtx(context, output, output_bytes, input, input_bytes);
  return ZSTD_isError(bytes) ? 0 : bytes;
}
