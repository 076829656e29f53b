// Writes the seeds of corpus/profile_reader. Use: make_profile_corpus FOLDER, after each change of the format.
// The files have no .slbr extension, because .gitignore excludes those.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/elf_machine.h"
#include "platform/base/sample_event.h"
#include "tests/toolchain/profile/profile_forge.h"
#include "tests/toolchain/profile/profile_samples.h"
#include "toolchain/profile/profile_reader.h"

namespace {

using softlbr::SectionId;
using softlbr::test::Append;
using softlbr::test::Bytes;
using softlbr::test::Frame;
using softlbr::test::OneModule;
using softlbr::test::SampleProfile;
using softlbr::test::Section;
using softlbr::test::Varints;

std::string g_folder;
bool g_is_good = true;

void Put(const std::string& name, const Bytes& bytes) {
  std::ofstream out(g_folder + "/" + name, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  g_is_good &= out.good();
}

// Branches and ranges of a flow section.
Bytes WithFlow() {
  softlbr::toolchain::Profile profile;
  profile.sessions.emplace_back().session_id = 1;
  profile.modules.resize(1);
  profile.modules[0].name = "m";
  profile.modules[0].build_id = {1, 2, 3, 4};
  profile.branches = {{{0, 0x5000}, {0, 0x5020}, 3}, {{0, 0x5024}, {0, 0x5000}, 2}, {{0, 0x5024}, {0, 0x5044}, 1}};
  profile.ranges = {{0, 0x5000, 0x5000, 2}, {0, 0x5020, 0x5024, 3}};
  char* text = nullptr;
  size_t count = 0;
  std::FILE* file = open_memstream(&text, &count);
  g_is_good &= softlbr::toolchain::WriteProfile(profile, file).empty();
  std::fclose(file);
  const Bytes bytes(text, text + count);
  std::free(text);
  return bytes;
}

Bytes WithLabels(const std::vector<std::pair<std::string, std::string>>& labels) {
  Bytes body;
  for (const auto& [key, value] : labels) {
    for (const std::string& text : {key, value}) {
      body.push_back(static_cast<uint8_t>(text.size()));
      body.insert(body.end(), text.begin(), text.end());
    }
  }
  Bytes payload = OneModule();
  Append(&payload, Section(SectionId::kLabels, body));
  return softlbr::test::File({Frame(payload)});
}

Bytes WithModule(SectionId id, std::initializer_list<uint64_t> values) {
  Bytes payload = OneModule();
  Append(&payload, Section(id, Varints(values)));
  return softlbr::test::File({Frame(payload)});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  g_folder = argv[1];
  Put("session", SampleProfile({.flushes = 1, .traces = 2}));
  Put("traces", SampleProfile({.flushes = 1, .traces = 2, .keep_traces = true}));
  Put("no_end", SampleProfile({.flushes = 1, .traces = 1, .has_end = false}));
  Bytes two = SampleProfile({.session_id = 1, .flushes = 1, .traces = 1});
  Append(&two, SampleProfile({.session_id = 2, .seed = 2, .flushes = 1, .traces = 1}));
  Put("two_sessions", two);
  Bytes cut = SampleProfile({.flushes = 2, .traces = 1});
  cut.resize(cut.size() * 2 / 3);
  Put("cut", cut);
  Bytes flipped = SampleProfile({.flushes = 2, .traces = 1});
  flipped[flipped.size() / 2] ^= 0x10;
  Put("flipped", flipped);
  Put("branches", WithModule(SectionId::kBranches, {2, 5, 3, 0, 9, 4, 2}));
  Put("ranges", WithModule(SectionId::kRanges, {2, 5, 3, 7, 0, 4, 2}));
  Put("samples", WithModule(SectionId::kSamples, {2, 5, 3, 7, 4}));
  Put("whole_traces", WithModule(SectionId::kTraces, {9, 0, 5, 1, 4, 8, 9, 11, 5, 0}));
  Put("info",
      WithModule(SectionId::kInfo, {1, softlbr::kMachineX86_64, 2,
                                    static_cast<uint64_t>(softlbr::platform::SampleEvent::kTaskClock), 3, 1, 4, 1000}));
  Put("counters", WithModule(SectionId::kCounters, {1, 62, 0x103, 5, 0x203, 1, 99, 1000}));
  Put("huge_count", WithModule(SectionId::kBranches, {~0ull, 5, 3, 2}));
  Put("unknown_section", WithModule(static_cast<SectionId>(77), {1, 2, 3}));
  Put("labels", WithLabels({{"app_version", "1.2"}, {"arm", "B"}}));
  Put("labels_none", WithLabels({}));
  Put("labels_twice", WithLabels({{"arm", "A"}, {"arm", "B"}}));
  Put("labels_too_many", WithLabels(std::vector<std::pair<std::string, std::string>>(17, {"arm", ""})));
  Put("labels_control", WithLabels({{"arm", "\x1b[2J"}}));
  Put("labels_cut", WithModule(SectionId::kLabels, {3, 'a', 'r', 'm', 64, 'B'}));
  Put("flow", WithFlow());
  for (const auto& [name, version] : {std::pair{"older", 1}, std::pair{"newer", 9}}) {
    softlbr::test::Forged other;
    other.version = static_cast<uint8_t>(version);
    Bytes bytes = softlbr::test::Magic();
    Append(&bytes, Frame(OneModule(), other));
    Put(name, bytes);
  }
  // No file is empty or has the magic alone: those are among the truncated copies of "older".
  // What compaction makes smaller.
  Put("long_session", SampleProfile({.flushes = 12, .traces = 1}));
  Bytes with_process = SampleProfile({.flushes = 12, .traces = 1, .has_end = false});
  Bytes process = Varints({77});
  Append(&process, {'a', 'p', 'p'});
  softlbr::test::Forged of_process;
  of_process.kind = static_cast<uint8_t>(softlbr::FrameKind::kProcess);
  Append(&with_process, Frame(Section(SectionId::kProcess, process), of_process));
  Put("long_with_process", with_process);
  if (!g_is_good) std::fprintf(stderr, "make_profile_corpus: cannot write to %s\n", argv[1]);
  return g_is_good ? 0 : 1;
}
