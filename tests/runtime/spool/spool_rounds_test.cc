// A spool on a disk that fills, becomes read-only or loses the folder at random instants of a session, round after
// round: each frame is in a finished file, once and intact, or counted as lost. SOFTLBR_SPOOL_ROUNDS=N: N rounds of
// each fault.
#include <sched.h>
#include <sys/mount.h>

#include <random>

#include "runtime/include/softlbr/compact.h"
#include "tests/runtime/spool/spool_fixture.h"

namespace softlbr::test {
namespace {

constexpr int kCannotMountHere = 77;  // exit code of a child that lacks the right to mount
constexpr uint32_t kRoundsInACheck = 20;
constexpr uint32_t kSpoolFiles = 8;  // the quota of each spool, and more than a round makes

enum class DiskFault { kFull, kReadOnly, kVanished };

struct Contents {
  uint64_t branches = 0;  // sum of the counts
  uint64_t rows = 0;
  bool operator==(const Contents&) const = default;
};

// False if the file is damaged.
bool Read(const std::string& path, Contents* contents) {
  const auto read = toolchain::ReadProfileFile(path);
  const auto* profile = std::get_if<toolchain::Profile>(&read);
  if (profile == nullptr || profile->damaged_frames != 0) return false;
  *contents = {};
  for (const auto& branch : profile->branches) contents->branches += branch.count;
  contents->rows = profile->branches.size();
  return true;
}

// The disk of the test, of 64 KiB, in a child with mounts of its own. The spool is a folder on it.
class Disk {
 public:
  explicit Disk(const SpoolFolder& folder) : top_(folder.path()) {}
  int Mount() {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return kCannotMountHere;
    if (mkdir(top_.c_str(), 0700) != 0) return 1;
    return mount("softlbr", top_.c_str(), "tmpfs", 0, kOptions) == 0 ? 0 : kCannotMountHere;
  }
  std::string spool() const { return top_ + "/spool"; }
  bool Break(DiskFault fault) const {
    switch (fault) {
      case DiskFault::kFull: PutFile(top_ + "/ballast", std::vector<uint8_t>(64 << 10, 1)); return true;
      case DiskFault::kReadOnly: return mount("softlbr", top_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, kOptions) == 0;
      case DiskFault::kVanished: return std::filesystem::remove_all(spool()) > 0;
    }
    return false;
  }
  bool Heal(DiskFault fault) const {
    if (fault == DiskFault::kReadOnly) return mount("softlbr", top_.c_str(), "tmpfs", MS_REMOUNT, kOptions) == 0;
    if (fault == DiskFault::kFull) return std::filesystem::remove(top_ + "/ballast");
    return true;
  }

 private:
  static constexpr char kOptions[] = "size=64k,mode=0700";
  std::string top_;
};

// Takes the finished files away, as an upload does. Returns their common session's contents; *files: how many there
// were.
bool TakeFinishedFiles(const std::string& folder, Contents* contents, uint32_t* files) {
  *files = 0;
  if (!std::filesystem::exists(folder)) return true;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name == ".lock") continue;
    if (!name.ends_with(".slbr") || name[0] == '.' || !Read(entry.path(), contents)) return false;
    ++*files;
  }
  std::filesystem::remove_all(folder);
  return true;
}

