// Names as compilers write them, and hostile ones, which stay as they are. c++filt and llvm-cxxfilt are asked, too.
#include "toolchain/symbols/demangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

TEST(Demangle, PrintsNamesOfRust) {
  const std::pair<const char*, const char*> names[] = {
      {"_RNvMs3_NtCslNYArtu3iFV_5alloc7raw_vecINtB5_6RawVecINtNtB7_5boxed3BoxDNtCs6GmmlP4bgsG_1r5ShapeEL_EE8grow_"
       "oneB17_",
       "<alloc::raw_vec::RawVec<alloc::boxed::Box<dyn r::Shape>>>::grow_one"},
      {"_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRDNtB6_5DebugEL_Bx_3fmtB8_",
       "<&dyn core::fmt::Debug as core::fmt::Debug>::fmt"},
      {"_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genFG0_RL1_eQL0_ShERL1_eEB6_",
       "r::inner::deep::gen::<for<'a, 'b> fn(&'a str, &'b mut [u8]) -> &'a str>"},
      {"_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genINtNtCslNYArtu3iFV_5alloc5boxed3BoxDNtNtNtNtCsgEmfK2I1SDS_"
       "4core4iter6traits8iterator"
       "8Iteratorp4ItemThbENtNtB1j_6marker4SendEL_EEB6_",
       "r::inner::deep::gen::<alloc::boxed::Box<dyn core::iter::traits::iterator::Iterator<Item = (u8, bool)> + "
       "core::marker::Send>>"},
      {"_RNCNvC1r4main0", "r::main::{closure#0}"},
      {"_RNCNvC1r4mains_0", "r::main::{closure#1}"},
      {"_RINvC1r1fKj7_Kb1_Klnff_Kc41_E", "r::f::<7, true, -255, 'A'>"},
      {"_RINvC1r1fAhj3_TEThEPhOhFUKChEuzE",
       "r::f::<[u8; 3], (), (u8,), *const u8, *mut u8, unsafe extern \"C\" fn(u8), !>"},
      {"_RNvC1r4main.llvm.123", "r::main.llvm.123"},
  };
  for (const auto& [mangled, wanted] : names) EXPECT_EQ(Demangle(mangled), wanted) << mangled;
}

TEST(Demangle, PrintsLegacyNamesOfRustWithoutTheHash) {
  const std::pair<const char*, const char*> names[] = {
      {"_ZN34_$LT$r..Ci$u20$as$u20$r..Shape$GT$4area17h3aeba052b3997245E", "<r::Ci as r::Shape>::area"},
      {"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E", "std::rt::lang_start::{{closure}}"},
      {"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h35737af4ea128c59E.llvm.99",
       "core::ptr::drop_in_place<alloc::string::String>.llvm.99"},
  };
  for (const auto& [mangled, wanted] : names) EXPECT_EQ(Demangle(mangled), wanted) << mangled;
}

TEST(Demangle, PrintsNamesOfCpp) {
  EXPECT_EQ(Demangle("main"), "main");
  EXPECT_EQ(Demangle("_ZN3foo3barE"), "foo::bar");
  EXPECT_EQ(Demangle("_ZN3foo3barEi"), "foo::bar(int)");
  EXPECT_EQ(Demangle("_ZN3foo3barEi.cold"), "foo::bar(int).cold");
  EXPECT_EQ(Demangle("_ZN3foo3barEi@plt"), "foo::bar(int)@plt");
  EXPECT_EQ(Demangle("_ZN3fooD0Ev.llvm.123"), "foo::~foo().llvm.123");
  EXPECT_EQ(Demangle("_Zbroken"), "_Zbroken");
  EXPECT_EQ(Demangle(std::string(100000, 'A')).size(), 100000u);
}

