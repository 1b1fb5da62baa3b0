#include "supple/pipeline/curves/body.h"

#include <algorithm>

#include "supple/base/error.h"
#include "supple/pipeline/setup/body.h"

namespace supple::pipeline::curves {

namespace {

constexpr double kIndependent = 1e-2;  // of what a parameter moves, that others do not

}  // namespace

CroppedTets crop_tets(const CurvesTets& tets, const RigMap& rig, const std::vector<int>& free, int margin,
                      const std::vector<std::pair<VecX, double>>& moments, const Location& where) {
  const size_t n = tets.mesh.vertices.size();
  const double least = kLeastMotion * longest_side(tets.mesh.vertices);
  std::vector<char> moved(tets.rigged.size(), 0), in_reach(n, 0);
  for (const auto& [p, t] : moments) {
    const MatX J = tets.map.apply(rig.jacobian(p, t, free));
    for (size_t k = 0; k < tets.rigged.size(); ++k)
      for (size_t a = 0; a < free.size() && !moved[k]; ++a)
        moved[k] = J.block<3, 1>(3 * static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(a)).norm() *
                       rig.parameters()[static_cast<size_t>(free[a])].unit >
                   least;
  }
  for (size_t k = 0; k < moved.size(); ++k)
    if (moved[k]) in_reach[tets.rigged[k]] = 1;
  if (std::none_of(moved.begin(), moved.end(), [](char c) { return c != 0; }))
    throw InputError(where, "what is free moves nothing of the tets",
                     "free other parameters, or make the pieces that they move soft with [[part]]");
  CroppedTets out;
  const auto touches = [&](const Tet& t) {
    return std::any_of(t.begin(), t.end(), [&](int v) { return in_reach[v] != 0; });
  };
  std::vector<char> kept(tets.mesh.tets.size(), margin == 0);
  for (int ring = 0; ring <= margin && margin > 0; ++ring) {
    for (size_t t = 0; t < kept.size(); ++t) kept[t] = kept[t] || touches(tets.mesh.tets[t]);
    for (size_t t = 0; t < kept.size(); ++t)
      if (kept[t])
        for (int v : tets.mesh.tets[t]) in_reach[v] = 1;
  }
  std::vector<int> number(n, -1);
  for (size_t t = 0; t < kept.size(); ++t) {
    if (!kept[t]) continue;
    out.tet.push_back(static_cast<int>(t));
    for (int v : tets.mesh.tets[t]) number[v] = 0;
  }
  for (size_t v = 0; v < n; ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(out.vertex.size());
    out.vertex.push_back(static_cast<int>(v));
    out.mesh.vertices.push_back(tets.mesh.vertices[v]);
  }
  for (int t : out.tet) {
    Tet tet = tets.mesh.tets[t];
    for (int& v : tet) v = number[v];
    out.mesh.tets.push_back(tet);
  }
  for (const auto& [name, values] : tets.mesh.tet_maps) {
    std::vector<double>& some = out.mesh.tet_maps[name];
    for (int t : out.tet) some.push_back(values[t]);
  }
  out.map.n_points = tets.map.n_points;
  for (size_t k = 0; k < tets.rigged.size(); ++k) {
    if (number[tets.rigged[k]] < 0) continue;
    out.rigged.push_back(number[tets.rigged[k]]);
    out.moved.push_back(moved[k]);
    for (int e = tets.map.first[k]; e < tets.map.first[k + 1]; ++e) {
      out.map.point.push_back(tets.map.point[e]);
      out.map.weight.push_back(tets.map.weight[e]);
    }
    out.map.first.push_back(static_cast<int>(out.map.point.size()));
  }
  return out;
}

IndependentParameters independent_parameters(const CroppedTets& tets, const RigMap& rig, const std::vector<int>& free,
                                             const std::vector<std::pair<VecX, double>>& moments) {
  // Columns of all moments, one below the other, in usual changes of the parameters.
  const Eigen::Index rows = 3 * tets.map.n_rows(), n = static_cast<Eigen::Index>(free.size());
  MatX J(rows * static_cast<Eigen::Index>(moments.size()), n);
  for (size_t m = 0; m < moments.size(); ++m)
    J.middleRows(static_cast<Eigen::Index>(m) * rows, rows) =
        tets.map.apply(rig.jacobian(moments[m].first, moments[m].second, free));
  for (Eigen::Index a = 0; a < n; ++a) J.col(a) *= rig.parameters()[static_cast<size_t>(free[a])].unit;
  IndependentParameters out;
  std::vector<char> done(free.size(), 0);
  const double least = kLeastMotion * longest_side(tets.mesh.vertices);
  for (Eigen::Index a = 0; a < n; ++a) {
    double most = 0;
    for (Eigen::Index i = 0; i < J.rows(); i += 3) most = std::max(most, J.block<3, 1>(i, a).norm());
    if (most > least) continue;
    done[static_cast<size_t>(a)] = 1;
    out.idle.push_back(free[static_cast<size_t>(a)]);
  }
  // Gram-Schmidt, the column with most left first.
  VecX before = J.colwise().norm();
  for (Eigen::Index step = 0; step < n; ++step) {
    Eigen::Index best = -1;
    double most = 0;
    for (Eigen::Index a = 0; a < n; ++a)
      if (const double left = J.col(a).norm(); !done[a] && left > kIndependent * before[a] && left > most)
        most = left, best = a;
    if (best < 0) break;
    done[best] = 1;
    out.own.push_back(free[best]);
    const VecX q = J.col(best) / most;
    for (Eigen::Index a = 0; a < n; ++a)
      if (!done[a]) J.col(a) -= q.dot(J.col(a)) * q;
  }
  for (size_t a = 0; a < free.size(); ++a)
    if (!done[a]) out.alike.push_back(free[a]);
  std::sort(out.own.begin(), out.own.end());
  return out;
}

ModelSpec curves_model(const SceneConfig& config, const CroppedTets& tets, std::vector<std::string>& warnings) {
  Notes notes;
  Body body;
  body.spec.mesh = tets.mesh;
  set_model_options(config, body.spec);
  set_materials(config, body, notes);
  apply_fill(body.spec);
  warnings.insert(warnings.end(), notes.warnings.begin(), notes.warnings.end());
  return std::move(body.spec);
}

}  // namespace supple::pipeline::curves
