// Mutates a frame's uncompressed content, then compresses it and computes the checksums again. Mutations of the
// compressed bytes would almost never have a valid checksum.
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "tests/toolchain/profile/profile_forge.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using softlbr::FrameHeader;
using softlbr::kFrameHeaderBytes;
using softlbr::kMaxFramePayloadBytes;
using softlbr::test::Bytes;

struct Place {
  size_t offset;
  FrameHeader header;
};

std::vector<Place> FramesOf(const uint8_t* data, size_t size) {
  std::vector<Place> places;
  for (size_t at = 0; at + kFrameHeaderBytes <= size; ++at) {
    FrameHeader header;
    if (!softlbr::DecodeFrameHeader(data + at, &header)) continue;
    if (header.compressed_bytes > size - at - kFrameHeaderBytes || header.uncompressed_bytes > kMaxFramePayloadBytes)
      continue;
    places.push_back({at, header});
  }
  return places;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  const std::vector<Place> places = FramesOf(data, size);
  if (places.empty() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const Place& place = places[random() % places.size()];
  const size_t frame_end = place.offset + kFrameHeaderBytes + place.header.compressed_bytes;
  Bytes payload(place.header.uncompressed_bytes);
  const size_t bytes = ZSTD_decompress(payload.data(), payload.size(), data + place.offset + kFrameHeaderBytes,
                                       place.header.compressed_bytes);
  if (ZSTD_isError(bytes)) return LLVMFuzzerMutate(data, size, max_size);
  payload.resize(bytes + 64);
  payload.resize(LLVMFuzzerMutate(payload.data(), bytes, payload.size()));
  softlbr::test::Forged forged;
  forged.version = random() % 64 == 0 ? static_cast<uint8_t>(random()) : place.header.version;
  forged.kind = random() % 16 == 0 ? static_cast<uint8_t>(random() % 4) : static_cast<uint8_t>(place.header.kind);
  forged.session_id = random() % 16 == 0 ? random() % 3 : place.header.session_id;
  const Bytes frame = softlbr::test::Frame(payload, forged);
  Bytes result(data, data + place.offset);
  // keep the old frame as well
  if (random() % 8 == 0) result.insert(result.end(), data + place.offset, data + frame_end);
  softlbr::test::Append(&result, frame);
  result.insert(result.end(), data + frame_end, data + size);
  if (result.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  memcpy(data, result.data(), result.size());
  return result.size();
}
