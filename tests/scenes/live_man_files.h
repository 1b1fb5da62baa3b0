// A coarse live man in the folder of a test: his scene, his packs as `supple live` writes them, and what they are made
// from.
#pragma once
#include "supple/demos/examples/examples_live.h"
#include "supple/demos/gallery/live_man.h"
#include "supple/io/gltf/gltf_write.h"
#include "supple/pipeline/character/character_subject.h"
#include "tests/scene/shared_stages.h"

namespace supple {

using namespace demos;
using namespace pipeline;
using namespace pipeline::live;

class LiveManFiles : public SharedStages {
 protected:
  static constexpr const char* kClip = "jump";
  // out/man.live.glb, out/man.baked.glb, ... deliver: as in the scene file.
  void make_man(const std::string& deliver) {
    const std::string scene = live_example(folder_);
    write_gltf(path("man.glb"), make_live_man({.edge = 0.05}), {.colors = live_man_colors()});
    const SceneConfig config =
        live_scene(write("man.toml", scene), {"tets.preset=preview", "live.modes=5", "live.clips=[\"jump\", \"walk\"]",
                                              "live.weight_limit=0", "output.report=false", "live.deliver=" + deliver});
    make_live(config, {.directory = path("out")});
    job_ = build_job(config, false);
    build_ = build_live(job_, job_.subject->character()->setup());
    weights_ = baked_weights(build_, 0);
    ASSERT_EQ(build_.pack.parts.size(), 3u);
    ASSERT_EQ(build_.clips[0].clip->name, kClip);
  }
  // The drawn vertices in the world at a time of the clip [s]: weights of the frames beside it, mixed, under the skin.
  Points soft(double t) const {
    const CharacterSetup& c = job_.subject->character()->setup();
    const std::vector<double>& times = build_.clips[0].times;
    const double at = (t - times[0]) / (times[1] - times[0]);
    const auto f = static_cast<Eigen::Index>(std::min(at + 1e-9, static_cast<double>(times.size()) - 2));
    SkinnedPoints points = c.drawn.vertices;
    for (size_t p = 0; p < weights_.size(); ++p) {
      const VecX w = weights_[p].row(f) + (at - static_cast<double>(f)) * (weights_[p].row(f + 1) - weights_[p].row(f));
      for (size_t i = 0; i < build_.pack.parts[p].modes.size(); ++i) {
        const LiveShape& shape = build_.pack.parts[p].modes[i].shape;
        for (size_t k = 0; k < shape.vertices.size(); ++k)
          points.rest[shape.vertices[k]] += w[static_cast<Eigen::Index>(i)] * shape.positions[k];
      }
    }
    return posed(points, pose_at(c.character, c.drawn, *build_.clips[0].clip, t));
  }
  Points rigid(double t) const {
    const CharacterSetup& c = job_.subject->character()->setup();
    return posed(c.drawn.vertices, pose_at(c.character, c.drawn, *build_.clips[0].clip, t));
  }

  Job job_;
  LiveBuild build_;
  std::vector<MatX> weights_;  // of the clip, baked
};

}  // namespace supple
