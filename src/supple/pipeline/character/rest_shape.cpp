#include "supple/pipeline/character/rest_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "supple/attach/extend.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/obj.h"
#include "supple/mesh/unfold.h"

namespace supple::pipeline {

namespace {

constexpr double kFolded = 0.05;  // of the usual volume: less is as good as inside out
constexpr double kFlat = 1e-9;
constexpr size_t kPlacesTold = 3;

// Where some tets are: by regions, and one place.
std::string places(const std::vector<int>& tets, const TetMesh& cage, const Flesh& flesh) {
  std::map<std::string, int> count;
  for (const int t : tets)
    if (flesh.region[t] >= 0) ++count[flesh.regions[static_cast<size_t>(flesh.region[t])].name];
  std::vector<std::pair<int, std::string>> most;
  for (const auto& [name, n] : count) most.emplace_back(-n, name);
  std::sort(most.begin(), most.end());
  std::string list;
  for (size_t k = 0; k < std::min(most.size(), kPlacesTold); ++k)
    list += fmt::format("{} ({}), ", most[k].second, -most[k].first);
  const Tet& q = cage.tets[tets[0]];
  const Points& x = flesh.at_rest;
  const Vec3 place = (x[q[0]] + x[q[1]] + x[q[2]] + x[q[3]]) / 4;
  return fmt::format("{}one at ({:.3g}, {:.3g}, {:.3g}) m", list, place.x(), place.y(), place.z());
}

// Skinning folds deep joints in nearly every pose: that is put right where it can be.
void put_right(const SceneConfig& config, const TetMesh& cage, Flesh& flesh) {
  std::vector<char> counts;
  for (const Tet& t : cage.tets)
    counts.push_back(std::any_of(t.begin(), t.end(), [&](int v) { return flesh.softness[v] > 0; }));
  const auto n_flesh = std::count(counts.begin(), counts.end(), 1);
  const std::vector<double> bound = tet_volumes(cage);
  Unfolding u = unfold(cage, counts, kFolded, flesh.at_rest);
  for (size_t t = 0; t < cage.tets.size(); ++t) {
    const Tet& q = cage.tets[t];
    const Points& x = flesh.at_rest;
    const double volume = std::abs(tet_volume(x[q[0]], x[q[1]], x[q[2]], x[q[3]]));
    if (!counts[t] && !(volume > kFlat * bound[t])) u.left.push_back(static_cast<int>(t));
  }
  if (!u.left.empty())
    throw InputError(config.locate("surface.rest"),
                     fmt::format("{} of {} tets of the flesh are inside out or flat in that shape: {}", u.left.size(),
                                 n_flesh, places(u.left, cage, flesh)),
                     "choose a shape in which joints are less bent, or let the flesh follow there (attach.soft, "
                     "[[region]] soft = 0)");
  if (u.folded.empty()) return;
  flesh.warnings.push_back(fmt::format(
      "surface.rest: {} of {} tets of the flesh are folded in that shape ({}): its inside was moved there by up to "
      "{:.2g} % of the size to undo that",
      u.folded.size(), n_flesh, places(u.folded, cage, flesh), 100 * u.farthest / longest_side(cage.vertices)));
}

}  // namespace

Points drawn_at_rest(const SceneConfig& config, const CharacterSetup& c) {
  const RestChoice& rest = config.surface.rest;
  if (rest.file.empty()) return {};
  std::string ending = std::filesystem::path(rest.file.path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char ch) { return std::tolower(ch); });
  Points drawn;
  if (ending == ".obj") {
    drawn = read_obj(rest.file.path).vertices;
    for (Vec3& x : drawn) x *= c.scale;
  } else if (ending == ".glb" || ending == ".gltf") {
    drawn = lay_out(read_gltf(rest.file.path), c.scale).vertices.rest;
  } else {
    throw InputError(config.locate("surface.rest"), fmt::format("'{}' is no .obj, .glb or .gltf", rest.file.text),
                     "for example surface.obj of a take, changed");
  }
  if (static_cast<int>(drawn.size()) != c.drawn.n_vertices())
    throw InputError(
        config.locate("surface.rest"),
        fmt::format("'{}' has {} vertices, the character {}", rest.file.text, drawn.size(), c.drawn.n_vertices()),
        "begin with surface.obj of a take, and move vertices without adding, merging or sorting them");
  return drawn;
}

void put_rest_shape(const SceneConfig& config, const CharacterSetup& c, const TetMesh& cage, const VertexBlend& blend,
                    const std::vector<Pose>& poses, const Points& at_rest, Flesh& flesh) {
  const RestChoice& rest = config.surface.rest;
  if (rest.frame >= 0) {
    if (static_cast<size_t>(rest.frame) >= poses.size())
      throw InputError(
          config.locate("surface.rest"),
          fmt::format("frame {} is not in the clip, which has frames 0 to {}", rest.frame, poses.size() - 1),
          "choose one of these");
    flesh.at_rest = posed(flesh.points, poses[static_cast<size_t>(rest.frame)]);
  } else if (!at_rest.empty()) {
    MatX moved(static_cast<Eigen::Index>(c.skin_source.size()), 3);
    for (Eigen::Index i = 0; i < moved.rows(); ++i) {
      const int v = c.skin_source[static_cast<size_t>(i)];
      moved.row(i) = at_rest[v] - c.drawn.vertices.rest[v];
    }
    const MatX inside = Extension(cage, c.skin, blend, Extend::bends)(moved);
    flesh.at_rest = cage.vertices;
    for (size_t v = 0; v < flesh.at_rest.size(); ++v)
      flesh.at_rest[v] += inside.row(static_cast<Eigen::Index>(v)).transpose();
  }
  if (!flesh.at_rest.empty()) put_right(config, cage, flesh);
}

}  // namespace supple::pipeline
