// The examples of curves physics: every scene of them is ready to run, on bodies of the sizes that were published.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "supple/demos/examples/examples.h"
#include "supple/pipeline/curves/run.h"
#include "supple/scene/read_scene.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace demos;
using namespace pipeline::curves;
namespace {

// Parameters that are free, and coordinates inside and on the surface: p, n and s [rig-space physics, Table 1].
struct Sizes {
  int p, n, s;
  bool operator==(const Sizes&) const = default;
};
void PrintTo(const Sizes& d, std::ostream* os) { *os << d.p << " / " << d.n << " / " << d.s; }

class CurvesExamples : public SceneFiles {
 protected:
  // All scenes that an example writes, by name.
  std::map<std::string, SceneConfig> scenes(const std::string& example) {
    write_example(example, path(example), {.short_shot = true});
    std::map<std::string, SceneConfig> found;
    for (const auto& file : std::filesystem::directory_iterator(path(example)))
      if (file.path().extension() == ".toml")
        found.emplace(file.path().stem().string(), load_scene(file.path().string(), {}));
    return found;
  }

  // Every boundary vertex of the tets is a point of the rig.
  static Sizes sizes(const SceneConfig& scene) {
    const auto setup = set_up_curves(scene);
    const int rigged = static_cast<int>(setup->tets.rigged.size());
    EXPECT_EQ(setup->tets.coincident, rigged);
    return {static_cast<int>(setup->rig.all_free().size()), 3 * (setup->tets.mesh.n_vertices() - rigged), 3 * rigged};
  }

  static std::map<std::string, Sizes> sizes(const std::map<std::string, SceneConfig>& scenes) {
    std::map<std::string, Sizes> all;
    for (const auto& [name, scene] : scenes) all.emplace(name, sizes(scene));
    return all;
  }
};

TEST_F(CurvesExamples, sphere_bar_and_flower_are_as_large_as_published) {
  EXPECT_EQ(sizes(scenes("rig-sphere")),
            (std::map<std::string, Sizes>{{"rig-sphere", {3, 5430, 2580}}, {"passive", {5, 5430, 2580}}}));
  EXPECT_EQ(sizes(scenes("rig-bar")), (std::map<std::string, Sizes>{{"rig-bar", {4, 489, 174}},
                                                                    {"stiff-right", {4, 489, 174}},
                                                                    {"stiff-end", {4, 489, 174}},
                                                                    {"interior", {12, 489, 174}},
                                                                    {"wire", {12, 489, 174}}}));
  const Sizes flower{24, 1089, 987};
  EXPECT_EQ(sizes(scenes("rig-flower")),
            (std::map<std::string, Sizes>{
                {"rig-flower", flower}, {"soft", flower}, {"stiff", flower}, {"soft-blossom", flower}}));
}

TEST_F(CurvesExamples, the_elephant_is_as_large_as_published) {
  EXPECT_EQ(sizes(scenes("rig-elephant")), (std::map<std::string, Sizes>{{"rig-elephant", {66, 3990, 2253}},
                                                                         {"belly", {36, 3990, 2253}},
                                                                         {"belly-modes", {36, 3990, 2253}},
                                                                         {"dance", {36, 3990, 2253}},
                                                                         {"trunk", {13, 3990, 2253}},
                                                                         {"tail", {12, 3990, 2253}},
                                                                         {"shoulders", {3, 3990, 2253}},
                                                                         {"ears", {2, 3990, 2253}}}));
}

// Handles begin where the skin is, so that nothing is pulled at first.
TEST_F(CurvesExamples, the_work_out_begins_at_rest) {
  for (const auto& [name, scene] : scenes("rig-workout")) {
    ASSERT_EQ(scene.curve_handles.size(), 8u) << name;
    const auto setup = set_up_curves(scene);
    const CurvesLayer layer = make_layer(*setup, 0, setup->keys);
    const VecX first = layer.targets(0);
    const VecX there = setup->rig.rig->evaluate(setup->rig.rig->rest(), 0);
    double farthest = 0;
    for (size_t k = 0; k < scene.curve_handles.size(); ++k) {
      double nearest = 1;
      for (Eigen::Index v = 0; v < there.size(); v += 3)
        nearest = std::min(nearest, (there.segment<3>(v) - first.segment<3>(3 * static_cast<Eigen::Index>(k))).norm());
      farthest = std::max(farthest, nearest);
    }
    EXPECT_LT(farthest, 1e-6) << name;
  }
}

}  // namespace
}  // namespace supple
