// What was made before is found again, and nothing else is.
#include "supple/pipeline/setup/stage_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "supple/base/pack.h"
#include "supple/pipeline/character/plan_bytes.h"
#include "supple/pipeline/setup/character_stages.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

namespace fs = std::filesystem;

const std::string kKey = "0123456789abcdef0123456789abcdef", kOther = "00000000000000000000000000000001";

class Stages : public SceneFiles {
 protected:
  void SetUp() override {
    SceneFiles::SetUp();
    cache_.open(path("cache"));
  }
  std::string entry() const {
    for (const std::string& name : listing())
      if (name.find(kKey) != std::string::npos) return path(name);
    return "";
  }
  StageCache cache_;
};

TEST_F(Stages, are_found_by_stage_and_key) {
  const std::string bytes("some\0 bytes", 11);
  EXPECT_EQ(cache_.find("tets", kKey), "");
  cache_.keep("tets", kKey, bytes);
  EXPECT_EQ(cache_.find("tets", kKey), bytes);
  EXPECT_EQ(cache_.find("tets", kOther), "");
  EXPECT_EQ(cache_.find("weights", kKey), "");
  cache_.keep("tets", kKey, "others");
  EXPECT_EQ(cache_.find("tets", kKey), "others");
  EXPECT_EQ(listing().size(), 1u);
}

TEST_F(Stages, that_are_cut_off_damaged_or_of_something_else_are_none) {
  cache_.keep("tets", kKey, "all of these bytes matter");
  const std::string whole = read(entry());
  for (size_t n = 0; n < whole.size(); ++n) {
    write(fs::relative(entry(), folder_).string(), whole.substr(0, n));
    EXPECT_EQ(cache_.find("tets", kKey), "") << n;
  }
  for (size_t n = 0; n < whole.size(); ++n) {
    std::string other = whole;
    other[n] = static_cast<char>(other[n] ^ 1);
    write(fs::relative(entry(), folder_).string(), other);
    EXPECT_EQ(cache_.find("tets", kKey), "") << n;
  }
  write(fs::relative(entry(), folder_).string(), whole + "x");
  EXPECT_EQ(cache_.find("tets", kKey), "");
  // An entry under another's name.
  write(fs::relative(entry(), folder_).string(), whole);
  fs::copy_file(entry(), (fs::path(entry()).parent_path() / ("tets-" + kOther + ".stage")));
  EXPECT_EQ(cache_.find("tets", kOther), "");
  // And all of it is mended by what is made anew.
  cache_.keep("tets", kOther, "new");
  EXPECT_EQ(cache_.find("tets", kOther), "new");
}

TEST_F(Stages, that_were_not_used_for_longest_go_first) {
  cache_.open(path("cache"), 3500);
  const auto key = [](int i) { return std::string(31, '0') + std::to_string(i); };
  const auto entry_of = [&](int i) { return path("cache/tets-" + key(i) + ".stage"); };
  const auto now = fs::file_time_type::clock::now();
  for (int i = 0; i < 3; ++i) {
    cache_.keep("tets", key(i), std::string(1000, 'x'));
    fs::last_write_time(entry_of(i), now - std::chrono::hours(10 - i));
  }
  write("cache/mine.txt", std::string(5000, 'y'));  // what is not ours is neither counted nor removed
  write("cache/tets-old.stage.1.1.part", "z");
  fs::last_write_time(path("cache/tets-old.stage.1.1.part"), now - std::chrono::hours(48));
  write("cache/tets-new.stage.1.1.part", "z");
  EXPECT_NE(cache_.find("tets", key(0)), "");  // now the newest
  cache_.keep("tets", key(3), std::string(1000, 'x'));
  EXPECT_EQ(cache_.find("tets", key(1)), "");
  for (int i : {0, 2, 3}) EXPECT_NE(cache_.find("tets", key(i)), "") << i;
  EXPECT_TRUE(fs::exists(path("cache/mine.txt")));
  EXPECT_FALSE(fs::exists(path("cache/tets-old.stage.1.1.part")));
  EXPECT_TRUE(fs::exists(path("cache/tets-new.stage.1.1.part")));
  cache_.keep("tets", key(4), std::string(4000, 'x'));  // more than all there is room for
  EXPECT_EQ(cache_.find("tets", key(4)), "");
  EXPECT_NE(cache_.find("tets", key(3)), "");
}

TEST_F(Stages, of_two_programs_at_once_are_whole) {
  const auto bytes = [](int i) { return std::string(20000, static_cast<char>('a' + i)); };
  std::vector<std::thread> programs;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    programs.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        cache_.keep("tets", kKey, bytes(i));
        const std::string found = cache_.find("tets", kKey);
        if (found.size() != 20000 || found != bytes(found[0] - 'a')) ++wrong;
      }
    });
  for (std::thread& p : programs) p.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(listing().size(), 1u);
}

TEST_F(Stages, are_not_kept_where_nothing_can_be_written) {
  write("file", "");
  cache_.open(path("file/cache"));
  cache_.keep("tets", kKey, "bytes");
  EXPECT_EQ(cache_.find("tets", kKey), "");
  cache_.open("");
  cache_.keep("tets", kKey, "bytes");
  EXPECT_EQ(cache_.find("tets", kKey), "");
  EXPECT_EQ(listing().size(), 1u);
}

