// The body of a labels section, and the store of a process's labels.
#include "runtime/format/labels.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/profile/label_store.h"

namespace softlbr {
namespace {

using Pairs = std::map<std::string, std::string>;

Pairs PairsOf(const uint8_t* body, uint64_t bytes) {
  Pairs pairs;
  Label label;
  for (uint64_t at = 0; NextLabel(body, bytes, &at, &label);) {
    pairs.emplace(std::string(label.key, label.key_bytes), std::string(label.value, label.value_bytes));
  }
  return pairs;
}

struct Body {
  uint8_t bytes[kMostLabelsBytes] = {};
  uint32_t size = 0;
  LabelChange Set(const std::string& key, const std::string& value) {
    return SetLabel(bytes, &size,
                    {key.data(), value.data(), static_cast<uint32_t>(key.size()), static_cast<uint32_t>(value.size())});
  }
  LabelChange Remove(const std::string& key) {
    return SetLabel(bytes, &size, {key.data(), nullptr, static_cast<uint32_t>(key.size()), 0});
  }
  Pairs All() const { return PairsOf(bytes, size); }
};

TEST(Labels, AreTheSameInWhateverOrderTheyAreSet) {
  const std::vector<std::string> keys = {"b", "a", "ab", "a.b", "A", "z-9", "_"};
  Body first;
  for (const std::string& key : keys) EXPECT_EQ(first.Set(key, "of " + key), LabelChange::kDone);
  Body second;
  for (size_t i = keys.size(); i-- > 0;) EXPECT_EQ(second.Set(keys[i], "before"), LabelChange::kDone);
  for (const std::string& key : keys) EXPECT_EQ(second.Set(key, "of " + key), LabelChange::kDone);
  EXPECT_EQ(second.size, first.size);
  EXPECT_EQ(std::memcmp(first.bytes, second.bytes, first.size), 0);
  EXPECT_TRUE(AreLabels(first.bytes, first.size));
  EXPECT_EQ(first.All().size(), keys.size());
  EXPECT_EQ(first.All().at("ab"), "of ab");
  for (const std::string& key : keys) EXPECT_EQ(first.Remove(key), LabelChange::kDone);
  EXPECT_EQ(first.size, 0u);
  EXPECT_EQ(first.Remove("a"), LabelChange::kDone) << "not there already";
}

TEST(Labels, LimitsHold) {
  Body body;
  const std::string longest_key(kMostLabelKeyBytes, 'k');
  const std::string longest_value(kMostLabelValueBytes, 'v');
  EXPECT_EQ(body.Set(longest_key, longest_value), LabelChange::kDone);
  EXPECT_EQ(body.Set("empty", ""), LabelChange::kDone);
  EXPECT_EQ(body.Set("chars", " !#$%&'()*+,-./09:<=>?@AZ[]^_`az{|}~"), LabelChange::kDone);
  const Body before = body;
  EXPECT_EQ(body.Set(longest_key + "k", "v"), LabelChange::kInvalid);
  EXPECT_EQ(body.Set("k", longest_value + "v"), LabelChange::kInvalid);
  for (const char* key : {"", " ", "a b", "a=b", "a;b", "\xc3\xa4", "a/b", "a\n"})
    EXPECT_EQ(body.Set(key, "v"), LabelChange::kInvalid);
  for (const char* value : {"a\nb", "\x1b[2J", "\"", ";", "\\", "\x7f", "\xc3\xa4"}) {
    EXPECT_EQ(body.Set("k", value), LabelChange::kInvalid) << value;
  }
  EXPECT_EQ(body.size, before.size);
  EXPECT_EQ(body.All(), before.All());
}

TEST(Labels, SixteenOfTheLongestFit) {
  Body body;
  for (uint32_t i = 0; i < kMostLabels; ++i) {
    std::string key(kMostLabelKeyBytes, 'k');
    key[0] = static_cast<char>('a' + i);
    ASSERT_EQ(body.Set(key, std::string(kMostLabelValueBytes, 'v')), LabelChange::kDone);
  }
  EXPECT_EQ(body.size, kMostLabelsBytes);
  EXPECT_TRUE(AreLabels(body.bytes, body.size));
  EXPECT_EQ(body.Set("another", "v"), LabelChange::kFull);
  EXPECT_EQ(body.Set(std::string(kMostLabelKeyBytes - 1, 'k'), "v"), LabelChange::kFull);
  EXPECT_EQ(body.size, kMostLabelsBytes);
  std::string first(kMostLabelKeyBytes, 'k');
  first[0] = 'a';
  EXPECT_EQ(body.Set(first, "shorter"), LabelChange::kDone) << "replaces one";
}

TEST(Labels, NoForeignBytesLeadBeyondTheirEnd) {
  Body body;
  for (int i = 0; i < 8; ++i)
    ASSERT_EQ(body.Set("key" + std::to_string(i), std::string(static_cast<size_t>(i), 'x')), LabelChange::kDone);
  std::mt19937 random(7);
  uint32_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    // In memory of exactly this size, which sanitizers watch.
    std::vector<uint8_t> bytes(body.bytes, body.bytes + random() % (body.size + 1));
    for (int flips = static_cast<int>(random() % 3); flips > 0 && !bytes.empty(); --flips)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    if (!AreLabels(bytes.data(), bytes.size())) {
      ++refused;
      continue;
    }
    Body again;
    for (const auto& [key, value] : PairsOf(bytes.data(), bytes.size()))
      ASSERT_EQ(again.Set(key, value), LabelChange::kDone);
    ASSERT_EQ(std::vector<uint8_t>(again.bytes, again.bytes + again.size), bytes) << "there is one form only";
  }
  EXPECT_GT(refused, 10000u);
}

TEST(LabelStore, ReadersSeeWholeStates) {
  LabelStore& store = *ProcessLabels();
  std::atomic<bool> is_over{false};
  std::thread setters[2];
  for (int i = 0; i < 2; ++i) {
    setters[i] = std::thread([&store, &is_over, i] {
      const std::string key = "setter" + std::to_string(i);
      for (uint32_t round = 0; !is_over; ++round) {
        ASSERT_EQ(store.Set(key.c_str(), std::string(round % kMostLabelValueBytes, 'x').c_str()), Status::kOk);
        if (round % 5 != 0) continue;
        ASSERT_EQ(store.Set(key.c_str(), nullptr), Status::kOk);
      }
    });
  }
  uint32_t read = 0;
  for (int i = 0; i < 100000; ++i) {
    uint8_t body[kMostLabelsBytes];
    uint32_t bytes = 0;
    if (!store.Read(body, &bytes)) continue;
    ++read;
    ASSERT_TRUE(AreLabels(body, bytes)) << i;
  }
  // A child whose parent's threads set labels at any moment of the fork reads whole labels, and may set its own.
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      uint8_t body[kMostLabelsBytes];
      uint32_t bytes = 0;
      if (!store.Read(body, &bytes) || !AreLabels(body, bytes)) _exit(1);
      _exit(store.Set("child", "x") == Status::kOk && store.Read(body, &bytes) &&
                    PairsOf(body, bytes).at("child") == "x"
                ? 0
                : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << i;
  }
  is_over = true;
  for (std::thread& setter : setters) setter.join();
  EXPECT_GT(read, 1000u);
  EXPECT_EQ(store.Set("setter0", nullptr), Status::kOk);
  EXPECT_EQ(store.Set("setter1", nullptr), Status::kOk);
}

}  // namespace
}  // namespace softlbr