int LiveThroughRounds(const SpoolFolder& folder, DiskFault fault, CompactFunction* compact, uint32_t rounds) {
  Disk disk(folder);
  const int mounted = disk.Mount();
  if (mounted != 0) return mounted;
  const Chunks made = SessionChunks(1, 40);
  std::mt19937 random(static_cast<uint32_t>(fault) + 3);
  uint64_t all_lost = 0;
  uint64_t all_kept = 0;
  for (uint32_t round = 1; round <= rounds; ++round) {
    const Chunks session = WithId(made, round);
    // A file system with a file that is open for writing cannot be made read-only: that happens before the session.
    const size_t broken_at = fault == DiskFault::kReadOnly ? 0 : random() % session.size();
    const size_t healed_at = broken_at + 1 + random() % session.size();  // often not before the commit
    softlbr_spool spool;
    HOLD_OR_FAIL(Open(&spool, disk.spool(), kSpoolFiles, 0, compact) == SOFTLBR_SPOOL_OK);
    std::vector<uint8_t> taken;
    uint64_t kept = 0;
    uint64_t offered = 0;
    bool is_broken = false;
    for (size_t i = 0; i < session.size(); ++i) {
      if (i == broken_at) HOLD_OR_FAIL(is_broken = disk.Break(fault));
      if (i == healed_at) is_broken = !disk.Heal(fault);
      const bool is_frame = session[i].size() != kFileMagicBytes;
      const bool is_taken = softlbr_spool_sink(&spool, session[i].data(), session[i].size()) == 0;
      if (!is_frame || is_taken) taken.insert(taken.end(), session[i].begin(), session[i].end());
      offered += is_frame;
      kept += is_frame && is_taken;
    }
    (void)softlbr_spool_close(&spool);
    const uint64_t lost = CountsOf(spool).lost;
    if (is_broken) HOLD_OR_FAIL(disk.Heal(fault));
    // What could not be finished on the broken disk is finished by the next open.
    HOLD_OR_FAIL(Open(&spool, disk.spool(), kSpoolFiles, 0, compact) == SOFTLBR_SPOOL_OK);
    HOLD_OR_FAIL(softlbr_spool_close(&spool) == SOFTLBR_SPOOL_OK);
    HOLD_OR_FAIL(CountsOf(spool).dropped + CountsOf(spool).refused == 0);
    Contents found;
    uint32_t files = 0;
    HOLD_OR_FAIL(TakeFinishedFiles(disk.spool(), &found, &files));
    if (fault == DiskFault::kVanished) {
      // Frames that were taken went with the folder, and are counted too.
      HOLD_OR_FAIL(files == 0 && lost == offered);
    } else {
      HOLD_OR_FAIL(lost + kept == offered);
      HOLD_OR_FAIL(files == (kept != 0 ? 1u : 0u));
      if (kept != 0) {
        Contents expected;
        PutFile(folder.top() + "/expected", taken);
        HOLD_OR_FAIL(Read(folder.top() + "/expected", &expected));
        HOLD_OR_FAIL(found == expected);
      }
    }
    all_lost += lost;
    all_kept += kept;
  }
  HOLD_OR_FAIL(all_lost > 0);
  std::fprintf(stderr, "%u rounds: %llu frames taken, %llu lost and counted\n", rounds,
               static_cast<unsigned long long>(all_kept), static_cast<unsigned long long>(all_lost));
  return 0;
}

class SpoolRoundsTest : public ::testing::TestWithParam<std::tuple<DiskFault, bool>> {};

TEST_P(SpoolRoundsTest, EachFrameIsInAFileOrCounted) {
  SpoolFolder folder;
  const auto [fault, is_compact] = GetParam();
  const int result = InChild([&, fault = fault, compact = is_compact ? softlbr_compact : nullptr] {
    return LiveThroughRounds(folder, fault, compact, SpoolRounds(kRoundsInACheck));
  });
  if (result == kCannotMountHere) GTEST_SKIP() << "needs CAP_SYS_ADMIN, to mount a small tmpfs";
  EXPECT_EQ(result, 0);
}

INSTANTIATE_TEST_SUITE_P(Disk, SpoolRoundsTest,
                         ::testing::Combine(::testing::Values(DiskFault::kFull, DiskFault::kReadOnly,
                                                              DiskFault::kVanished),
                                            ::testing::Bool()),
                         [](const ::testing::TestParamInfo<std::tuple<DiskFault, bool>>& round) -> std::string {
                           const std::string form = std::get<bool>(round.param) ? "Compact" : "";
                           switch (std::get<DiskFault>(round.param)) {
                             case DiskFault::kFull: return form + "Full";
                             case DiskFault::kReadOnly: return form + "ReadOnly";
                             case DiskFault::kVanished: return form + "Vanished";
                           }
                           return "";
                         });

}  // namespace
}  // namespace softlbr::test
