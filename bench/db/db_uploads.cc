// Writes synthetic uploads of real programs for bench/db/db.sh and bench/db/db_many.sh: what a fleet would send, with
// as many builds of each program as are needed for a number of executed instructions.
//
// The code of each file is decoded once, from the start of .text to its end, into pieces: what runs up to the next
// branch. A build is a copy of the file with another build id. It executes a part of the pieces, chosen by hashes of
// addresses and of the build's number, as is which conditional branches are taken, and how often: a few functions very
// often, most seldom. UPLOADS uploads tell of each build. Of two, each has seen most of these pieces; of more, each has
// seen the less. So the same arguments give the same uploads.
//
// Prints the number of distinct instructions, what their counts add up to, uploads and builds, as the database must
// have them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/slbr_format.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile_reader.h"

namespace {

using namespace softlbr;
using namespace softlbr::toolchain;

constexpr uint64_t kExecutedPercent = 30;  // of the runs of a build
constexpr uint64_t kSeenPercent = 160;     // of these, by all uploads of a build together
constexpr uint64_t kTakenPercent = 30;     // conditional branches
constexpr uint64_t kMostPieces = 500;      // of a run; longer ones are data

uint64_t Hash(uint64_t value, uint64_t build) {
  value += 0x9e3779b97f4a7c15 * (build + 1);
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

// The instructions up to a branch, and the branch.
struct Piece {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t instructions = 0;
  uint64_t target = 0;  // 0: not in the code
};

// Pieces that execution falls through, one after another: all but the last end with a conditional branch.
using Run = std::vector<Piece>;

std::vector<Run> DecodeRuns(const ElfImage& image, const Decoder& decoder) {
  const ElfSection* text = image.FindSection(".text");
  std::vector<Run> runs;
  if (text == nullptr) return runs;
  Run run;
  Piece piece;
  softlbr_block block;
  const size_t window = size_t{SOFTLBR_BLOCK_MAX_INSTRUCTIONS} * decoder.plugin().max_instruction_bytes;
  for (uint64_t at = text->vaddr; at < text->vaddr + text->bytes;) {
    const std::span<const uint8_t> code = image.CodeAt(at, window);
    if (code.empty()) break;
    const bool is_lifted = decoder.Lift(code, at, &block) && block.instruction_count != 0;
    if (piece.instructions == 0) piece.first = at;
    for (uint32_t i = 0; is_lifted && i < block.instruction_count; ++i) {
      piece.last = at;
      ++piece.instructions;
      at += block.length[i];
    }
    const uint32_t kind = is_lifted ? uint32_t{block.end.kind} : uint32_t{SOFTLBR_END_UNDECODABLE};
    if (kind == SOFTLBR_END_FALLTHROUGH || kind == SOFTLBR_END_SYSCALL) continue;
    if (kind != SOFTLBR_END_UNDECODABLE) {
      const softlbr_terminator& end = block.end;
      if (end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0) {
        piece.target = block.pc + static_cast<uint64_t>(end.disp);
        if (piece.target < text->vaddr || piece.target >= text->vaddr + text->bytes) piece.target = 0;
      }
      if (IsRange(piece.first, piece.last)) run.push_back(piece);
    } else {
      ++at;
    }
    piece = {};
    if (kind == SOFTLBR_END_CONDITIONAL && run.size() < kMostPieces) continue;
    if (!run.empty() && run.size() < kMostPieces) runs.push_back(run);
    run.clear();
  }
  return runs;
}

// A power of two: half of the pieces once, a quarter twice, and so on.
uint64_t Executions(uint64_t hash) { return uint64_t{1} << std::min(__builtin_ctzll(hash | 1ull << 20), 20); }

struct Totals {
  uint64_t rows = 0;
  uint64_t executed = 0;
  uint64_t uploads = 0;
  uint64_t builds = 0;
};

class Fleet {
 public:
  // uploads: of each build.
  Fleet(std::string folder, uint64_t rows, uint64_t uploads)
      : folder_(std::move(folder)), rows_(rows), uploads_(uploads) {}

  // False if there are rows enough.
  bool AddBuild(const ElfImage& image, const std::vector<Run>& runs, uint64_t build) {
    ProfileModule module;
    module.name = folder_ + "/" + image.path().substr(image.path().rfind('/') + 1) + "." + std::to_string(build);
    module.build_id = WriteBuild(image, module.name, build);
    module.machine = image.machine();
    module.elf_type = image.type();
    module.is_main = true;
    module.segments = image.segments();
    // The last build executes only what is missing. A piece has some ten instructions.
    size_t end = 0;
    for (; end < runs.size() && totals_.rows < rows_; ++end) {
      if (IsExecuted(runs[end], build)) totals_.rows += Instructions(runs[end]);
    }
    const std::vector<Run> of_build(runs.begin(), runs.begin() + static_cast<ptrdiff_t>(end));
    for (uint64_t upload = 0; upload < uploads_; ++upload) {
      Profile profile;
      profile.format_version = 1;
      profile.modules = {module};
      ProfileSession session{};
      session.arch = image.machine();
      session.session_id = ++totals_.uploads;
      session.program = "program";
      session.start_time_unix_s = 1700000000 + totals_.uploads;
      profile.sessions = {session};
      AddRows(of_build, build, upload, &profile);
      const std::string error = WriteProfileFile(profile, folder_ + "/" + std::to_string(totals_.uploads) + ".slbr");
      if (!error.empty()) Fail(error);
    }
    ++totals_.builds;
    return totals_.rows < rows_;
  }

  const Totals& totals() const { return totals_; }

  [[noreturn]] static void Fail(const std::string& error) {
    std::fprintf(stderr, "db_uploads: %s\n", error.c_str());
    std::exit(1);
  }

 private:
  static uint64_t Instructions(const Run& run) {
    uint64_t sum = 0;
    for (const Piece& piece : run) sum += piece.instructions;
    return sum;
  }

  static bool IsExecuted(const Run& run, uint64_t build) { return Hash(run[0].first, build) % 100 < kExecutedPercent; }

  // Every executed run is seen by one upload at least.
  bool IsSeen(const Run& run, uint64_t build, uint64_t upload) const {
    const uint64_t hash = Hash(run[0].first + 1, build);
    return hash % uploads_ == upload || Hash(hash, upload) % (100 * uploads_) < kSeenPercent;
  }

  // Copies the program with another build id, which it returns.
  static std::vector<uint8_t> WriteBuild(const ElfImage& image, const std::string& path, uint64_t build) {
    std::vector<uint8_t> bytes(image.bytes().begin(), image.bytes().end());
    std::vector<uint8_t> id = image.build_id();
    const auto at = std::search(bytes.begin(), bytes.end(), id.begin(), id.end());
    for (size_t i = 0; i < 4; ++i) id[i] = static_cast<uint8_t>(id[i] ^ (build + 1) >> (8 * i));
    std::copy(id.begin(), id.end(), at);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return id;
  }

  void AddRows(const std::vector<Run>& runs, uint64_t build, uint64_t upload, Profile* profile) {
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> branches;
    uint64_t entry = runs[0][0].first;  // of the run before: where returns and indirect branches go
    for (const Run& run : runs) {
      if (!IsExecuted(run, build) || !IsSeen(run, build, upload)) continue;
      const uint64_t weight = Executions(Hash(run[0].first >> 9, build)) * (1 + upload % 2);
      uint64_t first = run[0].first;
      uint64_t instructions = 0;
      for (size_t i = 0; i < run.size(); ++i) {
        const Piece& piece = run[i];
        instructions += piece.instructions;
        const bool is_taken =
            i + 1 == run.size() || (piece.target != 0 && Hash(piece.last, build) % 100 < kTakenPercent);
        if (!is_taken && IsRange(first, run[i + 1].last)) continue;
        const uint64_t count = weight * (1 + Hash(piece.first, build) % 3);
        profile->ranges.push_back({0, first, piece.last, count});
        totals_.executed += count * instructions;
        branches[{piece.last, piece.target != 0 ? piece.target : entry}] += count;
        if (Hash(piece.last, upload) % 32 == 0) profile->samples.push_back({{0, piece.last}, 1});
        if (i + 1 < run.size()) first = run[i + 1].first;
        instructions = 0;
      }
      entry = run[0].first;
    }
    for (const auto& [branch, count] : branches)
      profile->branches.push_back({{0, branch.first}, {0, branch.second}, count});
  }

  std::string folder_;
  uint64_t rows_;
  uint64_t uploads_;
  Totals totals_;
};

}  // namespace

int main(int argc, char** argv) {
  const uint64_t uploads = argc < 5 ? 0 : std::strtoull(argv[3], nullptr, 10);
  if (uploads == 0) {
    std::fprintf(stderr, "usage: db_uploads FOLDER ROWS UPLOADS FILE...\n");
    return 2;
  }
  struct Program {
    ElfImagePtr image;
    std::vector<Run> runs;
  };
  std::vector<Program> programs;
  for (int i = 4; i < argc; ++i) {
    const auto opened = ElfImage::Open(argv[i]);
    if (std::holds_alternative<std::string>(opened)) Fleet::Fail(std::get<std::string>(opened));
    Program program{std::get<ElfImagePtr>(opened), {}};
    const std::shared_ptr<Decoder> decoder = Decoder::ForMachine(program.image->machine());
    if (decoder != nullptr && program.image->build_id().size() >= 4)
      program.runs = DecodeRuns(*program.image, *decoder);
    if (program.runs.empty())
      Fleet::Fail(std::string(argv[i]) + ": no build id, no decoder or no code; name another program");
    programs.push_back(std::move(program));
  }
  Fleet fleet(argv[1], std::strtoull(argv[2], nullptr, 10), uploads);
  for (uint64_t build = 0, is_more = 1; is_more != 0; ++build) {
    for (const Program& program : programs) {
      if (is_more != 0) is_more = fleet.AddBuild(*program.image, program.runs, build) ? 1 : 0;
    }
  }
  const Totals& totals = fleet.totals();
  std::printf("%llu %llu %llu %llu\n", static_cast<unsigned long long>(totals.rows),
              static_cast<unsigned long long>(totals.executed), static_cast<unsigned long long>(totals.uploads),
              static_cast<unsigned long long>(totals.builds));
  return 0;
}
