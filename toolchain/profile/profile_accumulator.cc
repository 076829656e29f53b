#include "toolchain/profile/profile_accumulator.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "toolchain/profile/counters.h"

namespace softlbr::toolchain {
namespace {

// What a node of a std::map costs beside its value, generously.
constexpr uint64_t kNodeBytes = 64;
constexpr size_t kFirstRows = 1024;

uint64_t SaturatingSum(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max() : a + b;
}

auto KeyOf(const BranchCount& row) { return std::tie(row.from, row.to); }
auto KeyOf(const RangeCount& row) { return std::tie(row.module, row.first, row.last); }
auto KeyOf(const SampleCount& row) { return std::tie(row.pc); }

// Sorts and adds up equal rows.
template <typename Row>
void Merge(std::vector<Row>* rows) {
  std::sort(rows->begin(), rows->end(), [](const Row& a, const Row& b) { return KeyOf(a) < KeyOf(b); });
  size_t kept = 0;
  for (size_t i = 0; i < rows->size(); ++i) {
    if (kept != 0 && KeyOf((*rows)[kept - 1]) == KeyOf((*rows)[i])) {
      (*rows)[kept - 1].count = SaturatingSum((*rows)[kept - 1].count, (*rows)[i].count);
    } else {
      (*rows)[kept++] = (*rows)[i];
    }
  }
  rows->resize(kept);
}

void AppendNumber(uint64_t value, std::string* text) {
  for (int i = 0; i < 8; ++i) text->push_back(static_cast<char>(value >> (8 * i)));
}

// Equal for modules that are the same file: everything but is_main, which a library may be in one process of several.
std::string IdentityOf(const ProfileModule& module) {
  std::string identity = module.name;
  identity.push_back('\0');
  AppendNumber(module.build_id.size(), &identity);
  identity.append(module.build_id.begin(), module.build_id.end());
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

}  // namespace

bool ProfileAccumulator::Charge(uint64_t bytes) {
  if (bytes > budget_ - used_) return false;
  used_ += bytes;
  return true;
}

ProfileAccumulator::Session* ProfileAccumulator::FindSession(uint64_t session_id) {
  const auto found = sessions_.find(session_id);
  if (found != sessions_.end()) return &found->second;
  // Once here, once as an entry of Profile::sessions.
  if (!Charge(sizeof(Session) + kNodeBytes + 2 * sizeof(SessionInfo))) return nullptr;
  Session& session = sessions_[session_id];
  session.order = sessions_.size();
  session.info.session_id = session_id;
  return &session;
}

bool ProfileAccumulator::MapModules(std::vector<ProfileModule>* modules, std::vector<uint32_t>* numbers) {
  for (ProfileModule& module : *modules) {
    std::string identity = IdentityOf(module);
    const auto found = module_numbers_.find(identity);
    if (found != module_numbers_.end()) {
      profile_.modules[found->second].is_main |= module.is_main;
      numbers->push_back(found->second);
      continue;
    }
    // The identity holds the record's content once more; the vector may be twice as large as what is in it.
    if (!Charge(2 * identity.size() + 3 * sizeof(ProfileModule) + kNodeBytes + sizeof identity)) return false;
    const auto number = static_cast<uint32_t>(profile_.modules.size());
    module_numbers_.emplace(std::move(identity), number);
    profile_.modules.push_back(std::move(module));
    numbers->push_back(number);
  }
  return true;
}

template <typename Row>
bool ProfileAccumulator::MakeRoom(std::vector<Row>* rows, size_t more) {
  if (rows->capacity() - rows->size() >= more) return true;
  Merge(rows);
  // Growing only when merging freed less than half keeps the sorting amortised.
  const size_t need = rows->size() + more;
  if (need <= rows->capacity() / 2) return true;
  const size_t old_capacity = rows->capacity();
  const size_t capacity = std::max({need, old_capacity + old_capacity / 2, kFirstRows});
  if (!Charge(capacity * sizeof(Row))) return need <= old_capacity;
  rows->reserve(capacity);
  used_ -= old_capacity * sizeof(Row);
  return true;
}

template <typename Row>
bool ProfileAccumulator::Append(std::vector<Row>* rows, const std::vector<Row>& more) {
  if (more.empty()) return true;
  if (!MakeRoom(rows, more.size())) return false;
  rows->insert(rows->end(), more.begin(), more.end());
  return true;
}

bool ProfileAccumulator::AddUnknown(uint64_t session_id) {
  Session* session = FindSession(session_id);
  if (session == nullptr) return false;
  ++session->frames_read;
  return true;
}

bool ProfileAccumulator::Add(uint64_t session_id, bool is_end, DecodedFrame frame) {
  Session* session = FindSession(session_id);
  if (session == nullptr) return false;
  std::vector<uint32_t> numbers;
  numbers.reserve(frame.modules.size());
  if (!MapModules(&frame.modules, &numbers)) return false;
  const auto map = [&numbers](uint32_t* module) {
    if (*module != kNoModule) *module = numbers[*module];
  };
  for (BranchCount& row : frame.branches) {
    map(&row.from.module);
    map(&row.to.module);
  }
  for (RangeCount& row : frame.ranges) map(&row.module);
  for (SampleCount& row : frame.samples) map(&row.pc.module);
  uint64_t trace_bytes = 0;
  for (Trace& trace : frame.traces) {
    map(&trace.sampled_pc.module);
    for (auto& [from, to] : trace.branches) {
      map(&from.module);
      map(&to.module);
    }
    trace_bytes += trace.branches.capacity() * sizeof trace.branches[0];
  }
  if (!Append(&profile_.branches, frame.branches) || !Append(&profile_.ranges, frame.ranges) ||
      !Append(&profile_.samples, frame.samples)) {
    return false;
  }
  // Traces are moved: their branches stay where they are. The vector of them may grow to three times its content
  // meanwhile.
  if (!Charge(trace_bytes + 3 * frame.traces.size() * sizeof(Trace))) return false;
  std::move(frame.traces.begin(), frame.traces.end(), std::back_inserter(profile_.traces));

  if (frame.info) {
    session->info = *frame.info;
    session->info.session_id = session_id;
  }
  if (frame.counters) session->counters = *frame.counters;
  if (is_end) {
    session->has_end = true;
    session->frames_written = frame.total_frames.value_or(0);
  } else {
    ++session->frames_read;
  }
  return true;
}

Profile ProfileAccumulator::Take() {
  Merge(&profile_.branches);
  Merge(&profile_.ranges);
  Merge(&profile_.samples);
  std::vector<const Session*> in_order(sessions_.size());
  for (const auto& [id, session] : sessions_) in_order[session.order - 1] = &session;
  for (const Session* session : in_order) {
    profile_.sessions.push_back(session->info);
    profile_.counters = AddCounters(profile_.counters, session->counters);
    if (!session->has_end) {
      profile_.is_truncated = true;
    } else if (session->frames_written > session->frames_read) {
      profile_.missing_frames = SaturatingSum(profile_.missing_frames, session->frames_written - session->frames_read);
    }
  }
  return std::move(profile_);
}

}  // namespace softlbr::toolchain
