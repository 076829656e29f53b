#include "platform/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "platform/dynamic_library.h"
#include "platform/linux/text_lines.h"
#include "platform/syscall_filter.h"

namespace softlbr::platform {
namespace {

std::string TemporaryPath() { return "/tmp/softlbr_file_test_" + std::to_string(getpid()); }

void Write(const std::string& path, const std::string& text) {
  const long fd = OpenForWrite(path.c_str());
  ASSERT_GE(fd, 0);
  EXPECT_EQ(WriteAll(static_cast<int>(fd), text.data(), text.size()), Status::kOk);
  CloseFile(static_cast<int>(fd));
}

TEST(File, WritesTruncatesAndReads) {
  const std::string path = TemporaryPath();
  Write(path, "a longer text");
  Write(path, "short");
  const long fd = OpenForRead(path.c_str());
  ASSERT_GE(fd, 0);
  EXPECT_EQ(fcntl(static_cast<int>(fd), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  char buffer[32] = {};
  EXPECT_EQ(ReadSome(static_cast<int>(fd), buffer, sizeof(buffer)), 5);
  EXPECT_STREQ(buffer, "short");
  EXPECT_EQ(ReadSome(static_cast<int>(fd), buffer, sizeof(buffer)), 0);
  CloseFile(static_cast<int>(fd));
  EXPECT_EQ(fcntl(static_cast<int>(fd), F_GETFD), -1);
  struct stat file = {};
  stat(path.c_str(), &file);
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(file.st_mode & 0777, 0644 & ~mask);
  unlink(path.c_str());
}

TEST(File, FailuresAreNegativeErrno) {
  EXPECT_EQ(OpenForRead("/nonexistent/softlbr"), -ENOENT);
  EXPECT_EQ(OpenForWrite("/nonexistent/softlbr"), -ENOENT);
  EXPECT_EQ(WriteAll(-1, "x", 1), Status::kSystemError);
  EXPECT_EQ(WriteAll(-1, "x", 0), Status::kOk);
}

TEST(File, WriteAllSurvivesShortWritesAndInterruption) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string sent(1 << 20, 'z');  // exceeds the capacity of a pipe
  std::string received;
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm_only, nullptr);  // the reader must not be interrupted
  std::thread reader([&] {
    char buffer[5000];
    ssize_t bytes;
    while ((bytes = read(ends[0], buffer, sizeof(buffer))) > 0) received.append(buffer, static_cast<size_t>(bytes));
  });
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  sigaction(SIGALRM, &action, &old);
  ualarm(300, 300);
  EXPECT_EQ(WriteAll(ends[1], sent.data(), sent.size()), Status::kOk);
  ualarm(0, 0);
  close(ends[1]);
  reader.join();
  close(ends[0]);
  sigaction(SIGALRM, &old, nullptr);
  EXPECT_EQ(received, sent);
}

// Limits each read to two bytes.
long ReadTwo(long number, long arguments[6], bool* handled) {
  if (number != SYS_read || arguments[2] <= 2) return 0;
  *handled = true;
  return syscall(SYS_read, arguments[0], arguments[1], 2);
}

std::vector<std::string> Lines(const std::string& text, uint64_t buffer_bytes, bool in_small_reads) {
  const std::string path = TemporaryPath();
  Write(path, text);
  std::vector<char> buffer(buffer_bytes);
  std::vector<std::string> result;
  if (in_small_reads) SetSyscallFilterForTest(ReadTwo);
  {
    TextLines lines(path.c_str(), buffer.data(), buffer.size());
    EXPECT_TRUE(lines.IsOpen());
    while (const char* line = lines.Next()) result.emplace_back(line);
    EXPECT_FALSE(lines.HasFailed());
  }
  SetSyscallFilterForTest(nullptr);
  unlink(path.c_str());
  return result;
}

TEST(TextLines, SplitsAtNewlinesForAnyReadSize) {
  using List = std::vector<std::string>;
  for (const bool small : {false, true}) {
    EXPECT_EQ(Lines("", 16, small), List{});
    EXPECT_EQ(Lines("\n", 16, small), List{""});
    EXPECT_EQ(Lines("one\ntwo\n", 16, small), (List{"one", "two"}));
    EXPECT_EQ(Lines("one\n\ntwo", 16, small), (List{"one", "", "two"})) << "a last line without newline";
    EXPECT_EQ(Lines("one\ntwo\nthree\nfour\n", 7, small), (List{"one", "two", "three", "four"}));
  }
}

TEST(TextLines, CutsALineThatDoesNotFitAndSkipsItsRest) {
  using List = std::vector<std::string>;
  for (const bool small : {false, true}) {
    EXPECT_EQ(Lines("0123456789abcdef\nnext\n", 8, small), (List{"0123456", "next"}));
    EXPECT_EQ(Lines("a\n0123456789abcdef", 8, small), (List{"a", "0123456"}));
    EXPECT_EQ(Lines("012345\nb\n", 8, small), (List{"012345", "b"})) << "just fits";
    EXPECT_EQ(Lines("0123456\nb\n", 8, small), (List{"0123456", "b"})) << "fits without its newline";
    EXPECT_EQ(Lines("01234567\nb\n", 8, small), (List{"0123456", "b"}));
  }
}

TEST(TextLines, MissingFileHasNoLines) {
  char buffer[8];
  TextLines lines("/nonexistent/softlbr", buffer, sizeof(buffer));
  EXPECT_FALSE(lines.IsOpen());
  EXPECT_EQ(lines.Next(), nullptr);
}

TEST(TextLines, ParsesNumbers) {
  const char* text = "7fffffffe000-x";
  EXPECT_EQ(ParseHex(&text), 0x7fffffffe000u);
  EXPECT_EQ(*text, '-');
  text = "00120 9";
  EXPECT_EQ(ParseDecimal(&text), 120u);
  SkipSpace(&text);
  EXPECT_EQ(ParseDecimal(&text), 9u);
  text = "SigPnd:\t0";
  EXPECT_FALSE(SkipPrefix(&text, "SigPndX"));
  EXPECT_TRUE(SkipPrefix(&text, "SigPnd:"));
  EXPECT_EQ(*text, '\t');
}

TEST(DynamicLibrary, LoadsASymbolOrReportsTheError) {
  void* address = nullptr;
  ASSERT_EQ(LoadSymbol("libm.so.6", "fabs", &address), Status::kOk);
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(address)(-3.0), 3.0);
  void* untouched = &address;
  EXPECT_EQ(LoadSymbol("/nonexistent/libsoftlbr.so", "fabs", &untouched), Status::kSystemError);
  EXPECT_EQ(LoadSymbol("libm.so.6", "softlbr_no_such_symbol", &untouched), Status::kIncompatiblePlugin);
  EXPECT_EQ(untouched, &address);
}

// An app that closes a descriptor may rely on getting its number from the next open.
TEST(File, LeavesTheLowestDescriptorToTheApp) {
  const int lowest = dup(0);
  ASSERT_GE(lowest, 0);
  close(lowest);
  const long ours = OpenForRead("/proc/self/maps");
  ASSERT_GE(ours, 0);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_GE(static_cast<rlim_t>(ours), limit.rlim_cur >= 1024 ? 512 : limit.rlim_cur / 2);
  EXPECT_EQ(fcntl(static_cast<int>(ours), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  const int next = dup(0);
  EXPECT_EQ(next, lowest);
  close(next);
  char byte;
  EXPECT_EQ(ReadSome(static_cast<int>(ours), &byte, 1), 1);
  CloseFile(static_cast<int>(ours));
}

TEST(File, UsesALowDescriptorIfNoHighOneIsLeft) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const int left = dup(0);  // the lowest free number
  close(left);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(left) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const long ours = OpenForRead("/proc/self/maps");
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(ours, left);
  if (ours >= 0) CloseFile(static_cast<int>(ours));
}

}  // namespace
}  // namespace softlbr::platform
