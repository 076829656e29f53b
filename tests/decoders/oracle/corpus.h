// The list of instruction forms (corpus/*.S), assembled into this program; see corpus/corpus_macros.inc.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_CORPUS_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_CORPUS_H_

#include <cstdint>
#include <span>

namespace softlbr::oracle {

struct CorpusForm {
  const uint8_t* code;
  const char* text;
  uint8_t length;
  uint8_t is_modelled;
  uint8_t undefined_flags;
  uint8_t nan_lane_bytes;
  uint8_t may_trap;
  uint8_t reserved[3];
};
static_assert(sizeof(CorpusForm) == 24, "corpus_macros.inc writes this layout");

extern "C" {
extern const CorpusForm __start_oracle_forms[];
extern const CorpusForm __stop_oracle_forms[];
}

inline std::span<const CorpusForm> Corpus() { return {__start_oracle_forms, __stop_oracle_forms}; }

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_CORPUS_H_