// Names of some kilobytes are whole; only tables shorten them.
TEST(Demangle, PrintsLongNamesWhole) {
  std::string mangled = "_Z1f";
  std::string wanted = "f(";
  for (int i = 0; i < 400; ++i) {
    const std::string type = "type_" + std::to_string(100 + i);
    mangled += "8" + type;
    wanted += (i == 0 ? "" : ", ") + type;
  }
  ASSERT_GT(mangled.size(), 3500u);
  EXPECT_EQ(Demangle(mangled), wanted + ")");
}

TEST(Demangle, PrintsNamesOfD) {
  EXPECT_EQ(Demangle("_Dmain"), "D main");
  EXPECT_EQ(Demangle("_D3std5stdio4File5closeMFZv"), "std.stdio.File.close()");
  EXPECT_EQ(Demangle("_D8demangle__T2fnVAyaa4_61626364Z1xi"), "demangle.fn!(\"abcd\").x");
  EXPECT_EQ(Demangle("_D8demangle4testFLDFiZaZv.cold"), "demangle.test(lazy char(int) delegate).cold");
  EXPECT_EQ(Demangle("_Destroy"), "_Destroy");
}

TEST(Demangle, PrintsNamesOfAdaWhereThereIsAda) {
  EXPECT_EQ(Demangle("ada__text_io__put_line__2", true), "ada.text_io.put_line");
  EXPECT_EQ(Demangle("_ada_hello", true), "hello");
  EXPECT_EQ(Demangle("pkg__Oadd", true), "pkg.\"+\"");
  EXPECT_EQ(Demangle("main", true), "main");
  EXPECT_EQ(Demangle("__gnat_malloc", true), "__gnat_malloc");
  EXPECT_EQ(Demangle("_ZN3foo3barEi", true), "foo::bar(int)");
  EXPECT_EQ(Demangle("lib__function_of_c"), "lib__function_of_c");
  EXPECT_TRUE(IsSignOfAda("__gnat_rcheck_CE_Overflow_Check"));
  EXPECT_FALSE(IsSignOfAda("__gnu_function"));
}

