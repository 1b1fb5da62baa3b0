#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <new>
#include <string>

#include "supple/base/expect.h"
#include "supple/base/last_words.h"
#include "supple/base/memory.h"
#include "supple/base/parallel.h"
#include "supple/base/side_by_side.h"
#include "supple/base/types.h"

namespace supple {

#ifndef SUPPLE_SANITIZED  // there the fault is the end
namespace {
std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const OwnFault& e) {
    return e.what();
  }
  return "";
}
void held_back(const std::function<void()>& work) noexcept { work(); }
void out_of_memory() { throw std::bad_alloc(); }
}  // namespace

TEST(Expect, what_does_not_hold_is_an_exception_that_says_where) {
  EXPECT_EQ(fault_of([] { expect(true, "nothing"); }), "");
  const std::string fault = fault_of([] { expect(1 > 2, "one more than two"); });
  EXPECT_EQ(fault.rfind("a fault of supple itself: expected one more than two (", 0), 0u) << fault;
  EXPECT_NE(fault.find("tests/base/test_expect.cpp:"), std::string::npos) << fault;
}

TEST(Expect, an_assertion_of_a_library_is_one_too) {
  const VecX x = VecX::Zero(3);
  Eigen::Index at = 5;
  const std::string fault = fault_of([&] { EXPECT_EQ(x(at), 0); });
  EXPECT_NE(fault.find("Eigen/src/Core/"), std::string::npos) << fault;
}

TEST(Expect, passes_through_loops_on_many_threads) {
  set_thread_count(4);
  const auto fail = [](size_t begin, size_t) { expect(begin != 500, "another chunk"); };
  EXPECT_THROW(parallel_for(1000, 10, fail), OwnFault);
  std::atomic<int> done = 0;
  EXPECT_THROW(side_by_side(8, 2, [&](size_t k) { expect(k != 0, "another piece"), ++done; }), OwnFault);
  EXPECT_LE(done, 7);
  set_thread_count(0);
}

TEST(LastWords, abort_of_others_and_exceptions_that_nobody_takes_end_with_words) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto exits_1 = ::testing::ExitedWithCode(1);
  EXPECT_EXIT((end_with_words(), std::abort()), exits_1, "cannot go on.*report it");
  EXPECT_EXIT((end_with_words(), held_back(out_of_memory)), exits_1, "out of memory");
  EXPECT_EXIT((end_with_words(), held_back([] { expect(false, "the moon"); })), exits_1, "expected the moon.*");
}

TEST(LastWords, are_json_where_json_was_asked_for) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto end = [] {
    end_with_words();
    last_words_as_json();
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::abort();
  };
  EXPECT_EXIT(end(), ::testing::ExitedWithCode(1),
              "\\{\"error\": \\{\"kind\": \"failure\", \"message\": \"supple cannot");
}
#endif

namespace {
class GroupMemory : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void limit(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  size_t least(const std::string& list) const { return group_memory_limit(list, root_.string()); }
  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) /
      (std::string("supple_groups_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};
}  // namespace

TEST_F(GroupMemory, the_least_limit_on_the_way_up_counts) {
  EXPECT_EQ(least("0::/a/b\n"), 0u);
  limit("a/b/memory.max", "max");
  limit("memory.max", "8000000000");
  EXPECT_EQ(least("0::/a/b\n"), 8000000000u);
  limit("a/memory.max", "3000");
  EXPECT_EQ(least("0::/a/b\n"), 3000u);
  EXPECT_EQ(least("0::/\n"), 8000000000u);  // of a container that sees its own group as the root
}

TEST_F(GroupMemory, of_the_older_kind) {
  limit("memory/c/memory.limit_in_bytes", "5000");
  limit("cpu/c/memory.limit_in_bytes", "10");
  EXPECT_EQ(least("5:cpu:/c\n4:memory:/c\n0::/\n"), 5000u);
  EXPECT_EQ(least("nonsense\n"), 0u);
}

TEST(Memory, a_process_has_some_and_no_more_than_the_machine) {
  EXPECT_GT(memory_bytes(), size_t{1} << 20);
  EXPECT_GT(peak_memory_bytes(), size_t{1} << 20);
  EXPECT_LT(peak_memory_bytes(), memory_bytes());
}

}  // namespace supple
