// The texts of the C API's statuses.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {
namespace {

TEST(StatusText, DiffersForEachStatus) {
  std::set<std::string> texts = {softlbr_status_text(-1)};
  int statuses = 0;
  for (const int status : {SOFTLBR_OK,
                           SOFTLBR_TOO_MANY_LABELS,
                           SOFTLBR_UNSUPPORTED,
                           SOFTLBR_PERMISSION_DENIED,
                           SOFTLBR_INVALID_ARGUMENT,
                           SOFTLBR_NOT_ENOUGH_MEMORY,
                           SOFTLBR_WRONG_STATE,
                           SOFTLBR_INCOMPATIBLE_PLUGIN,
                           SOFTLBR_SYSTEM_ERROR,
                           SOFTLBR_NO_DECODER,
                           SOFTLBR_NO_DESCRIPTOR,
                           SOFTLBR_MISALIGNED_REGION,
                           SOFTLBR_HANDLER_REPLACED,
                           SOFTLBR_OTHER_RUNTIME,
                           SOFTLBR_SINK_FAILED,
                           SOFTLBR_FOLDER_MISSING,
                           SOFTLBR_FOLDER_IS_LINK,
                           SOFTLBR_FOLDER_OF_ANOTHER,
                           SOFTLBR_FOLDER_OPEN_TO_OTHERS,
                           SOFTLBR_FOLDER_NOT_WRITABLE,
                           SOFTLBR_SOCKET_NAME_TAKEN,
                           SOFTLBR_SOCKET_IN_USE,
                           SOFTLBR_STATE_FOLDER_NOT_PRIVATE,
                           SOFTLBR_STATE_NOT_KEPT}) {
    EXPECT_TRUE(texts.insert(softlbr_status_text(status)).second) << status;
    ++statuses;
  }
  EXPECT_EQ(statuses, 24);
  EXPECT_EQ(softlbr_status_text(SOFTLBR_STATE_NOT_KEPT + 1), std::string(softlbr_status_text(-1)));
}

}  // namespace
}  // namespace softlbr
