// Adds profiles to a database, and recovers the instructions of the binaries that got new counts.
//
// A transaction for each profile and for each binary, so that an interrupted run goes on where it ended when it is
// started again. A profile counts once: its content's hash and its sessions are kept. Another thread loads the next
// profile while this one writes, and then recovers binaries ahead of it. Memory: two profiles, or the binaries of
// recovery_queue.h.
#ifndef SOFTLBR_TOOLCHAIN_DB_INGEST_H_
#define SOFTLBR_TOOLCHAIN_DB_INGEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

struct IngestResult {
  uint64_t added = 0;                // profiles
  uint64_t known = 0;                // profiles, or all of their sessions, that were there before
  uint64_t left_out = 0;             // unreadable, or with some sessions that were there before; each is warned about
  uint64_t recovered = 0;            // binaries
  uint64_t instructions = 0;         // of these, rows
  std::vector<std::string> pending;  // binaries whose file or decoder is missing: name (build id)
};

// profiles: files and folders. binaries: as for ModuleFiles.
IngestResult Ingest(const Database& database, const std::vector<std::string>& profiles,
                    const std::vector<std::string>& binaries);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_INGEST_H_
