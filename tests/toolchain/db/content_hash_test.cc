// SHA-256 against the examples of FIPS 180-4.
#include "toolchain/db/content_hash.h"

#include <gtest/gtest.h>

#include "tests/toolchain/commands/run_command.h"
#include "toolchain/base/failure.h"

namespace softlbr::toolchain {
namespace {

std::string HashOf(const std::string& text) {
  Sha256 sha;
  sha.Add(text);
  return sha.Hex();
}

TEST(DbContentHash, IsSha256) {
  EXPECT_EQ(HashOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(HashOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(HashOf(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(DbContentHash, DoesNotDependOnTheParts) {
  const std::string text(1000, 'x');
  for (const size_t part : {1u, 7u, 63u, 64u, 65u, 128u}) {
    Sha256 sha;
    for (size_t i = 0; i < text.size(); i += part) sha.Add(std::string_view(text).substr(i, part));
    EXPECT_EQ(sha.Hex(), HashOf(text)) << part;
  }
}

TEST(DbContentHash, OfAFile) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "f", std::string(3u << 20, 'a') + "b");
  const FileHash hash = HashFile(folder / "f");
  EXPECT_EQ(hash.bytes, (3u << 20) + 1);
  EXPECT_EQ(hash.sha256, HashOf(std::string(3u << 20, 'a') + "b"));
  EXPECT_THROW(HashFile(folder / "absent"), StatedFailure);
}

}  // namespace
}  // namespace softlbr::toolchain
