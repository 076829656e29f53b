// The amount of work of the oracle, from the environment. The defaults take a minute or two of one core.
//   SOFTLBR_ORACLE_PERCENT=N  N per cent of the usual number of cases (5000: about an hour)
//   SOFTLBR_ORACLE_SEED=N     another sequence
//   SOFTLBR_ORACLE_FILTER=S   only corpus forms whose text contains S
//   SOFTLBR_ORACLE_SHOW=N     at most N failing forms are printed (default 40)
//   SOFTLBR_ORACLE_TRACE=1    print each form to stderr before it runs, to find one that kills the test
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_SETTINGS_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_SETTINGS_H_

#include <cstdint>
#include <cstdlib>
#include <string>

namespace softlbr::oracle {

inline uint64_t Number(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0) : otherwise;
}
// The number of cases to run; `cases` by default.
inline uint64_t Scaled(uint64_t cases) {
  const uint64_t scaled = cases * Number("SOFTLBR_ORACLE_PERCENT", 100) / 100;
  return scaled != 0 ? scaled : 1;
}
inline uint64_t Seed() { return Number("SOFTLBR_ORACLE_SEED", 20240229); }
inline uint64_t MostShown() { return Number("SOFTLBR_ORACLE_SHOW", 40); }
inline bool IsTracing() { return Number("SOFTLBR_ORACLE_TRACE", 0) != 0; }
inline std::string Filter() {
  const char* text = std::getenv("SOFTLBR_ORACLE_FILTER");
  return text != nullptr ? text : "";
}

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_SETTINGS_H_
