// No sockets on this target: nothing can be triggered.
#include "platform/local_socket.h"

namespace softlbr::platform {
namespace {

constexpr long kNoSuchCall = -38;  // -ENOSYS

}  // namespace

long OpenPrivateFolder(const char*, bool) { return kNoSuchCall; }
long ListenInFolder(int, const char*) { return kNoSuchCall; }
void RemoveSocket(int, const char*) {}
long AcceptPeer(int, uint32_t* user) {
  *user = ~uint32_t{0};
  return kNoSuchCall;
}
long ReceivePacket(int, void*, uint64_t, int* passed) {
  *passed = -1;
  return kNoSuchCall;
}
long SendPacket(int, const void*, uint64_t, const void*, uint64_t, uint64_t) { return kNoSuchCall; }
void ShutSocket(int) {}
uint32_t EffectiveUserId() { return ~uint32_t{0}; }
long OpenEventSet() { return kNoSuchCall; }
long AddToEventSet(int, int, uint32_t, bool) { return kNoSuchCall; }
void RearmInEventSet(int, int, uint32_t) {}
void RemoveFromEventSet(int, int) {}
long WaitForEvents(int, uint32_t*, uint32_t, int) { return kNoSuchCall; }
long OpenTimer() { return kNoSuchCall; }
void SetTimer(int, uint64_t) {}
uint64_t BootSeconds() { return 0; }

}  // namespace softlbr::platform
