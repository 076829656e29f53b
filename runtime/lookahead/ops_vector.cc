// Contract: ops.h. Every op is UNKNOWN so far.
#include "runtime/lookahead/fallback.h"
#include "runtime/lookahead/ops.h"

namespace softlbr {

void RunVectorUop(Evaluator* evaluator, const softlbr_uop& uop) { ForgetResult(evaluator, uop); }

}  // namespace softlbr
