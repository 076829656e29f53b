#include "toolchain/record/label_options.h"

#include <algorithm>

#include "runtime/format/labels.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kMostShown = 8;  // values of a label

}  // namespace

Labels LabelsOf(const std::vector<std::string>& options) {
  Labels labels;
  for (const std::string& option : options) {
    const std::string shown = "--label " + SafeText(option.substr(0, kMostLabelKeyBytes + kMostLabelValueBytes));
    const size_t equals = option.find('=');
    if (equals == std::string::npos) throw UsageFailure(shown + ": give it as KEY=VALUE");
    if (!IsLabelKey(option.data(), equals)) {
      throw UsageFailure(shown + ": the key has 1 to " + std::to_string(kMostLabelKeyBytes) +
                         " characters, which are letters, digits, '_', '-' and '.'");
    }
    if (!IsLabelValue(option.data() + equals + 1, option.size() - equals - 1)) {
      throw UsageFailure(shown + ": the value has at most " + std::to_string(kMostLabelValueBytes) +
                         " characters, which are printable ASCII, but no '\"', ';' or '\\'");
    }
    if (!labels.emplace(option.substr(0, equals), option.substr(equals + 1)).second) {
      throw UsageFailure(shown + ": the key is given twice; give each once");
    }
  }
  if (labels.size() > kMostLabels)
    throw UsageFailure("--label: at most " + std::to_string(kMostLabels) + " can be given");
  return labels;
}

bool HasLabels(const ProfileSession& session, const Labels& labels) {
  return std::all_of(labels.begin(), labels.end(), [&session](const auto& label) {
    const auto found = session.labels.find(label.first);
    return found != session.labels.end() && found->second == label.second;
  });
}

std::string DescribeDifferingLabels(const std::vector<ProfileSession>& sessions) {
  std::map<std::string, std::map<std::string, size_t>> counts;  // by key and value
  for (const ProfileSession& session : sessions) {
    for (const auto& [key, value] : session.labels) ++counts[key][value];
  }
  std::string text;
  for (const auto& [key, values] : counts) {
    size_t with = 0;
    std::string shown;
    size_t number = 0;
    for (const auto& [value, count] : values) {
      with += count;
      if (++number <= kMostShown) shown += (shown.empty() ? "" : ", ") + value + " in " + GroupedCount(count);
    }
    if (values.size() == 1 && with == sessions.size()) continue;
    if (number > kMostShown) shown += ", " + GroupedCount(number - kMostShown) + " more values";
    if (with < sessions.size()) shown += ", none in " + GroupedCount(sessions.size() - with);
    text += (text.empty() ? "" : "; ") + key + " (" + shown + ")";
  }
  return text;
}

}  // namespace softlbr::toolchain
