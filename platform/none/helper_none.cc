// No processes on this target.
#include "platform/helper.h"

namespace softlbr::platform {

int32_t BecomeHost() { return 0; }
int32_t HostProcessId() { return 0; }
void BecomeHelper() {}
bool IsHelperAlive(int32_t) { return false; }
void CloseFilesOfKilledHelper() {}
bool IsHostGone() { return false; }
void CloseHostDescriptors(int) {}
void FollowHostCredentials() {}

}  // namespace softlbr::platform
