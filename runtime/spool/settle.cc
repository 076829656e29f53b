#include "runtime/spool/settle.h"

#include "platform/file.h"
#include "platform/folder.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/stored_payload.h"
#include "runtime/spool/frame_scan.h"
#include "runtime/spool/quota.h"
#include "runtime/spool/spool_names.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::spool {
namespace {

long ReadFile(void* cookie, uint64_t offset, void* output, uint64_t bytes) {
  return platform::ReadAt(*static_cast<int*>(cookie), offset, output, bytes);
}

// The whole frames of a file.
struct Contents {
  bool is_readable;
  bool is_clean;     // nothing but a magic and whole frames up to the last of them
  bool is_complete;  // each session in it has its end frame
  uint64_t frames;
  uint64_t missing;      // gaps in the numbers, from 0 to the end frame
  uint64_t session_id;   // of the first frame
  uint64_t end;          // behind the last whole frame
  uint64_t whole_bytes;  // of a file of these frames
  uint64_t samples;      // in the sessions' rows; ~0: not known
};

constexpr uint64_t kUnknown = ~uint64_t{0};

// The samples that an end frame states, 0 for another frame without rows; kUnknown: the frame has rows, or is
// compressed.
uint64_t SamplesOf(const Piece& piece) {
  uint64_t bytes;
  const uint8_t* payload = OpenStored(piece.data + kFrameHeaderBytes, piece.bytes - kFrameHeaderBytes, &bytes);
  if (payload == nullptr) return kUnknown;
  uint64_t samples = piece.header.kind == FrameKind::kEnd ? kUnknown : 0;
  ByteReader in;
  for (in.Reset(payload, bytes); !in.IsAtEnd();) {
    const auto id = static_cast<SectionId>(in.GetU32());
    const uint32_t section_bytes = in.GetU32();
    ByteReader section;
    const uint8_t* body = in.GetBytes(section_bytes);
    if (in.has_failed) return kUnknown;
    section.Reset(body, section_bytes);
    if (id == SectionId::kInfo || id == SectionId::kCounters || id == SectionId::kLabels) continue;
    if (id != SectionId::kTotals) return kUnknown;
    while (!section.IsAtEnd()) {
      const uint64_t key = section.GetVarint();
      const uint64_t value = section.GetVarint();
      if (key == static_cast<uint64_t>(TotalKey::kSamples)) samples = value;
    }
    if (section.has_failed) return kUnknown;
  }
  return samples;
}

Contents Examine(uint8_t* window, int file) {
  Contents found = {false, true, true, 0, 0, 0, 0, kFileMagicBytes, 0};
  bool has_rows = false;  // the session that is being read
  const auto leave = [&] {
    found.is_complete = false;
    ++found.missing;
    if (has_rows) found.samples = kUnknown;
  };
  FrameScan scan(window, ReadFile, &file);
  bool is_damaged = false;
  bool is_in_session = false;
  uint64_t session = 0;
  uint64_t next = 0;  // number of the session's next frame
  for (;;) {
    const Piece piece = scan.Next();
    if (piece.kind == PieceKind::kUnreadable) return found;
    if (piece.kind == PieceKind::kNothing) break;
    if (piece.at == 0 && piece.kind != PieceKind::kMagic) is_damaged = true;
    if (piece.kind == PieceKind::kDamage) is_damaged = true;
    if (piece.kind != PieceKind::kFrame) continue;
    if (is_damaged) found.is_clean = false;
    const bool is_new = !is_in_session || piece.header.session_id != session;
    if (is_in_session && is_new) {
      leave();
      next = 0;
    }
    if (is_new) has_rows = false;
    const uint64_t samples = SamplesOf(piece);
    if (piece.header.kind != FrameKind::kEnd) {
      has_rows |= samples == kUnknown;
    } else {
      found.samples = samples > kUnknown - found.samples ? kUnknown : found.samples + samples;
    }
    session = piece.header.session_id;
    if (piece.header.kind != FrameKind::kProcess) {
      if (piece.header.sequence > next) found.missing += piece.header.sequence - next;
      next = uint64_t{piece.header.sequence} + 1;
    }
    is_in_session = piece.header.kind != FrameKind::kEnd;
    if (!is_in_session) next = 0;
    if (found.frames++ == 0) found.session_id = session;
    found.end = piece.at + piece.bytes;
    found.whole_bytes += piece.bytes;
  }
  if (is_in_session) leave();
  found.is_readable = true;
  return found;
}

// Only whole frames reach `copy`. False: a system call failed.
bool CopyFrames(uint8_t* window, int file, int copy) {
  if (platform::WriteAt(copy, 0, kFileMagic, kFileMagicBytes) != 0) return false;
  uint64_t at = kFileMagicBytes;
  FrameScan scan(window, ReadFile, &file);
  for (;;) {
    const Piece piece = scan.Next();
    if (piece.kind == PieceKind::kNothing) return true;
    if (piece.kind == PieceKind::kUnreadable) return false;
    if (piece.kind != PieceKind::kFrame) continue;
    if (platform::WriteAt(copy, at, piece.data, piece.bytes) != 0) return false;
    at += piece.bytes;
  }
}

// Makes kCopyName, on the disk, by write(copy). False: it is not there.
template <typename Write>
bool MakeFile(const SettlePlace& place, Write write) {
  (void)platform::RemoveFromFolder(place.folder, kCopyName);
  const long copy = platform::OpenInFolder(place.folder, kCopyName, platform::FileOpening::kNew);
  if (copy < 0) return false;
  const bool is_made = write(static_cast<int>(copy)) && platform::SyncFile(static_cast<int>(copy)) == 0;
  platform::CloseFile(static_cast<int>(copy));
  if (!is_made) (void)platform::RemoveFromFolder(place.folder, kCopyName);
  return is_made;
}

bool MakeCopy(const SettlePlace& place, int file) {
  return MakeFile(place, [&](int copy) { return CopyFrames(place.window, file, copy); });
}

// Replaces the file of this name by its compact form, if that can be made, and returns the new size; 0: nothing was
// replaced.
// A session has one name at any time, so whoever takes the finished file has all of it.
uint64_t Compact(const SettlePlace& place, const char* name, int file) {
  platform::FileFacts facts;
  if (place.compact == nullptr || !MakeFile(place, [&](int copy) {
        return place.compact(file, copy) == 0 && platform::FactsOfFile(copy, &facts) == 0 && facts.bytes != 0;
      })) {
    return 0;
  }
  if (platform::RenameInFolder(place.folder, kCopyName, name) == 0) return facts.bytes;
  (void)platform::RemoveFromFolder(place.folder, kCopyName);
  return 0;
}

bool CutAndSync(int file, uint64_t end) {
  platform::FileFacts facts;
  if (platform::FactsOfFile(file, &facts) != 0) return false;
  if (facts.bytes != end && platform::TruncateFile(file, end) != 0) return false;
  return platform::SyncFile(file) == 0;
}

struct Salvage {
  SettlePlace* place;
  SettledCounts* counts;
};

// False if the file is not to be settled: it is of another kind, another process owns it, or the name means another
// file by now.
bool IsAbandoned(int folder, const char* name, int file) {
  platform::FileFacts facts;
  if (platform::FactsOfFile(file, &facts) != 0 || !facts.is_regular || !facts.is_ours) return false;
  if (platform::LockFile(file, 0) != 0) return false;
  platform::FileFacts named;
  return platform::FactsInFolder(folder, name, &named) == 0 && named.device == facts.device &&
         named.inode == facts.inode && named.links == 1;
}

bool SettleIfAbandoned(void* cookie, const char* name) {
  if (!IsTemporaryName(name)) return true;
  auto* salvage = static_cast<Salvage*>(cookie);
  const int folder = salvage->place->folder;
  const int file = static_cast<int>(platform::OpenInFolder(folder, name, platform::FileOpening::kExisting));
  if (file < 0) return true;
  if (IsAbandoned(folder, name, file)) {
    const Settled settled = Settle(salvage->place, name, file);
    if (settled == Settled::kComplete || settled == Settled::kTruncated) ++salvage->counts->salvaged;
    if (settled == Settled::kTooLarge) ++salvage->counts->refused;
    if (settled == Settled::kTooFew) ++salvage->counts->too_few;
  }
  platform::CloseFile(file);
  return true;
}

}  // namespace

