#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/markup.h"
#include "supple/base/most.h"
#include "supple/base/parallel.h"
#include "supple/base/side_by_side.h"
#include "supple/base/types.h"

namespace supple {

TEST(Error, NamesPlaceFaultAndAdvice) {
  const InputError e({"scene.toml", 12, 3, "key a.b"}, "is wrong", "write it right");
  EXPECT_STREQ(e.what(), "scene.toml:12:3 (key a.b): is wrong\n  write it right");
  EXPECT_EQ(to_string(Location{.place = "element 4"}), "element 4");
}

TEST(Error, SuggestsNearWordsOnly) {
  const std::vector<std::string> known = {"density", "poisson_ratio", "model"};
  auto near = [&](const char* w) { return nearest_word(w, known.data(), known.data() + known.size()); };
  EXPECT_EQ(near("poison_ratio"), "poisson_ratio");
  EXPECT_EQ(near("densty"), "density");
  EXPECT_EQ(near("modle"), "model");
  EXPECT_EQ(near("colour"), "");
}

TEST(Parallel, SumsHaveTheSameBitsForAnyThreadCount) {
  std::vector<double> x(100003);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 17));
  auto sum = [&] {
    return parallel_sum(x.size(), 1000, [&](size_t b, size_t e) {
      double s = 0;
      for (size_t i = b; i < e; ++i) s += x[i];
      return s;
    });
  };
  set_thread_count(1);
  const double one = sum();
  for (int n : {2, 3, 7}) {
    set_thread_count(n);
    EXPECT_EQ(sum(), one);
  }
  set_thread_count(0);
}

TEST(SideBySide, every_piece_once_and_one_at_a_time_on_a_thread) {
  static thread_local int depth = 0;
  for (int threads : {1, 2, 4}) {
    set_thread_count(threads);
    std::vector<std::atomic<int>> begun(24);
    std::vector<double> sums(begun.size(), 0);
    side_by_side(begun.size(), 0, [&](size_t i) {
      // Were a thread that waits in a loop of its piece to begin another one, what is its own would be changed.
      EXPECT_EQ(++depth, 1);
      ++begun[i];
      sums[i] = parallel_sum(4000, 20, [&](size_t b, size_t e) {
        double s = 0;
        for (size_t k = b; k < e; ++k) s += std::sin(static_cast<double>(k + i));
        return s;
      });
      --depth;
    });
    for (size_t i = 0; i < begun.size(); ++i) EXPECT_EQ(begun[i], 1) << i;
    EXPECT_NE(sums[3], sums[4]);
  }
  set_thread_count(0);
}

TEST(SideBySide, no_more_at_once_than_wanted) {
  set_thread_count(4);
  std::atomic<int> now = 0, most = 0;
  side_by_side(20, 2, [&](size_t) {
    const int mine = ++now;
    for (int seen = most; mine > seen && !most.compare_exchange_weak(seen, mine);) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --now;
  });
  EXPECT_LE(most, 2);
  set_thread_count(0);
}

// Others that are under way go on to their end, loops and all; no more are begun.
TEST(SideBySide, the_first_exception_comes_back_when_all_is_done) {
  for (int threads : {1, 2}) {
    set_thread_count(threads);
    double sum = 0;
    std::atomic<bool> beside = false, last = false;
    try {
      side_by_side(3, 0, [&](size_t i) {
        if (i == 0) {
          const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
          while (threads > 1 && !beside && std::chrono::steady_clock::now() < until) std::this_thread::yield();
          throw std::runtime_error("zero");
        }
        last = last || i == 2;
        beside = true;
        for (int round = 0; round < 2000; ++round)
          sum += parallel_sum(1000, 10, [](size_t b, size_t e) { return static_cast<double>(e - b); });
      });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "zero");
    }
    if (beside) EXPECT_EQ(sum, 2e6);
    EXPECT_FALSE(last);
  }
  set_thread_count(0);
}

TEST(Parallel, EveryItemOnceAndExceptionsComeBack) {
  std::vector<int> hits(12345, 0);
  parallel_for(hits.size(), 7, [&](size_t b, size_t e) {
    for (size_t i = b; i < e; ++i) ++hits[i];
  });
  for (int h : hits) ASSERT_EQ(h, 1);
  EXPECT_THROW(parallel_for(100, 1,
                            [](size_t b, size_t) {
                              if (b == 50) throw std::runtime_error("x");
                            }),
               std::runtime_error);
  EXPECT_TRUE(std::isnan(parallel_max(3, 1, [](size_t b, size_t) { return b == 1 ? std::nan("") : 1.0; })));
}

TEST(Hash, IsFnv1a) {
  // Published values of the 64-bit FNV-1a function.
  EXPECT_EQ(hash_text(hash_bytes("a", 1, 0xcbf29ce484222325ull)), "af63dc4c8601ec8c");
  EXPECT_EQ(hash_text(hash_bytes("foobar", 6, 0xcbf29ce484222325ull)), "85944171f73967e8");
  EXPECT_EQ(hash_file("/nonexistent/file"), "");
}

TEST(Types, FlattenAndBack) {
  const Points p = {{1, 2, 3}, {4, 5, 6}};
  const VecX x = flatten(p);
  EXPECT_EQ(x[4], 5);
  EXPECT_EQ(unflatten(x), p);
}

TEST(Markup, EscapesWhatXmlReserves) {
  EXPECT_EQ(escape_markup("a<b & \"c\" > 'd'"), "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(escape_markup(std::string("x\x01\0y\tz\n", 7)), "xy\tz\n");
}

TEST(Markup, Base64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(Most, RoundingDecidesNothing) {
  EXPECT_EQ(first_of_most(std::vector<double>{1, 3, 2}), 1u);
  EXPECT_EQ(first_of_most(std::vector<double>{3, 3 * (1 + 1e-9), 2}), 0u);
  EXPECT_EQ(first_of_most(std::vector<double>{3, 3.001, 2}), 1u);
  EXPECT_EQ(first_of_most(std::vector<double>{-2, -1, -1 + 1e-12}), 1u);
  EXPECT_EQ(first_of_most(std::vector<double>{0, 1e-300}), 1u);
  EXPECT_EQ(first_of_most(std::vector<double>{}), 0u);
}

}  // namespace supple
