#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "supple/base/watch.h"

namespace supple {
namespace {

TEST(Watch, CallingIsAlwaysAllowed) {
  const Watch plain;
  EXPECT_NO_THROW(plain.note("a"));
  EXPECT_NO_THROW(plain.warn("b"));
  EXPECT_NO_THROW(plain.progress("c", 1, 2));
  EXPECT_FALSE(plain.cancelled());
  Watch none{.note = nullptr, .warn = std::function<void(std::string_view)>(), .progress = {}, .cancelled = nullptr};
  EXPECT_NO_THROW(none.note("a"));
  EXPECT_NO_THROW(none.warn("a"));
  EXPECT_FALSE(none.cancelled());
  none.cancelled = [] { return true; };
  EXPECT_TRUE(none.cancelled());
  none = {};
  EXPECT_FALSE(none.cancelled());
}

TEST(Watch, TellsWhatItIsTold) {
  std::vector<std::string> heard;
  Watch watch;
  watch.note = watch.warn = [&](std::string_view text) { heard.emplace_back(text); };
  watch.progress = [&](std::string_view stage, int done, int of) {
    heard.push_back(std::string(stage) + " " + std::to_string(done) + "/" + std::to_string(of));
  };
  // One that passes on what another hears.
  Watch inner = watch;
  inner.progress = [&](std::string_view stage, int done, int of) {
    watch.progress("inner " + std::string(stage), done, of);
  };
  inner.note("a");
  watch.warn(std::string("b"));
  inner.progress("c", 1, 2);
  EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "inner c 1/2"}));
  const std::function<bool()> asked = watch.cancelled;
  EXPECT_FALSE(asked());
}

}  // namespace
}  // namespace supple
