#include "supple/pipeline/enriched/tets.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/error.h"
#include "supple/io/obj.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/mesh/unfold.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/setup/character_stages.h"

namespace supple::pipeline {

namespace {

constexpr double kLeastVolume = 0.05;  // of what tets mostly keep of theirs when they are bent back

// Where parts are apart; empty: the neutral shape will do.
Points shape_apart(const SceneConfig& config, const EnrichInput& input) {
  const RestChoice& choice = config.enrich.apart;
  const Location where = config.locate("enrich.apart");
  if (!choice.file.empty()) {
    Points shape = read_obj(choice.file.path).vertices;
    if (shape.size() != input.surface.vertices.size())
      throw InputError(where,
                       fmt::format("'{}' has {} vertices, the surface {}", choice.file.text, shape.size(),
                                   input.surface.vertices.size()),
                       "give the same mesh in another shape");
    for (Vec3& x : shape) x *= input.scale;
    return shape;
  }
  if (choice.frame < 0) return {};
  if (choice.frame >= input.frames.n_samples)
    throw InputError(where,
                     fmt::format("there is no frame {}: the animation has {}", choice.frame, input.frames.n_samples));
  if (!input.moves_all())
    throw InputError(where, "a frame knows only the places of what is tracked",
                     "give an .obj of the whole surface with its parts apart");
  Points shape = input.surface.vertices;
  const Points frame = input.frames.points(choice.frame);
  for (size_t i = 0; i < frame.size(); ++i) {
    if (!frame[i].allFinite()) throw InputError(where, fmt::format("frame {} has holes", choice.frame));
    shape[input.vertex[i]] = frame[i];
  }
  return shape;
}

std::vector<PointTie> ties_in(const TetMesh& mesh, const std::vector<int>& tet, const Points& points) {
  std::vector<PointTie> ties;
  for (size_t v = 0; v < points.size(); ++v) {
    const Tet& t = mesh.tets[tet[v]];
    ties.push_back({t, barycentric(points[v], mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]],
                                   mesh.vertices[t[3]])});
  }
  return ties;
}

void bend_back(const SceneConfig& config, const Points& apart, EnrichSetup& s) {
  const Points& neutral = s.input.surface.vertices;
  std::vector<int> all(neutral.size());
  for (size_t v = 0; v < all.size(); ++v) all[v] = static_cast<int>(v);
  SurfaceFit fit(s.cage, ties_in(s.cage, s.tet, apart), areas_of(s.input.surface, all), fit_options(config));
  VecX u;
  const FitFrame report = fit.solve(flatten(neutral), u);
  Points x = s.cage.vertices;
  for (size_t v = 0; v < x.size(); ++v) x[v] += u.segment<3>(3 * static_cast<Eigen::Index>(v));
  const Unfolding unfolded = unfold(s.cage, std::vector<char>(s.cage.tets.size(), 1), kLeastVolume, x);
  if (!unfolded.left.empty())
    throw InputError(
        config.locate("enrich.apart"),
        fmt::format("{} tets stay folded when the shape is brought back to the neutral one", unfolded.left.size()),
        "choose a shape nearer to the neutral one");
  if (report.damped || report.rms > 0.01 * s.size())
    s.warnings.push_back(fmt::format("enrich.apart: the way back to the neutral shape leaves {:.2g} % of its size",
                                     100 * report.rms / s.size()));
  s.cage.vertices = std::move(x);
}

}  // namespace

void make_enrich_tets(const SceneConfig& config, EnrichSetup& s) {
  const Points apart = shape_apart(config, s.input);
  TriMesh surface = s.input.surface;
  if (!apart.empty()) surface.vertices = apart;
  if (config.tets.file.empty()) {
    StagesFound found;
    CageStage made = cage_stage(surface, cage_options_of(config.tets), found);
    s.cage = std::move(made.cage.mesh);
    s.tet = std::move(made.cage.tet);
    s.warnings.insert(s.warnings.end(), made.report.warnings.begin(), made.report.warnings.end());
  } else {
    s.cage = read_tet_mesh(config.tets.file.path);
    for (Vec3& x : s.cage.vertices) x *= config.tets.scale;
    if (config.tets.repair) repair(s.cage);
    require_simulable(s.cage, config.tets.file.text);
    const Embedding e = embed(s.cage, surface.vertices);
    s.tet = e.tet;
    if (e.n_outside > 0)
      s.warnings.push_back(fmt::format("{}: {} of {} vertices of the surface lie outside the tets, by up to {:.3g} m",
                                       config.tets.file.text, e.n_outside, surface.n_vertices(), e.max_distance));
  }
  if (!apart.empty()) bend_back(config, apart, s);
  s.weights.clear();
  for (const PointTie& t : ties_in(s.cage, s.tet, s.input.surface.vertices)) s.weights.push_back(t.weights);
}

}  // namespace supple::pipeline
