// What tests/blender/curves_check.py should find of a clip of new curves.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/anim/node_tree.h"
#include "supple/io/gltf/curves_glb.h"

namespace supple::test {

struct CurvesTolerance {
  double angle = 1e-3;     // [rad]
  double distance = 1e-4;  // [m]
};

// The contents of EXPECTED.json. shown: the file with the clip, read again; channels: those that are new; times [s] in
// the file.
inline std::string curves_expectation(const Character& shown, const std::string& clip,
                                      const std::vector<CurveChannel>& channels, const std::vector<double>& times,
                                      const CurvesTolerance& tolerance) {
  static const char* const paths[] = {"translation", "rotation", "scale", "weights"};
  nlohmann::json out = {{"new", nlohmann::json::object()},   {"weights", nlohmann::json::object()},
                        {"world", nlohmann::json::object()}, {"times", times},
                        {"angle", tolerance.angle},          {"distance", tolerance.distance}};
  const Clip* played = nullptr;
  for (const Clip& c : shown.clips)
    if (c.name == clip) played = &c;
  if (!played) return out.dump();
  // As many keys as the file has.
  const auto n_keys = [&](const CurveChannel& c) -> size_t {
    for (const Channel& there : played->channels)
      if (there.node == c.node && there.path == c.path) return there.times.size();
    return 0;
  };
  for (const CurveChannel& c : channels) {
    const Node& node = shown.nodes[static_cast<size_t>(c.node)];
    if (c.path == ChannelPath::weights) {
      out["weights"][shown.meshes[static_cast<size_t>(node.mesh)].name] = n_keys(c);
    } else {
      out["new"][node.name][paths[static_cast<int>(c.path)]] = n_keys(c);
      out["world"][node.name] = nlohmann::json::array();
    }
  }
  for (size_t i = 0; i < times.size(); ++i) {
    const std::vector<Affine> world = node_matrices(shown, *played, times[i]);
    for (const CurveChannel& c : channels) {
      if (c.path == ChannelPath::weights) continue;
      nlohmann::json& list = out["world"][shown.nodes[static_cast<size_t>(c.node)].name];
      if (list.size() > i) continue;  // two channels of one node
      nlohmann::json numbers = nlohmann::json::array();
      const Eigen::Matrix4d m = Eigen::Transform<double, 3, Eigen::Affine>(world[static_cast<size_t>(c.node)]).matrix();
      for (int r = 0; r < 4; ++r)
        for (int k = 0; k < 4; ++k) numbers.push_back(m(r, k));
      list.push_back(numbers);
    }
  }
  return out.dump();
}

}  // namespace supple::test
