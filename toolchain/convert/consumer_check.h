// Checks that a binary has what the consumer of a converted profile needs, before the profile is written.
//
// llvm-profgen exits with 0 and writes an empty profile, and llvm-bolt leaves functions out, so the cause is stated
// here.
// Without the binary's file nothing is checked. Host code; reads the file's section headers, symbols and code.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_CONSUMER_CHECK_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_CONSUMER_CHECK_H_

#include <string>
#include <vector>

#include "toolchain/convert/convert_input.h"

namespace softlbr::toolchain {

enum class Consumer {
  kBolt,           // perf2bolt and llvm-bolt: symbols in the file itself, relocations
  kSourceProfile,  // llvm-profgen: symbols and line tables, in the file or its debug file
  kAutofdo,        // create_llvm_prof: the same
  // generate_propeller_profiles: symbols, in the file or its debug file, and the addresses of basic blocks
  kPropeller,
  kAny,  // perf.data and perf script text: nothing
};

// StatedFailure if the consumer could find no function in the file, or no source line where it needs one, or if the
// file's code cannot have made the recorded branches. Returns one warning a
// line for what makes the result weaker: missing relocations or addresses of blocks, jumps through tables, code that
// only the profile or only the file has.
std::vector<std::string> CheckForConsumer(const ConvertInput& input, Consumer consumer);

// Whether the command can be given another file of the module, so that a message may advise it.
enum class BinaryOption { kNone, kIsThere };

// The first reason, if any, why the consumer would find nothing in `image` (`debug`, may be null, is its debug file),
// with a remedy.
std::string WhyUnusable(const ElfImage& image, const ElfImage* debug, Consumer consumer, BinaryOption option);

// True for a result of llvm-bolt with a table from which perf2bolt translates its addresses to those of the program
// before.
bool HasAddressTranslation(const ElfImage& image);

// True if the file was linked with --emit-relocs.
bool HasCodeRelocations(const ElfImage& image);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONSUMER_CHECK_H_
