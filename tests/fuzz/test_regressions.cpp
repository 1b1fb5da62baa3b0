// What fuzzing found, and inputs that are nasty by hand: each is given to its target, which must come back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "fuzz/small_files.h"

namespace {

namespace fs = std::filesystem;

using Target = int (*)(const uint8_t*, size_t);

}  // namespace

#include "targets.inc"

namespace {

void give(const fs::path& file, Target target) {
  SCOPED_TRACE(file.string());
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  EXPECT_EQ(target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), 0);
}

int give_all(const fs::path& folder, Target target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) give(file, target);
  return static_cast<int>(files.size());
}

const fs::path kRegressions = fs::path(SUPPLE_SOURCE_DIR) / "tests/fuzz/regressions";

class FuzzRegressions : public testing::TestWithParam<std::string> {};

TEST_P(FuzzRegressions, ComeBack) {
  const std::string& name = GetParam();
  ASSERT_TRUE(fs::is_directory(kRegressions / name)) << "give the target some nasty inputs";
  EXPECT_GE(give_all(kRegressions / name, kTargets.at(name)), 3);
}

// Corpora are what our writers write: no target is without, and all are taken.
TEST(FuzzCorpora, AreThereForEveryTarget) {
  const fs::path folder = fs::temp_directory_path() / ("supple_corpora_" + std::to_string(getpid()));
  supple::fuzz::write_corpora(folder);
  for (const auto& [name, target] : kTargets) {
    ASSERT_TRUE(fs::is_directory(folder / name)) << name;
    if (name != "job") EXPECT_GE(give_all(folder / name, target), 1);  // of whole characters: seconds
  }
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_TRUE(kTargets.count(entry.path().filename().string())) << "no target for " << entry.path();
  for (const auto& entry : fs::directory_iterator(kRegressions))
    EXPECT_TRUE(kTargets.count(entry.path().filename().string())) << "no target for " << entry.path();
  fs::remove_all(folder);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : kTargets) all.push_back(name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Targets, FuzzRegressions, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
