#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "supple/base/hash.h"
#include "supple/base/read_file.h"
#include "supple/base/reading_scope.h"

namespace supple {
namespace {

class Reading : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("supple_reading_" + std::to_string(getpid()) + "_" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "own/below");
    std::filesystem::create_directories(folder_ / "other");
    for (const char* name : {"own/a", "own/below/b", "other/c", "other/d"}) std::ofstream(folder_ / name) << "text";
  }
  void TearDown() override {
    set_reading_scope({});
    std::filesystem::remove_all(folder_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

std::string reading_fault(const std::string& file, size_t most = 0) {
  try {
    read_regular_file(file, "", most);
  } catch (const InputError& e) {
    return e.fault();
  }
  return "";
}

TEST_F(Reading, RegularFilesOnly) {
  EXPECT_EQ(read_regular_file(path("own/a")), "text");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(reading_fault(path("pipe")).find("pipe"), std::string::npos);  // and comes back
  EXPECT_EQ(hash_file(path("pipe")), "");
  EXPECT_NE(reading_fault("/dev/zero").find("device"), std::string::npos);
  EXPECT_NE(reading_fault(path("own")).find("directory"), std::string::npos);
  EXPECT_NE(reading_fault(path("none")).find("cannot be opened"), std::string::npos);
  EXPECT_NE(reading_fault(path("own/a") + std::string("\0.b", 3)).find("cannot be opened"), std::string::npos);
  EXPECT_EQ(reading_fault(path("own/a"), 4), "");
  EXPECT_NE(reading_fault(path("own/a"), 3).find("larger"), std::string::npos);
  // One that says it has more than the machine: nothing is allocated for it.
  std::filesystem::resize_file(path("other/c"), std::uintmax_t{1} << 42);
  EXPECT_NE(reading_fault(path("other/c")).find("larger than the memory"), std::string::npos);
}

TEST_F(Reading, EverythingUntilAScopeIsSet) {
  EXPECT_TRUE(reading_scope().allows(path("other/c"), path("own")));
  set_reading_scope(ReadingScope::closed());
  EXPECT_FALSE(reading_scope().allows(path("other/c"), path("own")));
}

TEST_F(Reading, BelowTheOwnFolderAndWhatIsAllowed) {
  ReadingScope scope = ReadingScope::closed();
  const std::string own = path("own");
  EXPECT_TRUE(scope.allows(path("own/a"), own));
  EXPECT_TRUE(scope.allows(path("own/below/../below/b"), own));
  EXPECT_TRUE(scope.allows(path("own/not/there/yet"), own));
  EXPECT_TRUE(scope.allows(own, own));
  EXPECT_FALSE(scope.allows(path("own/../other/c"), own));
  EXPECT_FALSE(scope.allows(path("own/not/../../other/c"), own));
  EXPECT_FALSE(scope.allows(path("own2"), own));
  EXPECT_FALSE(scope.allows(folder_.string(), own));
  std::filesystem::create_symlink("../other/c", path("own/link"));
  std::filesystem::create_symlink("round", path("own/round"));
  EXPECT_FALSE(scope.allows(path("own/link"), own));
  EXPECT_TRUE(scope.allows(path("own/round"), own));  // and cannot be opened
  scope.allow_file(path("own/link"));                 // which is other/c
  EXPECT_TRUE(scope.allows(path("other/c"), own));
  EXPECT_FALSE(scope.allows(path("other/d"), own));
  scope.allow_folder(path("other"));
  EXPECT_TRUE(scope.allows(path("other/d"), own));
}

TEST_F(Reading, RefusalsSayWhatToSay) {
  std::filesystem::create_directories(path("Bob's"));
  ReadingScope scope = ReadingScope::closed();
  try {
    scope.require(path("Bob's/c"), path("own"), {.file = "scene.toml", .line = 2});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().line, 2);
    EXPECT_NE(e.fault().find("/Bob's/c lies outside"), std::string::npos) << e.fault();
    EXPECT_NE(e.advice().find("--allow-read='" + resolved_path(path("Bob")) + "'\\''s'"), std::string::npos)
        << e.advice();
  }
  EXPECT_EQ(scope.options(), "");
  scope.allow_folder(path("own"), false);
  scope.allow_folder(path("other"));
  EXPECT_EQ(scope.options(), " --allow-read=" + resolved_path(path("other")));
}

TEST_F(Reading, WhatWasNamedMayBeReadAgain) {
  note_named_file(path("other/d"));  // everything may be read: not noted
  set_reading_scope(ReadingScope::closed());
  EXPECT_FALSE(reading_scope().allows(path("other/d"), path("own")));
  note_named_file(path("other/c"));
  EXPECT_TRUE(reading_scope().allows(path("own/../other/c"), path("own")));
  EXPECT_FALSE(reading_scope().allows(path("other/d"), path("own")));
}

}  // namespace
}  // namespace supple
