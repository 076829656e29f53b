// Names as rustc 1.9x writes them, and hostile ones. c++filt and llvm-cxxfilt print the same texts, apart from hashes and suffixes.
#include "toolchain/binary/rust_names.h"

#include <gtest/gtest.h>

#include "toolchain/binary/symbols.h"

namespace softlbr::toolchain {
namespace {

TEST(DemangleRust, PrintsNamesOfTheV0Scheme) {
  const std::pair<const char*, const char*> names[] = {
      {"_RNvMs3_NtCslNYArtu3iFV_5alloc7raw_vecINtB5_6RawVecINtNtB7_5boxed3BoxDNtCs6GmmlP4bgsG_1r5ShapeEL_EE8grow_oneB17_",
       "<alloc::raw_vec::RawVec<alloc::boxed::Box<dyn r::Shape>>>::grow_one"},
      {"_RNvXs1g_NtCsgEmfK2I1SDS_4core3fmtRDNtB6_5DebugEL_Bx_3fmtB8_", "<&dyn core::fmt::Debug as core::fmt::Debug>::fmt"},
      {"_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genFG0_RL1_eQL0_ShERL1_eEB6_",
       "r::inner::deep::gen::<for<'a, 'b> fn(&'a str, &'b mut [u8]) -> &'a str>"},
      {"_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genINtNtCslNYArtu3iFV_5alloc5boxed3BoxDNtNtNtNtCsgEmfK2I1SDS_"
       "4core4iter6traits8iterator"
       "8Iteratorp4ItemThbENtNtB1j_6marker4SendEL_EEB6_",
       "r::inner::deep::gen::<alloc::boxed::Box<dyn core::iter::traits::iterator::Iterator<Item = (u8, bool)> + "
       "core::marker::Send>>"},
      {"_RNCNvC1r4main0", "r::main::{closure#0}"},
      {"_RNCNvC1r4mains_0", "r::main::{closure#1}"},
      {"_RINvC1r1fKj7_Kb1_Klnff_Kc41_E", "r::f::<7, true, -255, 0x41>"},
      {"_RINvC1r1fAhj3_TEThEPhOhFUKChEuzE", "r::f::<[u8; 3], (), (u8,), *const u8, *mut u8, unsafe extern \"C\" fn(u8), !>"},
      {"_RNvC1r4main.llvm.123", "r::main.llvm.123"},
  };
  for (const auto& [mangled, wanted] : names) {
    EXPECT_EQ(DemangleRust(mangled).value_or("(refused)"), wanted) << mangled;
    EXPECT_EQ(Demangle(mangled), wanted);
  }
}

TEST(DemangleRust, PrintsLegacyNamesWithoutTheHash) {
  const std::pair<const char*, const char*> names[] = {
      {"_ZN34_$LT$r..Ci$u20$as$u20$r..Shape$GT$4area17h3aeba052b3997245E", "<r::Ci as r::Shape>::area"},
      {"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17ha86af84d9cc65291E", "std::rt::lang_start::{{closure}}"},
      {"_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h35737af4ea128c59E.llvm.99",
       "core::ptr::drop_in_place<alloc::string::String>.llvm.99"},
  };
  for (const auto& [mangled, wanted] : names) {
    EXPECT_EQ(DemangleRust(mangled).value_or("(refused)"), wanted) << mangled;
    EXPECT_EQ(Demangle(mangled), wanted);
  }
  EXPECT_EQ(DemangleRust("_ZN3foo3barE"), std::nullopt) << "C++";
  EXPECT_EQ(Demangle("_ZN3foo3barE"), "foo::bar");
}

TEST(DemangleRust, RefusesWhatIsNotARustName) {
  for (const char* name : {"", "_R", "_R0", "main", "_RNvC1r", "_RNvC1r9main", "_RNvC1rB_", "_RNvC99999999999999999999r",
                           "_RNvC1r4main!", "_RINvC1r1fL1_E", "_RNvBz_4main", "_ZN", "_ZN17h3aeba052b3997245E",
                           "_ZN1a17h3aeba052b3997245", "_ZN4$LT_17h3aeba052b3997245E", "_RINvC1r1fKj"}) {
    EXPECT_EQ(DemangleRust(name), std::nullopt) << name;
    if (std::string_view(name).starts_with("_ZN")) continue;  // maybe of C++
    EXPECT_EQ(Demangle(name), name);
  }
}

TEST(DemangleRust, EveryPrefixOfANameIsAcceptedOrRefused) {
  const std::string name = "_RINvNtNtCs6GmmlP4bgsG_1r5inner4deep3genFG0_RL1_eQL0_ShERL1_eEB6_";
  for (size_t size = 0; size < name.size(); ++size) (void)DemangleRust(name.substr(0, size));
  for (size_t i = 2; i < name.size(); ++i) {
    for (const char c : std::string("_0BETNIXYMAKGLDFRs9zZ\xff")) {
      std::string changed = name;
      changed[i] = c;
      (void)DemangleRust(changed);
    }
  }
}

// Tuples of two references each to the tuple before: 2^40 types in 300 bytes.
TEST(DemangleRust, BoundsWhatBackReferencesExpandTo) {
  const auto base62 = [](size_t value) {
    static constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (value == 0) return std::string("_");
    std::string text;
    for (size_t left = value - 1;; left /= 62) {
      text.insert(text.begin(), kDigits[left % 62]);
      if (left < 62) return text + "_";
    }
  };
  std::string body = "INvC1r1f";
  size_t before = body.size();
  body += "ThhE";
  for (int i = 0; i < 40; ++i) {
    const size_t here = body.size();
    body += "TB" + base62(before) + "B" + base62(before) + "E";
    before = here;
  }
  EXPECT_EQ(DemangleRust("_R" + body + "E"), std::nullopt);
  EXPECT_EQ(DemangleRust("_RINvC1r1f" + std::string(4000, 'R') + "hE"), std::nullopt) << "nesting";
  EXPECT_EQ(DemangleRust("_RINvC1r1fFG" + std::string(9, 'Z') + "_EuE"), std::nullopt) << "a binder of many lifetimes";
}

}  // namespace
}  // namespace softlbr::toolchain
