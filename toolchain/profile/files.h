// Reads profiles and writes results, with the warnings and progress lines that all commands share.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "toolchain/host/failure.h"
#include "toolchain/profile/module_code.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// One line on stderr: "softlbr: <text>". By one write, so that what a recorded program writes there comes before or after it.
void Say(const std::string& text);
// "softlbr: warning: <text>".
void Warn(const std::string& text);

// What becomes of rows of a lean profile whose module's file was not found.
enum class WithoutCode { kFails, kWarns };

// Thrown by LoadProfile for a file that is there but holds no profile that can be read.
class UnreadableProfile : public StatedFailure {
 public:
  using StatedFailure::StatedFailure;
};

// Whether LoadProfile warns about what is damaged, missing or cut.
enum class DamageWarnings { kGiven, kLeftOut };

// Reads a profile; StatedFailure if that fails. code: for the lean form. Warns about damaged and missing frames and about a truncated file. Whole traces,
// which may exceed the memory, stay in the file if it can be read again: VisitTraces gets them one by one.
Profile LoadProfile(const std::string& path, CodeFinder* code, WithoutCode without_code = WithoutCode::kFails,
                    DamageWarnings warnings = DamageWarnings::kGiven);

// The modules of Profile::missing_code with their build ids, the cause and the remedy, in one line. For missing_code that is not empty.
std::string DescribeMissingCode(const Profile& profile);

// The profiles that the paths name; a folder names its files that end in .slbr, in the order of their names. StatedFailure if it has none.
std::vector<std::string> ListProfiles(const std::vector<std::string>& paths);
// LoadProfile, or the sum of several, of whose whole traces only the number is kept. StatedFailure if it does not fit the memory.
Profile LoadProfiles(const std::vector<std::string>& paths, CodeFinder* code, WithoutCode without_code);

// Calls visit with every whole trace of a profile. StatedFailure if its file cannot be read again or has changed.
void VisitTraces(const Profile& profile, const TraceVisitor& visit);

// Writes `content` to `path` ("-": stdout) through a temporary file in the same folder, so that a failure leaves an existing file
// unchanged. StatedFailure with cause and remedy.
void WriteResult(const std::string& path, std::string_view content);

// StatedFailure if `output` is one of the files `inputs`, by whatever name or link: the result would destroy what it was made from. Names
// of no file are passed over, so "-" and names of modules may be among either.
void RefuseInputAsOutput(const std::string& output, const std::vector<std::string>& inputs);

// Gives WriteResult's guarantee when another function does the writing: let it write to temporary(), then Commit().
class ReplacedFile {
 public:
  explicit ReplacedFile(std::string path);
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;
  ~ReplacedFile();  // removes the temporary file unless committed

  const std::string& temporary() const { return temporary_; }
  void Commit();  // renames the temporary file to `path`; StatedFailure if that fails

 private:
  std::string path_;
  std::string temporary_;
  bool is_committed_ = false;
};

// WriteResult in parts, for results that need not fit into memory. Creates nothing before the first Write().
class ResultWriter {
 public:
  explicit ResultWriter(std::string path);
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;
  ~ResultWriter();

  void Write(std::string_view part);
  void Commit();                               // call last; StatedFailure if not all could be written
  bool is_empty() const { return is_empty_; }  // nothing has been written

 private:
  void Flush();

  std::string path_;
  std::unique_ptr<ReplacedFile> file_;  // null for standard output
  int fd_ = -1;
  std::string buffer_;
  bool is_empty_ = true;
};

// Writes a file's content to standard output. StatedFailure if that fails.
void CopyToStandardOutput(const std::string& path);

// A status line on stderr for work without a measure of progress. Shown only on a terminal, after one second.
class Waiting {
 public:
  explicit Waiting(std::string what);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();  // erases the line

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

// A percentage on stderr, updated in place. Shown only on a terminal, after one second.
class Progress {
 public:
  Progress(std::string what, uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // erases the line

  void Step(uint64_t done);

 private:
  std::string what_;
  uint64_t total_;
  bool is_terminal_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_FILES_H_
