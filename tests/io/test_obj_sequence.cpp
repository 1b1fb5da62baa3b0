#include "supple/io/obj_sequence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/io/obj.h"
#include "tests/io/scratch.h"

namespace supple {
namespace {

std::string frame_text(double x) { return fmt::format("v {} 0 0\nv 1 {} 0.25\nf 1 2 1\n", x, -x); }

std::vector<std::string> names(const ObjSequence& sequence) {
  std::vector<std::string> names;
  for (const std::string& file : sequence.files) names.push_back(std::filesystem::path(file).filename().string());
  return names;
}

template <class Call>
InputError error_of(Call&& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return InputError({}, "");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Walk : public testing::Test {
 protected:
  void put(const std::string& format, int first, int last) const {
    for (int k = first; k <= last; ++k) dir_.put(fmt::format(fmt::runtime(format), k), frame_text(k));
  }
  void expect_frames(const PointCache& cache, int first, int last) const {
    ASSERT_EQ(cache.n_samples, last - first + 1);
    ASSERT_EQ(cache.n_points, 2);
    for (int k = first; k <= last; ++k)
      EXPECT_EQ(cache.points(k - first), (Points{Vec3(k, 0, 0), Vec3(1, -k, 0.25)})) << k;
  }
  const Scratch dir_;
};

TEST_F(Walk, IsFoundByAPatternWithLeadingZerosOrWithout) {
  put("a_{:04}.obj", 997, 1003);
  put("b{}.obj", 8, 11);
  dir_.put("a_0998.obj.bak", "x");
  dir_.put("a_x998.obj", "x");
  dir_.put("b.obj", "x");
  expect_frames(read_obj_sequence(dir_.path("a_####.obj")), 997, 1003);
  expect_frames(read_obj_sequence(dir_.path("a_%04d.obj")), 997, 1003);
  expect_frames(read_obj_sequence(dir_.path("b#.obj")), 8, 11);
  expect_frames(read_obj_sequence(dir_.path("b%d.obj")), 8, 11);
  EXPECT_EQ(read_obj_sequence(dir_.path("b##.obj")).start, 8);
}

TEST_F(Walk, IsFoundInAFolderInTheOrderOfNumbers) {
  put("w{}.obj", 9, 12);
  dir_.put("note.txt", "x");
  dir_.put("._w9.obj", "x");
  expect_frames(read_obj_sequence(dir_.path("")), 9, 12);
  EXPECT_TRUE(find_obj_sequence(dir_.path("")).alike);
  // Other names: in their order, with numbers in them as numbers.
  dir_.put("start.OBJ", frame_text(0));
  dir_.put("w9b.obj", frame_text(0));
  dir_.put("w009.obj", frame_text(0));
  const ObjSequence mixed = find_obj_sequence(dir_.path(""));
  EXPECT_FALSE(mixed.alike);
  EXPECT_EQ(names(mixed),
            (std::vector<std::string>{"start.OBJ", "w009.obj", "w9.obj", "w9b.obj", "w10.obj", "w11.obj", "w12.obj"}));
}

TEST_F(Walk, IsToldFromOtherFiles) {
  EXPECT_TRUE(is_obj_sequence(dir_.path("a_####.obj")));
  EXPECT_TRUE(is_obj_sequence(dir_.path("a_%d.obj")));
  EXPECT_TRUE(is_obj_sequence(dir_.path("")));
  EXPECT_FALSE(is_obj_sequence(dir_.path("a.obj")));
  EXPECT_FALSE(is_obj_sequence(dir_.path("a_50%.obj")));
  EXPECT_FALSE(is_obj_sequence(dir_.path("take#1.pc2")));
}

TEST_F(Walk, MustBeWhole) {
  put("w_{:03}.obj", 1, 20);
  for (const char* gone : {"w_004.obj", "w_010.obj", "w_011.obj", "w_012.obj"})
    std::filesystem::remove(dir_.path(gone));
  for (const char* name : {"w_###.obj", ""}) {
    const InputError e = error_of([&] { read_obj_sequence(dir_.path(name)); });
    EXPECT_TRUE(has(e.fault(), ": 4, 10 to 12")) << e.what();
  }
  put("w_{}.obj", 7, 7);
  const InputError twice = error_of([&] { read_obj_sequence(dir_.path("w_###.obj")); });
  EXPECT_TRUE(has(twice.fault(), "'w_007.obj' and 'w_7.obj' are both frame 7")) << twice.what();
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("v_###.obj")); }).fault(), "no file"));
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("no/v_###.obj")); }).fault(), "folder"));
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("w_##_##.obj")); }).fault(), "twice"));
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("w_001.obj")); }).advice(), "####"));
  std::filesystem::create_directory(dir_.path("empty"));
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("empty")); }).fault(), "no .obj"));
}

