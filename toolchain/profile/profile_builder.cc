#include "toolchain/profile/profile_builder.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "runtime/format/labels.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

// Overhead of a std::map node in addition to its value; an upper estimate.
constexpr uint64_t kNodeBytes = 64;
constexpr size_t kFirstRows = 1024;
// Twice: Take() copies them.
uint64_t BytesOf(const Labels& labels) {
  uint64_t bytes = 0;
  for (const auto& [key, value] : labels)
    bytes += 2 * (kNodeBytes + 2 * sizeof(std::string) + key.size() + value.size());
  return bytes;
}

auto KeyOf(const BranchCount& row) { return std::tie(row.from, row.to); }
auto KeyOf(const RangeCount& row) { return std::tie(row.module, row.first, row.last); }
auto KeyOf(const SampleCount& row) { return std::tie(row.pc); }

// Sorts the rows and merges equal ones.
template <typename Row>
void Merge(std::vector<Row>* rows) {
  std::sort(rows->begin(), rows->end(), [](const Row& a, const Row& b) { return KeyOf(a) < KeyOf(b); });
  size_t kept = 0;
  for (size_t i = 0; i < rows->size(); ++i) {
    if (kept != 0 && KeyOf((*rows)[kept - 1]) == KeyOf((*rows)[i])) {
      (*rows)[kept - 1].count = SaturatingAdd((*rows)[kept - 1].count, (*rows)[i].count);
    } else {
      (*rows)[kept++] = (*rows)[i];
    }
  }
  rows->resize(kept);
}

// Keeps the larger one of each value, because parts of a session may lack some. So the result does not depend on the
// order.
void MergeSession(const ProfileSession& more, ProfileSession* session) {
#define SOFTLBR_INFO(type, field, number, meaning) session->field = std::max(session->field, more.field);
#include "runtime/counters/session_info.def"
  session->process_id = std::max(session->process_id, more.process_id);
  session->program = std::max(session->program, more.program);
  for (const auto& [key, value] : more.labels) {
    std::string& known = session->labels[key];
    known = std::max(known, value);
  }
  while (session->labels.size() > kMostLabels) session->labels.erase(std::prev(session->labels.end()));
  session->counters = MaxCounters(session->counters, more.counters);
}

