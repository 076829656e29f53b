#include "toolchain/base/result_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

void WriteAll(int fd, std::string_view content, const std::string& shown) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw StatedFailure(shown + ": cannot be written: " + std::strerror(errno));
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

bool IsSpecialFile(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void RefuseInputAsOutput(const std::string& output, const std::vector<std::string>& inputs) {
  struct stat written {};
  if (stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) return;
  for (const std::string& input : inputs) {
    struct stat read {};
    if (stat(input.c_str(), &read) != 0 || read.st_dev != written.st_dev || read.st_ino != written.st_ino) continue;
    throw StatedFailure(SafeText(output) + " is also the input" + (input == output ? "" : " " + SafeText(input)) +
                        "; name another file with -o");
  }
}

ReplacedFile::ReplacedFile(std::string path) : path_(std::move(path)) {
  temporary_ = IsSpecialFile(path_) ? path_ : path_ + ".tmp" + std::to_string(getpid());
}

ReplacedFile::~ReplacedFile() {
  if (!is_committed_ && temporary_ != path_) unlink(temporary_.c_str());
}

void ReplacedFile::Commit() {
  if (temporary_ != path_ && std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw StatedFailure(SafeText(path_) + ": cannot be written: " + std::strerror(errno));
  }
  is_committed_ = true;
}

ResultWriter::ResultWriter(std::string path) : path_(std::move(path)) {}

ResultWriter::~ResultWriter() {
  if (file_ != nullptr && fd_ >= 0) close(fd_);
}

void ResultWriter::Write(std::string_view part) {
  constexpr size_t kBufferBytes = 1 << 20;
  if (part.empty()) return;
  is_empty_ = false;
  buffer_ += part;
  if (buffer_.size() >= kBufferBytes) Flush();
}

void ResultWriter::Flush() {
  if (path_ == "-") {
    WriteAll(STDOUT_FILENO, buffer_, "standard output");
  } else {
    if (file_ == nullptr) {
      file_ = std::make_unique<ReplacedFile>(path_);
      fd_ = open(file_->temporary().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
      if (fd_ < 0) throw StatedFailure(SafeText(path_) + ": cannot be created: " + std::strerror(errno));
    }
    WriteAll(fd_, buffer_, SafeText(path_));
  }
  buffer_.clear();
}

void ResultWriter::Commit() {
  Flush();
  if (file_ == nullptr) return;
  if (close(std::exchange(fd_, -1)) != 0)
    throw StatedFailure(SafeText(path_) + ": cannot be written: " + std::strerror(errno));
  file_->Commit();
}

void WriteResult(const std::string& path, std::string_view content) {
  ResultWriter writer(path);
  writer.Write(content);
  writer.Commit();
}

void CopyToStandardOutput(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    WriteAll(STDOUT_FILENO, {buffer.data(), static_cast<size_t>(file.gcount())}, "standard output");
  }
  if (!file.eof()) throw StatedFailure(SafeText(path) + ": cannot be read: " + std::strerror(errno));
}

}  // namespace softlbr::toolchain
