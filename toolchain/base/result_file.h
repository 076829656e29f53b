// Writes results: a failure leaves an existing file as it was.
#ifndef SOFTLBR_TOOLCHAIN_BASE_RESULT_FILE_H_
#define SOFTLBR_TOOLCHAIN_BASE_RESULT_FILE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::toolchain {

// True for a device, pipe or socket: it is written to directly and not replaced.
bool IsSpecialFile(const std::string& path);

// Writes `content` to `path` ("-": stdout) through a temporary file in the same folder, so that a failure leaves an
// existing file unchanged. StatedFailure with cause and remedy.
void WriteResult(const std::string& path, std::string_view content);

// StatedFailure if `output` is one of the files `inputs`, by whatever name or link: the result would destroy what it
// was made from. Names of no file are passed over, so "-" and names of modules may be among either.
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

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_RESULT_FILE_H_
