#include "runtime/process_tree/process_frame.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/frame_header.h"

namespace softlbr {
namespace {

constexpr uint32_t kMostPathBytes = 512;
constexpr uint32_t kMostNameBytes = 200;
// A zstd frame of one block that is stored as it is: magic, a header that says "single segment, one byte of content
// size", the size, and the block's header of three bytes (RFC 8878).
constexpr uint32_t kZstdBytes = 9;

// The base name of the executed file, without the mark that the kernel adds to one that has been removed.
uint32_t ProgramName(char (&path)[kMostPathBytes], const char** name) {
  const long got = platform::SysCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                     reinterpret_cast<long>(path), kMostPathBytes - 1);
  uint32_t end = got > 0 ? static_cast<uint32_t>(got) : 0;
  constexpr char kRemoved[] = " (deleted)";
  constexpr uint32_t kRemovedBytes = sizeof kRemoved - 1;
  if (end > kRemovedBytes && __builtin_memcmp(path + end - kRemovedBytes, kRemoved, kRemovedBytes) == 0)
    end -= kRemovedBytes;
  uint32_t begin = end;
  while (begin != 0 && path[begin - 1] != '/') --begin;
  *name = path + begin;
  return end - begin < kMostNameBytes ? end - begin : kMostNameBytes;
}

// WriteAll, and hides from the program the signals that a failing write raises in its thread: SIGXFSZ beyond its file
// size limit, and SIGPIPE for a pipe that nobody reads any more. Signals that were pending before stay pending.
Status WriteWithoutSignals(int fd, const void* data, uint64_t bytes) {
  constexpr long kSetBytes = 8;
  constexpr uint32_t kMostSignals = 2;
  const uint64_t of_writes = 1ull << (SIGXFSZ - 1) | 1ull << (SIGPIPE - 1);
  uint64_t mask = 0;
  uint64_t pending_before = 0;
  platform::SysCall(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&of_writes), reinterpret_cast<long>(&mask),
                    kSetBytes);
  platform::SysCall(SYS_rt_sigpending, reinterpret_cast<long>(&pending_before), kSetBytes);
  const Status status = platform::WriteAll(fd, data, bytes);
  const uint64_t raised = of_writes & ~pending_before;
  const long no_time[2] = {0, 0};
  for (uint32_t i = 0; status != Status::kOk && i < kMostSignals; ++i) {
    platform::SysCall(SYS_rt_sigtimedwait, reinterpret_cast<long>(&raised), 0, reinterpret_cast<long>(no_time),
                      kSetBytes);
  }
  platform::SysCall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), 0, kSetBytes);
  return status;
}

}  // namespace

bool WriteProcessFrame(int fd, uint64_t session_id) {
  char path[kMostPathBytes];
  const char* name = nullptr;
  const uint32_t name_bytes = ProgramName(path, &name);
  uint8_t frame[kFrameHeaderBytes + kZstdBytes + kSectionHeaderBytes + kMaxVarintBytes + kMostNameBytes];
  uint8_t* const payload = frame + kFrameHeaderBytes;
  uint8_t* const section = payload + kZstdBytes;
  ByteWriter out;
  out.Reset(section + kSectionHeaderBytes, sizeof frame - kFrameHeaderBytes - kZstdBytes - kSectionHeaderBytes);
  out.PutVarint(static_cast<uint64_t>(platform::CurrentProcessId()));
  out.PutBytes(name, name_bytes);
  const auto body_bytes = static_cast<uint32_t>(out.Size());
  StoreU32(section, static_cast<uint32_t>(SectionId::kProcess));
  StoreU32(section + 4, body_bytes);
  const uint32_t content_bytes = kSectionHeaderBytes + body_bytes;
  constexpr uint32_t kZstdMagic = 0xfd2fb528;
  StoreU32(payload, kZstdMagic);
  payload[4] = 0x20;
  payload[5] = static_cast<uint8_t>(content_bytes);
  const uint32_t block = content_bytes << 3 | 1;  // the last block, raw
  for (int i = 0; i < 3; ++i) payload[6 + i] = static_cast<uint8_t>(block >> (8 * i));
  FrameHeader header{};
  header.version = kFormatVersion;
  header.kind = FrameKind::kProcess;
  header.session_id = session_id;
  header.compressed_bytes = kZstdBytes + content_bytes;
  header.uncompressed_bytes = content_bytes;
  header.payload_crc = Crc32c(payload, header.compressed_bytes);
  EncodeFrameHeader(header, frame);
  return WriteWithoutSignals(fd, frame, kFrameHeaderBytes + header.compressed_bytes) == Status::kOk;
}

}  // namespace softlbr
