#include "supple/demos/figures/curves_figure_bench.h"

#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/rigs/differenced_rig.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr double kMovedShare = 0.01;

std::vector<Points> shapes_of(const CurvesSetup& setup, const CurveSamples& samples) {
  const KeyedParameters all = keyed_with(setup.rig.rig, samples);
  std::vector<Points> frames(static_cast<size_t>(setup.rig.time.n_frames));
  for (size_t f = 0; f < frames.size(); ++f) {
    const double t = static_cast<double>(f) / setup.rig.time.fps;
    const VecX x = setup.rig.rig->evaluate(all(t), t);
    for (Eigen::Index i = 0; i < x.size(); i += 3) frames[f].push_back(x.segment<3>(i));
  }
  return frames;
}

std::vector<double> shares_of(const CurvesSetup& setup) {
  const auto rig = with_derivatives(setup.rig.still);
  const MatX J = rig->jacobian(rig->rest(), 0, setup.rig.all_free());
  std::vector<double> share;
  for (Eigen::Index i = 0; i < J.rows(); i += 3) share.push_back(J.middleRows(i, 3).norm());
  const double most = *std::max_element(share.begin(), share.end());
  for (double& s : share) s = most > 0 ? s / most : 0;
  return share;
}

double squares_of_moved(const Points& a, const Points& b, const std::vector<double>& share, double& count) {
  double sum = 0;
  for (size_t v = 0; v < a.size(); ++v)
    if (share[v] > kMovedShare) sum += (a[v] - b[v]).squaredNorm(), count += 1;
  return sum;
}

}  // namespace

std::vector<double> CurvesTake::seconds() const {
  std::vector<double> list;
  for (int f = 0; f < n_frames(); ++f) list.push_back(f / setup->rig.time.fps);
  return list;
}

std::vector<double> CurvesTake::curve(const std::string& parameter) const {
  const auto& all = setup->rig.rig->parameters();
  const auto at = std::find_if(all.begin(), all.end(), [&](const RigParameter& p) { return p.name == parameter; });
  if (at == all.end()) throw InputError({.place = parameter}, "is no parameter of this rig");
  const KeyedParameters values = keyed_with(setup->rig.rig, result.samples);
  std::vector<double> list;
  for (double t : seconds()) list.push_back(values(t)[at - all.begin()]);
  return list;
}

RenderMesh CurvesTake::drawn(const Points& x) const {
  RenderMesh m;
  m.vertices = x;
  m.triangles = setup->rig.triangles;
  for (double s : share) m.colors.push_back(Vec3(0.36, 0.37, 0.40) + std::sqrt(s) * Vec3(0.30, 0.08, -0.08));
  return m;
}

double CurvesTake::motion() const { return rms_of_moved(found, keyed, share); }

int CurvesTake::busiest() const {
  int most = 0;
  double largest = -1;
  for (size_t f = 0; f < found.size(); ++f) {
    double count = 0;
    const double sum = squares_of_moved(found[f], keyed[f], share, count);
    if (sum > largest) largest = sum, most = static_cast<int>(f);
  }
  return most;
}

CurvesTake take_curves(const FigureStage& stage, const std::string& label, std::shared_ptr<const CurvesSetup> setup) {
  stage.note("running " + label);
  CurvesTake take;
  take.setup = std::move(setup);
  take.result = run_curves(*take.setup, stage.quiet());
  take.found = shapes_of(*take.setup, take.result.samples);
  take.keyed = shapes_of(*take.setup, take.setup->keys);
  take.share = shares_of(*take.setup);
  return take;
}

CurvesTake take_curves(const FigureStage& stage, const std::string& label, const std::string& scene,
                       const std::vector<std::string>& overrides) {
  return take_curves(stage, label, set_up_curves(load_scene(scene, overrides)));
}

double rms_of_moved(const std::vector<Points>& a, const std::vector<Points>& b, const std::vector<double>& share) {
  double sum = 0, count = 0;
  for (size_t f = 0; f < std::min(a.size(), b.size()); ++f) sum += squares_of_moved(a[f], b[f], share, count);
  return count > 0 ? std::sqrt(sum / count) : 0;
}

Points together(const std::vector<const Points*>& shapes) {
  Points all;
  for (const Points* x : shapes) all.insert(all.end(), x->begin(), x->end());
  return all;
}

Vec3 field_color(double stiffness) {
  const Vec3 plain(0.55, 0.55, 0.53), soft(0.08, 0.25, 0.75), stiff(0.75, 0.12, 0.06);
  const double decades = std::clamp(std::log10(std::max(stiffness, 1e-3)), -1.0, 1.0);
  return (1 - std::abs(decades)) * plain + std::abs(decades) * (decades < 0 ? soft : stiff);
}

void color_by_field(const Points& rest, const TetMesh& tets, const std::vector<double>& stiffness, RenderMesh& mesh) {
  // On vertices: means of logarithms around them.
  std::vector<double> sum(tets.vertices.size(), 0), count(tets.vertices.size(), 0);
  for (size_t e = 0; e < tets.tets.size(); ++e)
    for (int v : tets.tets[e]) {
      sum[static_cast<size_t>(v)] += std::log10(std::max(stiffness[e], 1e-3));
      count[static_cast<size_t>(v)] += 1;
    }
  mesh.colors.clear();
  for (const Vec3& x : rest) {
    size_t nearest = 0;
    for (size_t v = 1; v < tets.vertices.size(); ++v)
      if ((tets.vertices[v] - x).squaredNorm() < (tets.vertices[nearest] - x).squaredNorm()) nearest = v;
    mesh.colors.push_back(field_color(std::pow(10, sum[nearest] / std::max(1.0, count[nearest]))));
  }
}

void color_by_field(const CurvesTake& take, RenderMesh& mesh) {
  const LayerResult& layer = take.layer();
  const std::vector<double> alike(layer.tets.tets.size(), 1);
  color_by_field(take.setup->rig.rest, layer.tets, layer.fit ? layer.fit->stiffness : alike, mesh);
}

}  // namespace supple::demos