void AppendNumber(uint64_t value, std::string* text) {
  for (int i = 0; i < 8; ++i) text->push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

std::string ModuleIdentity(const ProfileModule& module) {
  std::string identity;
  AppendNumber(module.build_id.size(), &identity);
  identity.append(module.build_id.begin(), module.build_id.end());
  if (module.build_id.empty()) {
    AppendNumber(module.name.size(), &identity);
    identity += module.name;
  }
  AppendNumber(module.machine, &identity);
  AppendNumber(module.elf_type, &identity);
  for (const Segment& segment : module.segments) {
    AppendNumber(segment.vaddr, &identity);
    AppendNumber(segment.file_offset, &identity);
    AppendNumber(segment.file_bytes, &identity);
    AppendNumber(segment.memory_bytes, &identity);
    AppendNumber(segment.flags, &identity);
  }
  return identity;
}

bool ProfileBuilder::Charge(uint64_t bytes) {
  if (bytes > budget_ - used_) return false;
  used_ += bytes;
  return true;
}

ProfileBuilder::Session* ProfileBuilder::FindSession(uint64_t session_id, bool* is_new) {
  const auto found = sessions_.find(session_id);
  *is_new = found == sessions_.end();
  if (!*is_new) return &found->second;
  // ProfileSession twice: Take() copies it to Profile::sessions, whose capacity may exceed its size.
  if (!Charge(sizeof(Session) + kNodeBytes + 2 * sizeof(ProfileSession))) return nullptr;
  Session& session = sessions_[session_id];
  session.order = sessions_.size();
  session.content.session_id = session_id;
  return &session;
}

bool ProfileBuilder::MapModules(std::vector<ProfileModule>* modules, std::vector<uint32_t>* numbers) {
  for (ProfileModule& module : *modules) {
    std::string identity = ModuleIdentity(module);
    const auto found = module_numbers_.find(identity);
    if (found != module_numbers_.end()) {
      ProfileModule& known = profile_.modules[found->second];
      known.is_main |= module.is_main;
      if (module.name < known.name) {
        if (!Charge(module.name.size())) return false;
        known.name = std::move(module.name);
      }
      numbers->push_back(found->second);
      continue;
    }
    // The identity is a second copy of the module's data; the vector's capacity may be twice its size.
    if (!Charge(2 * identity.size() + module.name.size() + 3 * sizeof(ProfileModule) + kNodeBytes + sizeof identity))
      return false;
    const auto number = static_cast<uint32_t>(profile_.modules.size());
    module_numbers_.emplace(std::move(identity), number);
    profile_.modules.push_back(std::move(module));
    numbers->push_back(number);
  }
  return true;
}

template <typename Row>
bool ProfileBuilder::MakeRoom(std::vector<Row>* rows, size_t more) {
  if (rows->capacity() - rows->size() >= more) return true;
  Merge(rows);
  // Growing unless merging freed half of the table keeps the cost of sorting amortised.
  const size_t need = rows->size() + more;
  if (need <= rows->capacity() / 2) return true;
  const size_t old_capacity = rows->capacity();
  size_t capacity = std::max({need, old_capacity + old_capacity / 2, kFirstRows});
  if (!Charge(capacity * sizeof(Row))) {
    if (need <= old_capacity) return true;
    capacity = need;
    if (!Charge(capacity * sizeof(Row))) return false;
  }
  rows->reserve(capacity);
  used_ -= old_capacity * sizeof(Row);
  return true;
}

template <typename Row>
bool ProfileBuilder::Append(std::vector<Row>* rows, const std::vector<Row>& more) {
  if (more.empty()) return true;
  if (!MakeRoom(rows, more.size())) return false;
  rows->insert(rows->end(), more.begin(), more.end());
  return true;
}

bool ProfileBuilder::AddContent(ProfileContent content, std::vector<uint32_t>* module_numbers) {
  std::vector<uint32_t> numbers;
  numbers.reserve(content.modules.size());
  if (!MapModules(&content.modules, &numbers)) return false;
  if (module_numbers != nullptr) *module_numbers = numbers;
  // An invalid module index becomes kNoModule. Only profiles built in memory have one: the decoder rejects such frames.
  const auto map = [&numbers](Location* location) {
    *location = location->module < numbers.size() ? Location{numbers[location->module], location->address} : Location{};
  };
  if (rows_ == Rows::kIgnored) {
    content.branches.clear();
    content.ranges.clear();
    content.samples.clear();
  }
  for (BranchCount& row : content.branches) {
    map(&row.from);
    map(&row.to);
  }
  std::erase_if(content.ranges, [&numbers](const RangeCount& row) { return row.module >= numbers.size(); });
  for (RangeCount& row : content.ranges) row.module = numbers[row.module];
  for (SampleCount& row : content.samples) map(&row.pc);
  uint64_t trace_bytes = 0;
  for (Trace& trace : content.traces) {
    map(&trace.sampled_pc);
    for (auto& [from, to] : trace.branches) {
      map(&from);
      map(&to);
    }
    if (visitor_ != nullptr) {
      (*visitor_)(trace);
      continue;
    }
    trace_bytes += trace.branches.capacity() * sizeof trace.branches[0];
  }
  if (!Append(&profile_.branches, content.branches) || !Append(&profile_.ranges, content.ranges) ||
      !Append(&profile_.samples, content.samples)) {
    return false;
  }
  profile_.whole_traces += content.traces.size();
  if (visitor_ != nullptr) return true;
  // Traces are moved, so their branches are not copied. While the vector of traces grows it may take three times its
  // content.
  if (!Charge(trace_bytes + 3 * content.traces.size() * sizeof(Trace))) return false;
  std::move(content.traces.begin(), content.traces.end(), std::back_inserter(profile_.traces));
  return true;
}

bool ProfileBuilder::AddUnknownFrame(uint64_t session_id) {
  bool is_new;
  Session* session = FindSession(session_id, &is_new);
  if (session == nullptr) return false;
  ++session->frames_read;
  return true;
}

bool ProfileBuilder::AddProcess(uint64_t session_id, std::optional<DecodedProcess> process) {
  bool is_new;
  Session* session = FindSession(session_id, &is_new);
  if (session == nullptr || (process && !Charge(2 * process->program.size()))) return false;  // Take() copies it
  if (!process) return true;
  session->content.process_id = process->id;
  session->content.program = std::move(process->program);
  return true;
}

bool ProfileBuilder::AddFrame(uint64_t session_id, bool is_end, DecodedFrame frame) {
  bool is_new;
  Session* session = FindSession(session_id, &is_new);
  if (session == nullptr || !AddContent(std::move(frame))) return false;
  if (frame.info) {
    static_cast<SessionInfo&>(session->content) = *frame.info;
    session->content.session_id = session_id;
  }
  if (frame.counters) session->content.counters = *frame.counters;
  if (frame.labels) {
    const uint64_t known = BytesOf(session->content.labels);
    const uint64_t bytes = BytesOf(*frame.labels);
    if (bytes > known && !Charge(bytes - known)) return false;
    session->content.labels = std::move(*frame.labels);
  }
  if (is_end) {
    session->has_end = true;
    session->frames_written = frame.total_frames.value_or(0);
  } else {
    ++session->frames_read;
  }
  return true;
}

bool ProfileBuilder::AddProfile(Profile profile, std::vector<uint64_t>* repeated, std::vector<uint32_t>* numbers) {
  for (const ProfileSession& more : profile.sessions) {
    bool is_new;
    Session* session = FindSession(more.session_id, &is_new);
    if (session == nullptr || !Charge(BytesOf(more.labels))) return false;
    session->has_end = true;  // the profile's own is_truncated and missing_frames tell what is missing
    if (is_new) {
      session->content = more;
    } else {
      MergeSession(more, &session->content);
      if (repeated != nullptr) repeated->push_back(more.session_id);
    }
  }
  profile_.format_version = std::max(profile_.format_version, profile.format_version);
  profile_.damaged_frames = SaturatingAdd(profile_.damaged_frames, profile.damaged_frames);
  profile_.missing_frames = SaturatingAdd(profile_.missing_frames, profile.missing_frames);
  profile_.repeated_frames = SaturatingAdd(profile_.repeated_frames, profile.repeated_frames);
  profile_.is_truncated |= profile.is_truncated;
  if (!profile.traces_file.empty()) profile_.whole_traces += profile.whole_traces;
  return AddContent(std::move(profile), numbers);
}

Profile ProfileBuilder::Take() {
  Merge(&profile_.branches);
  Merge(&profile_.ranges);
  Merge(&profile_.samples);
  std::vector<const Session*> in_order(sessions_.size());
  for (const auto& [id, session] : sessions_) in_order[session.order - 1] = &session;
  for (const Session* session : in_order) {
    profile_.sessions.push_back(session->content);
    profile_.counters = AddCounters(profile_.counters, session->content.counters);
    if (!session->has_end) {
      profile_.is_truncated = true;
    } else if (session->frames_written > session->frames_read) {
      profile_.missing_frames = SaturatingAdd(profile_.missing_frames, session->frames_written - session->frames_read);
    }
  }
  return std::move(profile_);
}

}  // namespace softlbr::toolchain