TEST_F(Stages, have_a_usual_folder) {
  const auto get = [](const char* name) {
    const char* value = getenv(name);
    return std::string(value ? value : "");
  };
  const std::string own = get("SUPPLE_CACHE"), all = get("XDG_CACHE_HOME"), home = get("HOME");
  setenv("SUPPLE_CACHE", "/a/b", 1), setenv("XDG_CACHE_HOME", "/c", 1), setenv("HOME", "/d", 1);
  EXPECT_EQ(usual_cache_folder(), "/a/b");
  setenv("SUPPLE_CACHE", "off", 1);
  EXPECT_EQ(usual_cache_folder(), "");
  unsetenv("SUPPLE_CACHE");
  EXPECT_EQ(usual_cache_folder(), "/c/supple");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(usual_cache_folder(), "/d/.cache/supple");
  unsetenv("HOME");
  EXPECT_EQ(usual_cache_folder(), "");
  setenv("SUPPLE_CACHE", own.c_str(), 1), setenv("HOME", home.c_str(), 1);
  if (!all.empty()) setenv("XDG_CACHE_HOME", all.c_str(), 1);
}

TEST_F(Stages, bring_back_tets_and_their_blend) {
  TriMesh skin = boundary_surface(make_box(3, 4, 3, Vec3(0.5, 1, 0.4)));
  const CageOptions options{.count = 400};
  StagesFound first, second, changed;
  const CageStage plain = cage_stage(skin, options, first);
  const VertexBlend blend = blend_stage(plain, skin, first);
  EXPECT_TRUE(first.all_found().empty());
  stage_cache().open(path("cache"));
  cage_stage(skin, options, first), blend_stage(plain, skin, first);
  const CageStage found = cage_stage(skin, options, second);
  EXPECT_EQ(blend_stage(found, skin, second).weight, blend.weight);
  EXPECT_EQ(second.all_found(), (std::vector<std::string>{"tets", "embedding"}));
  EXPECT_EQ(found.cage.mesh.vertices, plain.cage.mesh.vertices);
  EXPECT_EQ(found.cage.mesh.tets, plain.cage.mesh.tets);
  EXPECT_EQ(found.cage.mesh.tet_maps, plain.cage.mesh.tet_maps);
  EXPECT_EQ(found.cage.surface.weight, plain.cage.surface.weight);
  EXPECT_EQ(found.cage.tet, plain.cage.tet);
  EXPECT_EQ(found.report.n_tets, plain.report.n_tets);
  EXPECT_EQ(found.report.warnings, plain.report.warnings);
  skin.vertices[5].x() += 1e-9;
  cage_stage(skin, options, changed);
  EXPECT_TRUE(changed.all_found().empty());
  stage_cache().open("");
}

TEST_F(Stages, bring_back_what_was_planned) {
  FleshPlan plan;
  plan.flesh = {{.bone = "Hips", .frequency_hz = 1.7, .inertia = 0.3}, {.bone = "", .half_life_s = 0.25}};
  plan.clips = {
      {.clip = "Run", .run = true, .swing99 = 0.2, .held = 0.01, .farthest = 0.03, .regions = {{"Hips", 0.1}}}};
  const std::string bytes = pack_plan(plan);
  FleshPlan read;
  ASSERT_TRUE(unpack_plan(bytes, read));
  ASSERT_EQ(read.flesh.size(), 2u);
  EXPECT_EQ(read.flesh[0].bone, "Hips");
  EXPECT_EQ(read.flesh[0].frequency_hz, 1.7);
  EXPECT_FALSE(read.flesh[0].half_life_s);
  EXPECT_EQ(read.flesh[1].half_life_s, 0.25);
  ASSERT_EQ(read.clips.size(), 1u);
  EXPECT_TRUE(read.clips[0].run);
  EXPECT_EQ(read.clips[0].farthest, 0.03);
  ASSERT_EQ(read.clips[0].regions.size(), 1u);
  EXPECT_EQ(read.clips[0].regions[0].swing99, 0.1);
  EXPECT_FALSE(unpack_plan(bytes.substr(0, bytes.size() - 1), read));
  EXPECT_TRUE(read.flesh.empty());
  EXPECT_FALSE(unpack_plan("", read));
}

TEST(Pack, reads_what_was_packed_and_never_trusts_a_count) {
  Packer pack;
  pack(3), pack(std::string("text")), pack(std::vector<double>{1, 2}), pack(Points{{1, 2, 3}});
  pack(std::map<std::string, std::vector<double>>{{"fill", {0.5}}}), pack(VecX(VecX::Ones(2))), pack(true);
  pack(std::vector<std::string>{"a", ""});
  const std::string bytes = pack.take();
  const auto take = [](std::string_view data) {
    Unpacker unpack(data);
    int number = 0;
    std::string text;
    std::vector<double> list;
    Points points;
    std::map<std::string, std::vector<double>> maps;
    VecX x;
    bool yes = false;
    std::vector<std::string> words;
    unpack(number), unpack(text), unpack(list), unpack(points), unpack(maps), unpack(x), unpack(yes), unpack(words);
    const bool same = number == 3 && text == "text" && list == std::vector<double>{1, 2} &&
                      points == Points{{1, 2, 3}} && maps.count("fill") && x.size() == 2 && x.isOnes(0) && yes &&
                      words == std::vector<std::string>{"a", ""};
    EXPECT_TRUE(same || !unpack.whole());
    return unpack.whole();
  };
  EXPECT_TRUE(take(bytes));
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(take(std::string_view(bytes).substr(0, n))) << n;
  EXPECT_FALSE(Unpacker(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff", 8)).whole());
  VecX x;
  std::vector<std::string> words;
  const std::string huge(16, '\x7f');
  Unpacker a(huge), b(huge);
  a(x), b(words);
  EXPECT_FALSE(a.good());
  EXPECT_FALSE(b.good());
}

}  // namespace
}  // namespace supple
