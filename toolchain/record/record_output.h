// Where `softlbr record` writes the profile, so that a profile already there is replaced only by one that holds
// something.
//
// An existing file stays as it is until Keep(): the new profile is written beside it, or, if the folder does not permit
// that, to a temporary file that is copied. A folder gets a file for each process image at the end (profile_split.h);
// until then one file in it holds everything. A name that ends with a slash becomes a folder. A new file and a device
// or pipe are written directly. "-" is standard output, which is written at the end; so is a device or pipe if several
// processes record, because it would mix their frames. Files are opened for appending, because several processes write
// to them. If this command is killed, the program and its helper still complete the file that they write to.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_RECORD_OUTPUT_H_
#define SOFTLBR_TOOLCHAIN_RECORD_RECORD_OUTPUT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace softlbr::toolchain {

// An open file descriptor, closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// Moves a descriptor to a high number, so that the program gets the low numbers that it would get without us. Sets
// close-on-exec.
Descriptor MoveHigh(Descriptor low);

class RecordOutput {
 public:
  // StatedFailure if nothing can be written there.
  explicit RecordOutput(const std::string& path, bool has_several_writers = false);
  RecordOutput(const RecordOutput&) = delete;
  RecordOutput& operator=(const RecordOutput&) = delete;
  ~RecordOutput();  // as Discard(), unless Keep() was called

  int descriptor() const { return fd_.get(); }  // for the program, close-on-exec
  bool is_standard_output() const { return path_ == "-"; }
  bool is_folder() const { return mode_ == Mode::kFolder; }
  std::string shown() const;                                // for messages
  bool is_file() const { return mode_ != Mode::kSpecial; }  // false: what was written cannot be read back
  std::string content_path() const;                         // the profile, until Keep() or Discard()
  uint64_t content_bytes() const;                           // 0 if not is_file()
  // of an empty file to Discard(): errno of writing one byte, 0 if that works
  int TryToWrite() const;
  bool has_earlier() const { return has_earlier_; }  // there is a profile from before, untouched so far

  // Calls `write` with the path of a new file, and replaces the profile by that file if `write` returns true and the
  // file is smaller. No process may still write to the profile. A kill in between leaves one of the two. Returns
  // whether the profile was replaced.
  bool Rewrite(const std::function<bool(const std::string& path)>& write);
  // The profile is complete: puts it in its place. StatedFailure if that fails.
  void Keep();
  // Removes the new profile and leaves the earlier one.
  void Discard();

 private:
  enum class Mode { kNewFile, kBeside, kCopied, kSpecial, kFolder };

  void OpenTemporary();
  void OpenInFolder();

  std::string path_;       // as named by the user
  std::string target_;     // the file to replace, symbolic links followed
  std::string temporary_;  // kBeside and kFolder: its path
  Mode mode_ = Mode::kNewFile;
  Descriptor fd_;
  bool has_earlier_ = false;
  bool is_done_ = false;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_RECORD_OUTPUT_H_
