// Writes synthetic profiles, as many devices would upload them: bench/merge.sh.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/toolchain/profile/synthetic_uploads.h"
#include "toolchain/profile/profile_reader.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: merge_uploads FOLDER COUNT TRACES\n");
    return 2;
  }
  softlbr::testing::UploadShape shape;
  shape.traces = std::strtoull(argv[3], nullptr, 10);
  shape.loops = 4000;
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string path = std::string(argv[1]) + "/" + std::to_string(i) + ".slbr";
    const std::string error =
        softlbr::toolchain::WriteProfileFile(softlbr::testing::SyntheticUpload(i + 1, shape), path);
    if (error.empty()) continue;
    std::fprintf(stderr, "merge_uploads: %s\n", error.c_str());
    return 1;
  }
  return 0;
}
