// The critical sections of modules that were mapped before come from the last map; only new modules' files are read.
#include "runtime/modules/code_map.h"

#include <gtest/gtest.h>

#include <memory>

#include "runtime/modules/module_table.h"

namespace softlbr {
namespace {

class CodeMapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    table_->generation = 0;
    ASSERT_TRUE(RefreshModuleTable(*std::make_unique<ModuleTable>(), true, true, table_.get()));
    ASSERT_NE(table_->count, 0u);
    // In the first module, where no file has one.
    last_->critical_section_count = 1;
    last_->critical_sections[0] = {table_->modules[0].begin + 8, table_->modules[0].begin + 12};
    ASSERT_FALSE(HasIt(nullptr));
  }
  bool HasIt(const CodeMap* last) const {
    auto map = std::make_unique<CodeMap>();
    BuildCodeMap(*table_, last, true, map.get());
    return IsInRanges(map->critical_sections, map->critical_section_count, last_->critical_sections[0].begin);
  }
  void SetAges(uint32_t generation) {
    for (uint32_t i = 0; i < table_->count; ++i) table_->since[i] = generation;
  }

  std::unique_ptr<ModuleTable> table_ = std::make_unique<ModuleTable>();
  std::unique_ptr<CodeMap> last_ = std::make_unique<CodeMap>();
};

TEST_F(CodeMapTest, CriticalSectionsOfKnownModulesAreTaken) {
  SetAges(table_->generation - 1);
  EXPECT_TRUE(HasIt(last_.get()));
}

TEST_F(CodeMapTest, CriticalSectionsOfNewModulesAreRead) {
  SetAges(table_->generation);
  EXPECT_FALSE(HasIt(last_.get()));
}

TEST_F(CodeMapTest, IncompleteMapIsNotTakenFrom) {
  SetAges(table_->generation - 1);
  last_->has_unsettled_critical_sections = 1;
  EXPECT_FALSE(HasIt(last_.get()));
  last_->has_unsettled_critical_sections = 0;
  for (uint64_t i = 1; i < kMaxCriticalSections; ++i) last_->critical_sections[i] = {~i * 16, ~i * 16 + 1};
  last_->critical_section_count = kMaxCriticalSections;
  EXPECT_FALSE(HasIt(last_.get()));
}

TEST_F(CodeMapTest, MapWithoutBreakpointsHasNoneAndIsNotTakenFrom) {
  SetAges(table_->generation - 1);
  auto map = std::make_unique<CodeMap>();
  BuildCodeMap(*table_, last_.get(), false, map.get());
  EXPECT_NE(map->code_count, 0u);
  EXPECT_EQ(map->critical_section_count, 0u);
  map->critical_sections[map->critical_section_count++] = last_->critical_sections[0];
  EXPECT_FALSE(HasIt(map.get())) << "the files of all modules are read";
}

}  // namespace
}  // namespace softlbr
