/* Contract: compressor.h. zstd's compressor at level 1, from zstd's source (SOFTLBR_ZSTD_SOURCE): 34 KB of text, 442
 * with the system's libzstd.a. On 8 MB of libc.a it executes 14 % more instructions than that one.
 *
 * How: the sources are included here, so that most functions are internal. ld --gc-sections drops what our two
 * functions do not reach, and objcopy hides the rest: no name of zstd is visible, and an app may link its own zstd of
 * any version.
 * What is left out, and why nothing misses it:
 *   - match finders other than "fast" without a dictionary (level 1 uses no other): they find no match, which is always
 *     valid
 *   - long distance matching, dictionaries, streaming: never asked for
 *   - memory allocation: it fails, so there is no heap whatever happens
 *   - code for BMI2, selected at run time, and error strings
 * Names and signatures are of zstd 1.5.4 (checked by CMakeLists.txt). */
#define NDEBUG 1
#define DEBUGLEVEL 0
#define ZSTD_LEGACY_SUPPORT 0
#define ZSTD_STRIP_ERROR_STRINGS 1
#define ZSTD_TRACE 0
#define ZSTD_DISABLE_ASM 1
#define DYNAMIC_BMI2 0
#define XXH_NAMESPACE softlbr_
#define XXH_PRIVATE_API
#define XXH_INLINE_ALL
#define ZSTD_DEPS_MALLOC
#define ZSTD_malloc(bytes) ((void)(bytes), (void*)0)
#define ZSTD_calloc(count, bytes) ((void)(count), (void)(bytes), (void*)0)
#define ZSTD_free(memory) ((void)(memory))

/* The functions that append bits run once or more for each symbol: inlined, or -Os would cost a tenth more
 * instructions. */
#include <common/mem.h>
#undef MEM_STATIC
#define MEM_STATIC static __inline __attribute__((unused, always_inline))
#include <common/bitstream.h>
#define FSE_STATIC_LINKING_ONLY
#include <common/fse.h>
#undef MEM_STATIC
#define MEM_STATIC static __inline __attribute__((unused))

/* In an order in which they compile. */
/* clang-format off */
#include <common/debug.c>
#include <common/entropy_common.c>
#include <common/error_private.c>
#include <common/fse_decompress.c>
#include <common/zstd_common.c>
#include <compress/fse_compress.c>
#include <compress/hist.c>
#include <compress/huf_compress.c>
#include <compress/zstd_compress_literals.c>
#include <compress/zstd_compress_sequences.c>
#include <compress/zstd_compress_internal.h>
#include <compress/zstd_compress_superblock.h>
#include <compress/zstd_double_fast.h>
#include <compress/zstd_fast.h>
#include <compress/zstd_lazy.h>
#include <compress/zstd_ldm.h>
#include <compress/zstd_opt.h>
/* clang-format on */

#include "runtime/profile/compressor.h"

/* The match finder of level 1, for the two minimal lengths that level has. */
static size_t FindFast(ZSTD_matchState_t* ms, seqStore_t* sequences, U32 rep[ZSTD_REP_NUM], void const* input,
                       size_t bytes);

/* All bytes are literals. */
static size_t FindNone(ZSTD_matchState_t* ms, seqStore_t* sequences, U32 rep[ZSTD_REP_NUM], void const* input,
                       size_t bytes) {
  (void)ms, (void)sequences, (void)rep, (void)input;
  return bytes;
}

/* For the tables of match finders in zstd_compress.c. */
#define ZSTD_compressBlock_fast FindFast
#define ZSTD_compressBlock_fast_dictMatchState FindNone
#define ZSTD_compressBlock_fast_extDict FindNone
#define ZSTD_compressBlock_doubleFast FindNone
#define ZSTD_compressBlock_doubleFast_dictMatchState FindNone
#define ZSTD_compressBlock_doubleFast_extDict FindNone
#define ZSTD_compressBlock_greedy FindNone
#define ZSTD_compressBlock_greedy_dedicatedDictSearch FindNone
#define ZSTD_compressBlock_greedy_dedicatedDictSearch_row FindNone
#define ZSTD_compressBlock_greedy_dictMatchState FindNone
#define ZSTD_compressBlock_greedy_dictMatchState_row FindNone
#define ZSTD_compressBlock_greedy_extDict FindNone
#define ZSTD_compressBlock_greedy_extDict_row FindNone
#define ZSTD_compressBlock_greedy_row FindNone
#define ZSTD_compressBlock_lazy FindNone
#define ZSTD_compressBlock_lazy_dedicatedDictSearch FindNone
#define ZSTD_compressBlock_lazy_dedicatedDictSearch_row FindNone
#define ZSTD_compressBlock_lazy_dictMatchState FindNone
#define ZSTD_compressBlock_lazy_dictMatchState_row FindNone
#define ZSTD_compressBlock_lazy_extDict FindNone
#define ZSTD_compressBlock_lazy_extDict_row FindNone
#define ZSTD_compressBlock_lazy_row FindNone
#define ZSTD_compressBlock_lazy2 FindNone
#define ZSTD_compressBlock_lazy2_dedicatedDictSearch FindNone
#define ZSTD_compressBlock_lazy2_dedicatedDictSearch_row FindNone
#define ZSTD_compressBlock_lazy2_dictMatchState FindNone
#define ZSTD_compressBlock_lazy2_dictMatchState_row FindNone
#define ZSTD_compressBlock_lazy2_extDict FindNone
#define ZSTD_compressBlock_lazy2_extDict_row FindNone
#define ZSTD_compressBlock_lazy2_row FindNone
#define ZSTD_compressBlock_btlazy2 FindNone
#define ZSTD_compressBlock_btlazy2_dictMatchState FindNone
#define ZSTD_compressBlock_btlazy2_extDict FindNone
#define ZSTD_compressBlock_btopt FindNone
#define ZSTD_compressBlock_btopt_dictMatchState FindNone
#define ZSTD_compressBlock_btopt_extDict FindNone
#define ZSTD_compressBlock_btultra FindNone
#define ZSTD_compressBlock_btultra_dictMatchState FindNone
#define ZSTD_compressBlock_btultra_extDict FindNone
#define ZSTD_compressBlock_btultra2 FindNone

