// Places in code that are the same in two builds of a module: by function, then by basic block.
//
// Functions are matched by name. A compiler's parts and clones of a function belong to it (function_family.h), so a
// block that one build moved to f.cold is matched in f. Local functions of one name in several files are different
// functions: they are matched by the name of their file, and where this does not tell, by how much of their code is the
// same.
// In a module with one build a place is its address. Memory: the blocks of each function that was asked for, for the
// object's lifetime.
#ifndef SOFTLBR_TOOLCHAIN_CODE_MATCHED_BUILDS_H_
#define SOFTLBR_TOOLCHAIN_CODE_MATCHED_BUILDS_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/code/block_matching.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

// Equal places are the same code.
struct CodePlace {
  uint32_t module = kNoModule;  // the first build of the module, or the module itself
  std::string function;         // without its compiler's suffixes; empty: code without a symbol
  uint64_t number = 0;          // equal numbers are the same one of the functions of that name
  uint64_t block = 0;           // equal numbers in one function are the same block
  // from the block's start; kAtEnd: its last instruction. Without a block: the address, or from the start
  uint64_t offset = 0;
  auto operator<=>(const CodePlace&) const = default;
};

class MatchedBuilds {
 public:
  // build_of: for each module of `names`, the first that is a build of it, itself if there is no other. All must
  // outlive the object.
  MatchedBuilds(const Profile& names, const std::vector<uint32_t>& build_of, Symbolizer* symbolizer);

  bool HasBuilds(uint32_t module) const { return module < has_builds_.size() && has_builds_[module]; }
  CodePlace Of(const Location& location);
  // The block of a place, in modules with one build as well: offset is 0, and `start` gets its first address. Without a
  // function's symbol: the instruction.
  CodePlace BlockOf(const Location& location, uint64_t* start);
  // Whether the module has other functions of the name of that at the place.
  bool IsOneOfSeveral(const Location& location);

  static constexpr uint64_t kAtEnd = ~uint64_t{0};

 private:
  // A function with its parts and clones.
  struct Function {
    uint32_t file = 0;     // as FunctionSymbol has it
    std::string identity;  // FunctionIdentity
    std::vector<AddressRange> parts;
    bool is_decoded = false;
    std::vector<CodeBlock> blocks;
    uint64_t number = 0;            // as CodePlace has it, and one of each block, from MatchFamily on
    std::vector<uint64_t> numbers;  // of its blocks
  };
  using Functions = std::vector<Function>;
  // The functions of one name.
  struct Family {
    Functions functions;
    std::map<std::pair<uint32_t, std::string>, size_t> index;  // by file and identity
  };
  std::map<std::string, Family>& FamiliesOf(uint32_t module);
  Family& FamilyOf(uint32_t module, const std::string& family) { return FamiliesOf(module)[family]; }
  static Function& Find(Family& family, const FunctionSymbol& symbol);
  const std::vector<CodeBlock>& BlocksOf(uint32_t module, Function* function);
  // For each of `after`: the same function in `before`, or kNoBlock. Both are of one name, `before` of the first build
  // of the module.
  std::vector<size_t> MatchFunctions(uint32_t module, Functions* before, Functions* after);
  // The function, which has its numbers.
  const Function& Matched(uint32_t module, const std::string& family, const FunctionSymbol& symbol);
  void MatchFamily(uint32_t module, const std::string& family);
  // The index of the block that holds the address, or kNoBlock.
  static size_t Find(const std::vector<CodeBlock>& blocks, uint64_t address);

  const std::vector<uint32_t>& build_of_;
  Symbolizer& symbolizer_;
  std::vector<bool> has_builds_;
  std::vector<std::map<std::string, Family>> families_;    // by module; empty until asked for
  std::map<uint16_t, std::shared_ptr<Decoder>> decoders_;  // by machine; null: none
  std::set<std::pair<uint32_t, std::string>> matched_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_MATCHED_BUILDS_H_
