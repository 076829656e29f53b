#include "runtime/spool/quota.h"

#include "platform/base/bytes.h"
#include "platform/folder.h"
#include "runtime/spool/spool_names.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::spool {
namespace {

struct Census {
  int folder;
  const char* replaced;
  uint64_t files;
  uint64_t bytes;
  uint64_t oldest_ns;
  FileName oldest;
};

bool CountFinished(void* cookie, const char* name) {
  auto* census = static_cast<Census*>(cookie);
  if (!IsFinishedName(name) || CompareNames(name, census->replaced) == 0) return true;
  platform::FileFacts facts;
  if (platform::FactsInFolder(census->folder, name, &facts) != 0 || !facts.is_regular) return true;
  // Of files with equal age, the first by name.
  const bool is_older = census->files == 0 || facts.changed_ns < census->oldest_ns ||
                        (facts.changed_ns == census->oldest_ns && CompareNames(name, census->oldest.text) < 0);
  if (is_older) {
    census->oldest_ns = facts.changed_ns;
    CopyBytes(census->oldest.text, name, StringBytes(name, sizeof census->oldest.text - 1) + 1);
  }
  ++census->files;
  census->bytes += facts.bytes;
  return true;
}

}  // namespace

bool MakeRoom(SettlePlace* place, uint64_t bytes, const char* replaced) {
  for (;;) {
    Census census = {place->folder, replaced, 0, 0, 0, {}};
    if (platform::ForEachName(place->folder, CountFinished, &census) != 0) return false;
    const bool has_room = census.files < place->max_files && census.bytes <= place->max_bytes - bytes;
    if (has_room || census.files == 0) return true;
    if (platform::RemoveFromFolder(place->folder, census.oldest.text) == 0) {
      ++place->dropped;
      continue;
    }
    platform::FileFacts facts;
    if (platform::FactsInFolder(place->folder, census.oldest.text, &facts) == 0) return false;  // it is still there
  }
}

}  // namespace softlbr::spool
