// A recording of several processes is split into a file for each, whatever state the processes left it in and whatever
// they call themselves; and what other users recorded is added to one, whatever they wrote.
#include "toolchain/profile/profile_split.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <variant>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/profile_forge.h"
#include "toolchain/profile/profile_gather.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using test::Bytes;

Bytes ProcessFrame(uint64_t session_id, uint64_t process_id, const std::string& program) {
  test::Forged forged;
  forged.kind = static_cast<uint8_t>(FrameKind::kProcess);
  forged.session_id = session_id;
  Bytes body = test::Varints({process_id});
  test::Append(&body, Bytes(program.begin(), program.end()));
  return test::Frame(test::Section(SectionId::kProcess, body), forged);
}

Bytes CountsFrame(uint64_t session_id) {
  Bytes payload = test::OneModule();
  test::Append(&payload, test::Section(SectionId::kSamples, test::Varints({2, 5, 3, 7, 4})));
  test::Forged forged;
  forged.session_id = session_id;
  return test::Frame(payload, forged);
}

Bytes SessionOf(uint64_t session_id, const std::string& program) {
  Bytes bytes = test::Magic();
  test::Append(&bytes, CountsFrame(session_id));
  test::Append(&bytes, ProcessFrame(session_id, 7, program));
  test::Append(&bytes, test::EndFrame(1, session_id));
  return bytes;
}

class ProfileSplit : public ::testing::Test {
 protected:
  // The names of the files; each must hold one session.
  std::set<std::string> Split(const Bytes& bytes) {
    testing::WriteFile(folder_ / "all", std::string(bytes.begin(), bytes.end()));
    std::filesystem::create_directories(folder_ / "a/b");
    std::set<std::string> names;
    const size_t files = SplitProfile(folder_ / "all", folder_ / "a/b");
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "a/b")) {
      names.insert(entry.path().filename());
      EXPECT_EQ(Read(entry.path().filename()).sessions.size(), 1u) << entry.path();
    }
    EXPECT_EQ(names.size(), files);
    return names;
  }
  Profile Read(const std::string& name) {
    auto read = ReadProfileFile(folder_ / "a/b/" + name);
    EXPECT_TRUE(std::holds_alternative<Profile>(read)) << name;
    return std::holds_alternative<Profile>(read) ? std::get<Profile>(std::move(read)) : Profile{};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ProfileSplit, KeepsNamesInTheFolder) {
  Bytes bytes;
  const std::string names[] = {"plain", "../../outside",        "/root", "..", ".hidden", "a\nb",
                               "",      std::string(4000, 'x'), "plain"};
  uint64_t session_id = 0;
  for (const std::string& name : names) test::Append(&bytes, SessionOf(++session_id, name));
  const std::set<std::string> expected = {
      "plain.7.slbr",   "_._.._outside.7.slbr", "_root.7.slbr",   "_..7.slbr",
      "_hidden.7.slbr", "a_b.7.slbr",           "unknown.7.slbr", std::string(200, 'x') + ".7.slbr",
      "plain.7-2.slbr"};
  EXPECT_EQ(Split(bytes), expected);
  size_t beside = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "a")) beside += entry.path().filename() != "b";
  EXPECT_EQ(beside, 0u);
}

// As where a process is killed while it writes: the frames that follow are those of another process.
TEST_F(ProfileSplit, LeavesWholeFramesThatFollowACutOneToTheirSession) {
  const Bytes other = SessionOf(2, "other");
  const Bytes frame = CountsFrame(1);
  for (const size_t cut : {size_t{1}, size_t{kFrameHeaderBytes}, frame.size() - 1}) {
    Bytes bytes = SessionOf(1, "killed");
    bytes.insert(bytes.end(), frame.begin(), frame.begin() + static_cast<ptrdiff_t>(cut));
    test::Append(&bytes, other);
    EXPECT_EQ(Split(bytes), (std::set<std::string>{"killed.7.slbr", "other.7.slbr"})) << cut;
    const Profile profile = Read("other.7.slbr");
    EXPECT_EQ(profile.damaged_frames + profile.missing_frames, 0u) << cut;
    EXPECT_FALSE(profile.is_truncated) << cut;
    EXPECT_EQ(testing::ReadFile(folder_ / "a/b/other.7.slbr").size() +
                  testing::ReadFile(folder_ / "a/b/killed.7.slbr").size(),
              bytes.size());
    const Profile of_killed = Read("killed.7.slbr");
    EXPECT_TRUE(of_killed.damaged_frames != 0 || of_killed.is_truncated) << cut;
  }
}

class ProfileGather : public ::testing::Test {
 protected:
  // What two users wrote, and the profile with it.
  std::string Gather(const Bytes& first, const Bytes& second, uint64_t hole_bytes = 0) {
    const Bytes ours = SessionOf(1, "ours");
    testing::WriteFile(folder_ / "ours", std::string(ours.begin(), ours.end()));
    const int to = open((folder_ / "ours").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    std::set<uint64_t> taken = SessionsIn(folder_ / "ours");
    EXPECT_EQ(taken, std::set<uint64_t>{1});
    for (const Bytes& bytes : {first, second}) {
      testing::WriteFile(folder_ / "theirs", std::string(bytes.begin(), bytes.end()));
      const int from = open((folder_ / "theirs").c_str(), O_RDWR | O_CLOEXEC);
      EXPECT_EQ(ftruncate(from, static_cast<off_t>(bytes.size() + hole_bytes)), 0);
      AppendNewSessions(from, to, &taken);
      close(from);
    }
    close(to);
    const std::string all = testing::ReadFile(folder_ / "ours");
    EXPECT_EQ(all.substr(0, ours.size()), std::string(ours.begin(), ours.end()));
    return all.substr(ours.size());
  }
  static std::string FramesOf(uint64_t session_id) {  // the session without the file's magic
    const Bytes bytes = SessionOf(session_id, "theirs");
    return std::string(bytes.begin() + kFileMagicBytes, bytes.end());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ProfileGather, AddsTheWholeFramesOfEachUser) {
  Bytes first = SessionOf(2, "theirs");
  const Bytes cut = CountsFrame(2);
  first.insert(first.end(), cut.begin(), cut.end() - 1);
  EXPECT_EQ(Gather(first, SessionOf(3, "theirs")), FramesOf(2) + FramesOf(3));
}

TEST_F(ProfileGather, AddsNothingToTheSessionsOfOthers) {
  Bytes first = SessionOf(1, "forged");  // ours
  test::Append(&first, SessionOf(2, "theirs"));
  Bytes second = SessionOf(2, "forged");  // the first user's
  test::Append(&second, SessionOf(3, "theirs"));
  test::Append(&second, SessionOf(1, "forged"));
  EXPECT_EQ(Gather(first, second), FramesOf(2) + FramesOf(3));
}

TEST_F(ProfileGather, StopsAtAHole) {
  EXPECT_EQ(Gather(SessionOf(2, "theirs"), SessionOf(3, "theirs"), uint64_t{1} << 40), FramesOf(2) + FramesOf(3));
  EXPECT_EQ(Gather({}, {}, uint64_t{1} << 40), "");
}

}  // namespace
}  // namespace softlbr::toolchain
