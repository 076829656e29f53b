// Follows a path as the runtime's tracer does: lifted blocks, one RunBlock after the other, until a stop.
//
// It loads the decoder plugin itself and links the runtime's evaluator, but not the tracer: no buffers, no breakpoints.
#ifndef SOFTLBR_TESTS_PATHS_PATH_PREDICTOR_H_
#define SOFTLBR_TESTS_PATHS_PATH_PREDICTOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decoders/api/plugin.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/paths/stepped_program.h"

namespace softlbr::paths {

enum class StopKind : uint8_t {
  kFull,        // all the branches wanted
  kUnresolved,  // break at stop_pc, before the instruction there
  kSystemCall,  // break at stop_pc, after the system call
  kAborted,     // the tracer would end the trace: reason
};

// One block as it was run, so that it can be run again.
struct RunStep {
  const softlbr_block* block;
  uint32_t first;
};

// From one true state to the next stop.
struct Segment {
  std::vector<Branch> branches;
  std::vector<RunStep> steps;
  StopKind stop = StopKind::kFull;
  uint64_t stop_pc = 0;
  AbortReason reason = AbortReason::kNone;
  uint64_t instructions = 0;
};

class PathPredictor {
 public:
  // Null, and *error, if the plugin cannot be loaded.
  static std::unique_ptr<PathPredictor> Load(const char* plugin_path, std::string* error);
  ~PathPredictor();
  PathPredictor(const PathPredictor&) = delete;
  PathPredictor& operator=(const PathPredictor&) = delete;

  // Forgets lifted blocks. Call it when the code may have changed.
  void ForgetCode() { blocks_.clear(); }
  // Adopts the true state as a handler finds it: memory that a handler's own stack would cover is UNKNOWN. The caller
  // keeps `special`.
  void Adopt(const MachineContext& context, const SpecialRanges* special);
  // Follows the path for up to `wanted` taken branches. Leaves the evaluator in the predicted state.
  Segment Follow(uint32_t wanted);

  Evaluator& evaluator() { return *evaluator_; }
  const softlbr_decoder_plugin& plugin() const { return *plugin_; }

 private:
  PathPredictor() = default;
  AbortReason GetBlock(uint64_t pc, RunStep* step);

  void* library_ = nullptr;
  const softlbr_decoder_plugin* plugin_ = nullptr;
  softlbr_decoder* decoder_ = nullptr;
  void* arena_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_;
  std::map<uint64_t, std::unique_ptr<softlbr_block>> blocks_;
};

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_PATH_PREDICTOR_H_
