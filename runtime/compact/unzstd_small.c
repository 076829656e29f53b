/* Contract: decompressor.h. zstd's decompressor from its source (SOFTLBR_ZSTD_SOURCE), as zstd_small.c has the
 * compressor: the sources are included here, so that ld --gc-sections drops what one function does not reach.
 * What is left out: dictionaries, streaming, legacy formats, memory allocation (it fails), code for BMI2, the faster of
 * two decoders of literals and of sequences. Names and signatures are of zstd 1.5.4 (checked by CMakeLists.txt). */
#define NDEBUG 1
#define DEBUGLEVEL 0
#define ZSTD_LEGACY_SUPPORT 0
#define ZSTD_STRIP_ERROR_STRINGS 1
#define ZSTD_TRACE 0
#define ZSTD_DISABLE_ASM 1
#define DYNAMIC_BMI2 0
#define ZSTD_NO_INLINE 1
#define HUF_FORCE_DECOMPRESS_X1 1
#define ZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT 1
#define XXH_NAMESPACE softlbr_
#define XXH_PRIVATE_API
#define XXH_INLINE_ALL
#define ZSTD_DEPS_MALLOC
#define ZSTD_malloc(bytes) ((void)(bytes), (void*)0)
#define ZSTD_calloc(count, bytes) ((void)(count), (void)(bytes), (void*)0)
#define ZSTD_free(memory) ((void)(memory))

/* In an order in which they compile. */
/* clang-format off */
#include <common/debug.c>
#include <common/entropy_common.c>
#include <common/error_private.c>
#include <common/fse_decompress.c>
#include <common/zstd_common.c>
#include <decompress/huf_decompress.c>
#include <decompress/zstd_ddict.c>
#include <decompress/zstd_decompress_block.c>
#include <decompress/zstd_decompress.c>
/* clang-format on */

#include "runtime/compact/decompressor.h"

/* ZSTD_decompressDCtx for one frame that is the whole input. */
size_t SoftlbrDecompress(void* memory, size_t memory_bytes, void* output, size_t output_bytes, const void* input,
                         size_t input_bytes) {
  ZSTD_DCtx* const context = ZSTD_initStaticDCtx(memory, memory_bytes);
  if (context == NULL) return 0;
  if (ZSTD_isError(ZSTD_decompressBegin(context))) return 0;
  ZSTD_checkContinuity(context, output, output_bytes);
  const size_t bytes = ZSTD_decompressFrame(context, output, output_bytes, &input, &input_bytes);
  return ZSTD_isError(bytes) || input_bytes != 0 ? 0 : bytes;
}