#include <compress/zstd_compress.c>

#undef ZSTD_compressBlock_fast
#undef ZSTD_compressBlock_fast_dictMatchState
#undef ZSTD_compressBlock_fast_extDict

#include <compress/zstd_fast.c>

static size_t FindFast(ZSTD_matchState_t* ms, seqStore_t* sequences, U32 rep[ZSTD_REP_NUM], void const* input,
                       size_t bytes) {
  switch (ms->cParams.minMatch) {
    case 5: return ZSTD_compressBlock_fast_noDict_5_0(ms, sequences, rep, input, bytes);
    case 6: return ZSTD_compressBlock_fast_noDict_6_0(ms, sequences, rep, input, bytes);
    default: return FindNone(ms, sequences, rep, input, bytes);
  }
}

_Static_assert(SOFTLBR_COMPRESS_BOUND(65536) >= ZSTD_COMPRESSBOUND(65536), "change compressor.h");

/* ZSTD_getCParams for level 1 and this size, without the table of all levels. */
static ZSTD_compressionParameters ParametersFor(size_t input_bytes) {
  const ZSTD_compressionParameters row =
      input_bytes <= (16 << 10)    ? ZSTD_defaultCParameters[3][SOFTLBR_COMPRESSION_LEVEL]
      : input_bytes <= (128 << 10) ? ZSTD_defaultCParameters[2][SOFTLBR_COMPRESSION_LEVEL]
                                   : ZSTD_defaultCParameters[1][SOFTLBR_COMPRESSION_LEVEL];
  return ZSTD_adjustCParams_internal(row, input_bytes, 0, ZSTD_cpm_noAttachDict, ZSTD_ps_disable);
}

struct SoftlbrCompressor* SoftlbrInitCompressor(void* memory, size_t bytes, size_t most_input_bytes) {
  if (most_input_bytes > SOFTLBR_COMPRESSION_BLOCK) most_input_bytes = SOFTLBR_COMPRESSION_BLOCK;
  if (ZSTD_estimateCCtxSize_usingCParams(ParametersFor(most_input_bytes)) > bytes) return NULL;
  return (struct SoftlbrCompressor*)ZSTD_initStaticCCtx(memory, bytes);
}

/* ZSTD_compress2, for a long input with the parameters of its blocks. A frame header without the content's size, as by
 * a static context of zstd itself. */