TEST_F(Walk, FramesHaveTheSameVertices) {
  put("w{}.obj", 1, 9);
  dir_.put("w7.obj", "v 0 0 0\n");
  dir_.put("w6.obj", frame_text(6) + "v 0 0 0\n");
  const InputError e = error_of([&] { read_obj_sequence(dir_.path("w#.obj")); });
  EXPECT_EQ(e.where().file, dir_.path("w6.obj"));
  EXPECT_EQ(e.fault(), "the file has 3 vertices, the first frame 'w1.obj' has 2");
  dir_.put("w1.obj", "f 1 2 3\n");
  EXPECT_TRUE(has(error_of([&] { read_obj_sequence(dir_.path("w#.obj")); }).fault(), "no vertices"));
}

TEST_F(Walk, BadValuesAreToldWithTheirLine) {
  put("w{}.obj", 1, 3);
  for (const char* line : {"v 1 nan 3", "v 1 2 -inf", "v 1 2", "v 1 2 3x", "v 1e99 0 0", "v", "v 1 2 # 3"}) {
    dir_.put("w2.obj", std::string("# two\nv 0 0 0\n") + line + "\n");
    const InputError e = error_of([&] { read_obj_sequence(dir_.path("w#.obj")); });
    EXPECT_EQ(e.where().file, dir_.path("w2.obj")) << line;
    EXPECT_TRUE(e.where().line == 3 || std::string(line) == "v") << line << ": " << e.what();
  }
}

// As the reader of surfaces takes them.
TEST_F(Walk, AFrameIsReadAsASurfaceIs) {
  const std::string text =
      "# odd but right\r\nmtllib x.mtl\r\nvn 1 2 3\r\nvt 4 5\r\n\tv +1.5 -2e-3 .25 0.5 0.5 0.5\r\nv 1e-320 1 \\\r\n "
      "2\r\n"
      "  v\t-7\t8\t9 1\nvp 1 2 3\ng v\nf 1 2 3 \\\n 2\nv 3 4 5";
  dir_.put("o1.obj", text);
  const Points expected = read_obj(dir_.path("o1.obj")).vertices;
  const Points got = read_obj_sequence(dir_.path("o#.obj")).points(0);
  ASSERT_EQ(got.size(), 4u);
  ASSERT_EQ(expected.size(), 4u);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i].cast<float>().cast<double>()) << i;
}

TEST_F(Walk, IsTheSameForAnyNumberOfThreads) {
  put("w{}.obj", 1, 40);
  const PointCache all = read_obj_sequence(dir_.path("w#.obj"));
  const int before = thread_count();
  set_thread_count(1);
  EXPECT_EQ(read_obj_sequence(dir_.path("w#.obj")).xyz, all.xyz);
  set_thread_count(before);
}

TEST_F(Walk, MayHaveHoles) {
  put("w{}.obj", 1, 3);
  dir_.put("w2.obj", "v 1 2 3\nv -nan(ind) 2 3\n");
  const PointCache cache = read_obj_sequence(dir_.path("w#.obj"), true);
  EXPECT_EQ(cache.points(1)[0], Vec3(1, 2, 3));
  EXPECT_TRUE(cache.points(1)[1].array().isNaN().all());
  EXPECT_EQ(cache.points(2)[1], Vec3(1, -3, 0.25));
  dir_.put("w2.obj", "v 1 2 3\nv oops 2 3\n");
  EXPECT_THROW(read_obj_sequence(dir_.path("w#.obj"), true), InputError);
}

// Holes of caches, written as bytes since the writer refuses them.
TEST(CacheHoles, AreKeptWhereTheyAreAllowed) {
  const Scratch dir;
  const std::vector<float> values = {1, 2, 3, 4, std::nanf(""), 6, -INFINITY, 8, 9, 10, 11, 12};
  std::string pc2 = std::string("POINTCACHE2\0", 12) + bytes_of(1, false) + bytes_of(2, false) + bytes_of(0.f, false) +
                    bytes_of(1.f, false) + bytes_of(2, false);
  std::string mdd = bytes_of(2, true) + bytes_of(2, true) + bytes_of(0.f, true) + bytes_of(0.04f, true);
  for (float x : values) pc2 += bytes_of(x, false), mdd += bytes_of(x, true);
  for (const auto& [name, bytes] : {std::pair{"c.pc2", pc2}, std::pair{"c.mdd", mdd}}) {
    const PointCache cache = read_point_cache(dir.put(name, bytes), true);
    EXPECT_EQ(cache.points(0)[0], Vec3(1, 2, 3));
    EXPECT_TRUE(cache.points(0)[1].array().isNaN().all());
    EXPECT_TRUE(cache.points(1)[0].array().isNaN().all());
    EXPECT_EQ(cache.points(1)[1], Vec3(10, 11, 12));
    EXPECT_THROW(read_point_cache(dir.path(name)), InputError);
    EXPECT_THROW(read_point_cache(dir.put(name, bytes.substr(0, bytes.size() - 1)), true), InputError);
  }
  EXPECT_EQ(samples_per_second(read_point_cache(dir.put("c.mdd", mdd), true)), 25);
  EXPECT_FALSE(samples_per_second(read_point_cache(dir.put("c.pc2", pc2), true)));
}

}  // namespace
}  // namespace supple
