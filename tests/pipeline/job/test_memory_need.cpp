#include "supple/pipeline/job/memory_need.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"

namespace supple {

using namespace pipeline;
namespace {

constexpr RunSize kSmall{.tets = 3000, .drawn = 2000, .frames = 100};

TEST(MemoryNeed, grows_with_all_that_is_held) {
  RunSize more = kSmall;
  const double least = memory_need(kSmall);
  EXPECT_GT(least, 1e6);
  more.tets *= 10;
  EXPECT_GT(memory_need(more), 2 * least);
  more = kSmall, more.drawn *= 100;
  EXPECT_GT(memory_need(more), least);
  more = kSmall, more.frames *= 100;
  EXPECT_GT(memory_need(more), least);
  more = kSmall, more.side_by_side = 3;
  EXPECT_NEAR(memory_need(more) - least, 2 * memory_of_one(kSmall), 1e-6 * least);
}

TEST(MemoryNeed, more_than_there_is_is_refused_with_the_size) {
  EXPECT_NO_THROW(require_memory(kSmall, size_t{1} << 40));
  try {
    require_memory(kSmall, 1000);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("B"), std::string::npos) << e.what();
    EXPECT_FALSE(e.advice().empty());
  }
}

}  // namespace
}  // namespace supple