size_t SoftlbrCompress(struct SoftlbrCompressor* compressor, void* output, size_t output_bytes, const void* input,
                       size_t input_bytes) {
  ZSTD_CCtx* const context = (ZSTD_CCtx*)compressor;
  const size_t largest = input_bytes < SOFTLBR_COMPRESSION_BLOCK ? input_bytes : SOFTLBR_COMPRESSION_BLOCK;
  ZSTD_parameters parameters = {ParametersFor(largest), {0, 0, 0}};
  ZSTD_CCtxParams_init_internal(&context->simpleApiParams, &parameters, SOFTLBR_COMPRESSION_LEVEL);
  if (ZSTD_isError(ZSTD_resetCCtx_internal(context, &context->simpleApiParams, input_bytes, 0, ZSTDcrp_makeClean,
                                           ZSTDb_not_buffered)))
    return 0;
  context->dictID = 0;
  context->dictContentSize = 0;
  const size_t header_bytes = ZSTD_writeFrameHeader(output, output_bytes, &context->appliedParams, input_bytes, 0);
  if (ZSTD_isError(header_bytes)) return 0;
  BYTE* at = (BYTE*)output + header_bytes;
  size_t room = output_bytes - header_bytes;
  const BYTE* block = (const BYTE*)input;
  for (;;) {
    const size_t block_bytes = input_bytes < context->blockSize ? input_bytes : context->blockSize;
    const U32 is_last = block_bytes == input_bytes;
    if (room < ZSTD_blockHeaderSize + MIN_CBLOCK_SIZE + 1) return 0;
    if (block_bytes == 0) { /* the whole input is empty */
      MEM_writeLE24(at, is_last + ((U32)bt_raw << 1));
      return header_bytes + ZSTD_blockHeaderSize;
    }
    ZSTD_matchState_t* const ms = &context->blockState.matchState;
    if (!ZSTD_window_update(&ms->window, block, block_bytes, ms->forceNonContiguous)) {
      ms->forceNonContiguous = 0;
      ms->nextToUpdate = ms->window.dictLimit;
    }
    size_t bytes = ZSTD_compressBlock_internal(context, at + ZSTD_blockHeaderSize, room - ZSTD_blockHeaderSize, block,
                                               block_bytes, 1);
    if (ZSTD_isError(bytes)) return 0;
    if (bytes == 0) { /* not compressible */
      bytes = ZSTD_noCompressBlock(at, room, block, block_bytes, is_last);
      if (ZSTD_isError(bytes)) return 0;
    } else {
      MEM_writeLE24(at, bytes == 1 ? is_last + ((U32)bt_rle << 1) + (U32)(block_bytes << 3)
                                   : is_last + ((U32)bt_compressed << 1) + (U32)(bytes << 3));
      bytes += ZSTD_blockHeaderSize;
    }
    at += bytes;
    room -= bytes;
    block += block_bytes;
    input_bytes -= block_bytes;
    context->isFirstBlock = 0;
    if (is_last) return (size_t)(at - (BYTE*)output);
  }
}

/* What else zstd_compress.c refers to and level 1 never calls. */
size_t ZSTD_compressSuperBlock(ZSTD_CCtx* context, void* output, size_t output_bytes, void const* input, size_t bytes,
                               unsigned last) {
  (void)context, (void)output, (void)output_bytes, (void)input, (void)bytes, (void)last;
  return 0; /* "not compressible" */
}
void ZSTD_fillDoubleHashTable(ZSTD_matchState_t* ms, void const* end, ZSTD_dictTableLoadMethod_e load,
                              ZSTD_tableFillPurpose_e fill) {
  (void)ms, (void)end, (void)load, (void)fill;
}
U32 ZSTD_insertAndFindFirstIndex(ZSTD_matchState_t* ms, const BYTE* input) { return (void)ms, (void)input, 0; }
void ZSTD_row_update(ZSTD_matchState_t* const ms, const BYTE* input) { (void)ms, (void)input; }
void ZSTD_updateTree(ZSTD_matchState_t* ms, const BYTE* input, const BYTE* end) { (void)ms, (void)input, (void)end; }
void ZSTD_dedicatedDictSearch_lazy_loadDictionary(ZSTD_matchState_t* ms, const BYTE* const input) {
  (void)ms, (void)input;
}
void ZSTD_ldm_adjustParameters(ldmParams_t* ldm, ZSTD_compressionParameters const* parameters) {
  (void)ldm, (void)parameters;
}
void ZSTD_ldm_fillHashTable(ldmState_t* state, const BYTE* input, const BYTE* end, ldmParams_t const* ldm) {
  (void)state, (void)input, (void)end, (void)ldm;
}
size_t ZSTD_ldm_blockCompress(rawSeqStore_t* raw, ZSTD_matchState_t* ms, seqStore_t* sequences, U32 rep[ZSTD_REP_NUM],
                              ZSTD_paramSwitch_e rows, void const* input, size_t bytes) {
  (void)raw, (void)rows;
  return FindNone(ms, sequences, rep, input, bytes);
}
size_t ZSTD_ldm_generateSequences(ldmState_t* state, rawSeqStore_t* raw, ldmParams_t const* ldm, void const* input,
                                  size_t bytes) {
  (void)state, (void)raw, (void)ldm, (void)input, (void)bytes;
  return 0;
}
size_t ZSTD_ldm_getMaxNbSeq(ldmParams_t ldm, size_t bytes) { return (void)ldm, (void)bytes, 0; }
size_t ZSTD_ldm_getTableSize(ldmParams_t ldm) { return (void)ldm, 0; }
void ZSTD_ldm_skipRawSeqStoreBytes(rawSeqStore_t* raw, size_t bytes) { (void)raw, (void)bytes; }
void ZSTD_ldm_skipSequences(rawSeqStore_t* raw, size_t bytes, U32 const least) { (void)raw, (void)bytes, (void)least; }
