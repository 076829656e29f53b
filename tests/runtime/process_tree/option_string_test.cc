#include "runtime/process_tree/option_string.h"

#include <gtest/gtest.h>

#include <string>

namespace softlbr {
namespace {

TEST(OptionString, ReadsEveryKey) {
  AttachOptions options;
  ASSERT_TRUE(ParseOptionString(
      "v1;fd=5;status=6;event=task-clock;period=1000;branches=32;resolve=static;flags=3;threads=9;socket=name-1",
      &options));
  EXPECT_EQ(options.profile_fd, 5);
  EXPECT_EQ(options.status_fd, 6);
  EXPECT_EQ(options.session.event, static_cast<uint32_t>(SOFTLBR_EVENT_TASK_CLOCK));
  EXPECT_EQ(options.session.period, 1000u);
  EXPECT_EQ(options.session.branches_per_trace, 32u);
  EXPECT_EQ(options.session.resolve_plus_one, 1u + SOFTLBR_RESOLVE_STATIC);
  EXPECT_EQ(options.session.flags, 3u);
  EXPECT_EQ(options.session.max_threads, 9u);
  EXPECT_STREQ(options.socket_name, "name-1");
}

TEST(OptionString, LeavesDefaultsForAbsentKeys) {
  AttachOptions options;
  ASSERT_TRUE(ParseOptionString("v1", &options));
  EXPECT_EQ(options.profile_fd, -1);
  EXPECT_EQ(options.status_fd, -1);
  EXPECT_EQ(options.session.struct_size, sizeof(softlbr_options));
  EXPECT_STREQ(options.out_path, "");
}

TEST(OptionString, RefusesOtherVersionsAndMalformedText) {
  AttachOptions options;
  for (const char* text : {"", "v2;fd=5", "fd=5", "v1;fd", "v1;fd=", "v1;fd=x", "v1;fd=-1", "v1;fd=99999999999",
                           "v1;resolve=maybe", "v1;event=moon", "v1;period=18446744073709551616", "v1;out="}) {
    EXPECT_FALSE(ParseOptionString(text, &options)) << text;
  }
  EXPECT_FALSE(ParseOptionString(("v1;out=/" + std::string(2000, 'a')).c_str(), &options));
}

TEST(OptionString, SkipsKeysOfLaterVersions) {
  AttachOptions options;
  EXPECT_TRUE(ParseOptionString("v1;colour=blue;;fd=3", &options));
  EXPECT_EQ(options.profile_fd, 3);
}

}  // namespace
}  // namespace softlbr