Settled Settle(SettlePlace* place, const char* name, int file) {
  const Contents contents = Examine(place->window, file);
  if (!contents.is_readable) return Settled::kFailed;
  place->frames = contents.frames;
  place->missing = contents.missing;
  if (contents.frames != 0 && contents.samples < place->fewest_samples) {
    return platform::RemoveFromFolder(place->folder, name) == 0 ? Settled::kTooFew : Settled::kFailed;
  }
  uint64_t bytes = contents.whole_bytes;
  if (contents.frames != 0 && contents.is_clean) {
    if (!CutAndSync(file, contents.end)) return Settled::kFailed;
    const uint64_t compact_bytes = Compact(*place, name, file);
    if (compact_bytes != 0) bytes = compact_bytes;
  }
  const bool is_too_large = bytes > place->max_bytes;
  if (contents.frames == 0 || is_too_large) {
    if (platform::RemoveFromFolder(place->folder, name) != 0) return Settled::kFailed;
    return is_too_large ? Settled::kTooLarge : Settled::kEmpty;
  }
  if (!contents.is_clean && !MakeCopy(*place, file)) return Settled::kFailed;
  const FileName finished = NameOfFinished(contents.session_id, contents.is_complete);
  const bool is_there =
      MakeRoom(place, bytes, finished.text) &&
      platform::RenameInFolder(place->folder, contents.is_clean ? name : kCopyName, finished.text) == 0;
  if (!contents.is_clean) (void)platform::RemoveFromFolder(place->folder, is_there ? name : kCopyName);
  if (!is_there) return Settled::kFailed;
  (void)platform::SyncFile(place->folder);  // some file systems cannot; the name is there in any case
  return contents.is_complete ? Settled::kComplete : Settled::kTruncated;
}

void SettleAll(SettlePlace* place, SettledCounts* counts) {
  (void)platform::RemoveFromFolder(place->folder, kCopyName);
  Salvage salvage = {place, counts};
  (void)platform::ForEachName(place->folder, SettleIfAbandoned, &salvage);
}

}  // namespace softlbr::spool