TEST(Demangle, LeavesWhatIsNoNameOfALanguage) {
  for (const char* name :
       {"", "_", "_R", "_R0", "_Z", "_D", "_RNvC1r", "_RNvC1r9main", "_RNvC1rB_", "_RNvC99999999999999999999r",
        "_RNvBz_4main", "_ZN", "_ZN1a17h3aeba052b3997245", "_RINvC1r1fKj", "_D9short", "_D1a", ".", "@plt"}) {
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(Demangle, EveryChangeOfANameIsAcceptedOrRefused) {
  for (const std::string name :
       {"_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genFG0_RL1_eQL0_ShERL1_eEB6_", "_ZNSt6vectorIiSaIiEE3fooIJicEEEvDpT_",
        "_D8demangle__T4testS21_D8demangle3barFiZvZv", "ada__text_io__put_line__2"}) {
    for (size_t size = 0; size < name.size(); ++size) (void)Demangle(name.substr(0, size), true);
    for (size_t i = 0; i < name.size(); ++i) {
      for (const char c : std::string("_0BETNIXYMAKGLDFRsQSVZ9z\xff")) {
        std::string changed = name;
        changed[i] = c;
        (void)Demangle(changed, true);
      }
    }
  }
}

// The n-th substitution of a C++ name: S_, S0_, S1_, ...
std::string Substitution(int number) {
  if (number == 0) return "S_";
  std::string digits;
  for (int left = number - 1;; left /= 36) {
    digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[left % 36]);
    if (left < 36) return "S" + digits + "_";
  }
}

// A reference of a Rust name to a place in it.
std::string Place(size_t value) {
  if (value == 0) return "_";
  std::string text;
  for (size_t left = value - 1;; left /= 62) {
    text.insert(text.begin(), "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[left % 62]);
    if (left < 62) return text + "_";
  }
}

// A reference of a D name to what stands so many characters before.
std::string Back(size_t distance) {
  std::string text(1, static_cast<char>('a' + distance % 26));
  while (distance /= 26) text.insert(text.begin(), static_cast<char>('A' + distance % 26));
  return "Q" + text;
}

// Short names for 2^40 types, or for 2^40 attempts to read or to print one.
std::vector<std::string> Bombs() {
  std::string types = "1PIiiE";
  for (int i = 1; i <= 40; ++i) types += "S_I" + Substitution(i) + Substitution(i) + "E";
  std::string conversions = "_ZN1AcvT_";
  for (int i = 0; i < 40; ++i) conversions += "IT_";
  std::string rust = "INvC1r1f";
  size_t before = rust.size();
  rust += "ThhE";
  for (int i = 0; i < 40; ++i) {
    const size_t here = rust.size();
    rust += "TB" + Place(before) + "B" + Place(before) + "E";
    before = here;
  }
  std::string d = "_D1f1gFB2ii";
  before = d.size() - 4;
  for (int i = 0; i < 40; ++i) {
    const size_t here = d.size();
    d += "B2";
    d += Back(d.size() - before);
    d += Back(d.size() - before);
    before = here;
  }
  std::string symbols = "S1a";
  for (int i = 0; i < 30; ++i) symbols = "S11111__T1a" + symbols + "Z";
  return {"_Z1f" + types,
          "_Z1fIJiEEv" + types + "Dp" + Substitution(41),
          conversions + "Ii" + std::string(41, 'E') + "Ev",
          "_R" + rust + "E",
          d + "Zv",
          "_D1f__T1a" + symbols + "Z1bFZv",
          "_RINvC1r1f" + std::string(4000, 'R') + "hE"};
}

// Each is given up within its bound. Other names are demangled as before.
TEST(Demangle, GivesUpNamesThatExpandWithoutBound) {
  for (const std::string& name : Bombs()) {
    const clock_t begin = clock();
    EXPECT_EQ(Demangle(name), name);
    EXPECT_LT(clock() - begin, CLOCKS_PER_SEC) << name;
    EXPECT_EQ(Demangle("_ZN3foo3barEi"), "foo::bar(int)");
  }
  const clock_t begin = clock();
  for (int i = 0; i < 100; ++i) {
    for (const std::string& name : Bombs()) (void)Demangle(name);
  }
  EXPECT_LT(clock() - begin, 3 * CLOCKS_PER_SEC) << "in all";
}

// Names of the command itself, by another demangler. The two differ in spaces and in how they number lambdas.
TEST(Demangle, AgreesWithLlvm) {
  if (!testing::HasProgram("llvm-cxxfilt-19") || !testing::HasProgram("nm"))
    GTEST_SKIP() << "missing: llvm-cxxfilt-19, nm";
  const testing::TemporaryFolder folder;
  const std::string names = folder / "names";
  const testing::CommandResult answer =
      testing::RunCommand({"sh", "-c",
                           "nm \"$1\" | awk '$3 ~ /^_Z[^.]*$/ && $2 ~ /[tTW]/ && $3 !~ /UlL?|Lb|Ll|Lj|Lm|Li/ { print "
                           "$3 }' | sort -u | tee \"$2\" | "
                           "llvm-cxxfilt-19",
                           "sh", testing::SoftlbrPath(), names});
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  std::istringstream mangled(testing::ReadFile(names));
  std::istringstream wanted(answer.out);
  size_t compared = 0;
  size_t different = 0;
  const auto without_spaces = [](std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  };
  for (std::string name, text; std::getline(mangled, name) && std::getline(wanted, text);) {
    ++compared;
    const std::string ours = Demangle(name);
    if (without_spaces(ours) == without_spaces(text)) continue;
    ++different;
    if (different < 5) std::printf("%s: %s, llvm-cxxfilt: %s\n", name.c_str(), ours.c_str(), text.c_str());
  }
  EXPECT_GT(compared, 1000u);
  EXPECT_LT(different, compared / 50);
}

}  // namespace
}  // namespace softlbr::toolchain
