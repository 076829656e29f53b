/* Contract: compressor.h. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_initStaticCCtx */
#include <zstd.h>

#include "runtime/profile/compressor.h"

_Static_assert(SOFTLBR_COMPRESS_BOUND(65536) >= ZSTD_COMPRESSBOUND(65536), "change compressor.h");

struct SoftlbrCompressor* SoftlbrInitCompressor(void* memory, size_t bytes, size_t most_input_bytes) {
  ZSTD_CCtx* context = ZSTD_initStaticCCtx(memory, bytes);
  if (context == NULL) return NULL;
  const ZSTD_compressionParameters parameters = ZSTD_getCParams(SOFTLBR_COMPRESSION_LEVEL, most_input_bytes, 0);
  if (ZSTD_estimateCCtxSize_usingCParams(parameters) > bytes) return NULL;
  if (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, SOFTLBR_COMPRESSION_LEVEL))) return NULL;
  return (struct SoftlbrCompressor*)context;
}

size_t SoftlbrCompress(struct SoftlbrCompressor* compressor, void* output, size_t output_bytes, const void* input,
                       size_t input_bytes) {
  const size_t bytes = ZSTD_compress2((ZSTD_CCtx*)compressor, output, output_bytes, input, input_bytes);
  return ZSTD_isError(bytes) ? 0 : bytes;
}
