/* Contract: compressor.h. */
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_initStaticCCtx */
#include <zstd.h>

#include "runtime/profile/compressor.h"

_Static_assert(SOFTLBR_COMPRESS_BOUND(65536) >= ZSTD_COMPRESSBOUND(65536), "change compressor.h");

struct SoftlbrCompressor* SoftlbrInitCompressor(void* memory, size_t bytes, size_t most_input_bytes) {
  ZSTD_CCtx* context = ZSTD_initStaticCCtx(memory, bytes);
  if (context == NULL) return NULL;
  if (most_input_bytes > SOFTLBR_COMPRESSION_BLOCK) most_input_bytes = SOFTLBR_COMPRESSION_BLOCK;
  const ZSTD_compressionParameters parameters = ZSTD_getCParams(SOFTLBR_COMPRESSION_LEVEL, most_input_bytes, 0);
  if (ZSTD_estimateCCtxSize_usingCParams(parameters) > bytes) return NULL;
  if (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, SOFTLBR_COMPRESSION_LEVEL))) return NULL;
  return (struct SoftlbrCompressor*)context;
}

size_t SoftlbrCompress(struct SoftlbrCompressor* compressor, void* output, size_t output_bytes, const void* input,
                       size_t input_bytes) {
  ZSTD_CCtx* context = (ZSTD_CCtx*)compressor;
  ZSTD_compressionParameters of_blocks = {0}; /* zeros: by level and size */
  if (input_bytes > SOFTLBR_COMPRESSION_BLOCK)
    of_blocks = ZSTD_getCParams(SOFTLBR_COMPRESSION_LEVEL, SOFTLBR_COMPRESSION_BLOCK, 0);
  const struct {
    ZSTD_cParameter name;
    unsigned value;
  } settings[] = {{ZSTD_c_windowLog, of_blocks.windowLog}, {ZSTD_c_hashLog, of_blocks.hashLog},
                  {ZSTD_c_chainLog, of_blocks.chainLog},   {ZSTD_c_searchLog, of_blocks.searchLog},
                  {ZSTD_c_minMatch, of_blocks.minMatch},   {ZSTD_c_targetLength, of_blocks.targetLength},
                  {ZSTD_c_strategy, of_blocks.strategy}};
  for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
    if (ZSTD_isError(ZSTD_CCtx_setParameter(context, settings[i].name, (int)settings[i].value))) return 0;
  }
  const size_t bytes = ZSTD_compress2(context, output, output_bytes, input, input_bytes);
  return ZSTD_isError(bytes) ? 0 : bytes;
}
