// No processes on this target.
#include "platform/helper.h"

namespace softlbr::platform {

int32_t BecomeHost() { return 0; }
int32_t HostProcessId() { return 0; }
bool BecomeHelper(int) { return false; }
bool IsHelperAlive(int32_t) { return false; }
void CloseFilesOfKilledHelper() {}
bool IsHostGone() { return false; }
bool MayTraceHost() { return false; }
bool CloseHostDescriptors(int) { return false; }
void FollowHostCredentials() {}

}  // namespace softlbr::platform
