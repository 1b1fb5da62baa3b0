#include "supple/rigspace/rig_body.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "supple/base/error.h"
#include "supple/constraint/springs.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/solver.h"
#include "supple/rigs/differenced_rig.h"

namespace supple {

namespace {

void check_rigged(const RigBodySpec& spec, const RigMap& rig) {
  const int n = spec.model.mesh.n_vertices();
  const int rows = static_cast<int>(spec.rigged.size());
  if (rows == 0) throw InputError({.place = "rig"}, "it moves no vertex of the tets", "rig those of the surface");
  if (spec.map.n_rows() != rows)
    throw InputError({.place = "rig"},
                     fmt::format("{} rigged vertices have {} rows in the map", rows, spec.map.n_rows()),
                     "give one row a vertex");
  if (spec.map.n_points != rig.n_points())
    throw InputError({.place = "rig"},
                     fmt::format("the map is for {} points, but the rig has {}", spec.map.n_points, rig.n_points()),
                     "make the map for this rig");
  std::vector<char> seen(static_cast<size_t>(n), 0);
  for (int v : spec.rigged) {
    if (v < 0 || v >= n)
      throw InputError({.place = "rig"}, fmt::format("vertex {} is rigged, but there are {}", v, n), "");
    if (std::exchange(seen[static_cast<size_t>(v)], 1))
      throw InputError({.place = "rig"}, fmt::format("vertex {} is rigged twice", v), "");
  }
  if (!spec.model.ties.empty() || !spec.model.springs.empty() || spec.model.n_bystanders > 0)
    throw InputError({.place = "rig"}, "a rigged body has no ties, springs or other bodies beside it",
                     "leave them out, or use handles");
  std::vector<int> component;
  const int parts = connected_components(spec.model.mesh, component);
  std::vector<char> held(static_cast<size_t>(parts), 0);
  for (int v : spec.rigged)
    if (const int c = component[static_cast<size_t>(v)]; c >= 0) held[static_cast<size_t>(c)] = 1;
  for (int v = 0; v < n; ++v) {
    const int c = component[static_cast<size_t>(v)];
    if (seen[static_cast<size_t>(v)] || (c >= 0 && held[static_cast<size_t>(c)])) continue;
    throw InputError({.place = "rig"},
                     c < 0 ? fmt::format("vertex {} belongs to no tet and is not rigged", v)
                           : fmt::format("the part around vertex {} has nothing rigged", v),
                     "rig vertices of every part, or leave the part out");
  }
}

// Tets as they are simulated: with the factors on their stiffness, a vertex more for each handle, nothing in contact.
ModelSpec model_of(const RigBodySpec& spec) {
  ModelSpec out = spec.model;
  if (!spec.stiffness.empty() && spec.stiffness.size() != out.per_tet.size())
    throw InputError({.place = "rig"},
                     fmt::format("{} tets have {} stiffness factors", out.per_tet.size(), spec.stiffness.size()), "");
  for (size_t t = 0; t < spec.stiffness.size(); ++t) {
    if (!(spec.stiffness[t] > 0) || !std::isfinite(spec.stiffness[t]))
      throw InputError({.place = fmt::format("tet {}", t)},
                       fmt::format("its stiffness factor is {}", spec.stiffness[t]), "give positive factors");
    out.per_tet[t].youngs_modulus *= spec.stiffness[t];
  }
  if (spec.handles.size() != spec.strengths.size())
    throw InputError({.place = "handles"},
                     fmt::format("{} handles have {} strengths", spec.handles.size(), spec.strengths.size()),
                     "give one a handle");
  out.driven = spec.rigged;
  for (int point : spec.handles) {
    if (point < 0 || point >= spec.map.n_points)
      throw InputError({.place = "handles"},
                       fmt::format("point {} is a handle, but the rig has {}", point, spec.map.n_points), "");
    // Its place at rest is only what displacements of it count from: near where it will be is good enough.
    Vec3 place = out.mesh.vertices[static_cast<size_t>(spec.rigged[0])];
    double most = 0;
    for (int row = 0; row < spec.map.n_rows(); ++row)
      for (int k = spec.map.first[static_cast<size_t>(row)]; k < spec.map.first[static_cast<size_t>(row) + 1]; ++k)
        if (spec.map.point[static_cast<size_t>(k)] == point && spec.map.weight[static_cast<size_t>(k)] > most) {
          most = spec.map.weight[static_cast<size_t>(k)];
          place = out.mesh.vertices[static_cast<size_t>(spec.rigged[static_cast<size_t>(row)])];
        }
    out.driven.push_back(out.mesh.n_vertices());
    out.mesh.vertices.push_back(place);
    if (out.gravity_scale.size() > 0) {
      out.gravity_scale.conservativeResize(out.gravity_scale.size() + 1);
      out.gravity_scale[out.gravity_scale.size() - 1] = 0;
    }
  }
  out.trimmed = false;  // a tet between rigged vertices alone resists what the rig does with it
  out.contact = {};
  return out;
}

// Stiffness of the tets at rest for grad u . grad u, the same for the three components.
BlockMatrix laplacian(const Elements& elements) {
  PatternBuilder builder(elements.n_vertices());
  for (const Element& e : elements.list()) builder.couple(std::span<const int>(e.v, 4));
  BlockMatrix L(builder.build());
  for (const Element& e : elements.list()) {
    Eigen::Matrix<double, 3, 4> g;
    g.rightCols<3>() = e.g;
    g.col(0) = -e.g.rowwise().sum();
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b <= a; ++b) {
        double* block = L.block(L.pattern->find(e.v[a], e.v[b]));
        const double w = e.vol * g.col(a).dot(g.col(b));
        block[0] += w, block[4] += w, block[8] += w;
      }
  }
  return L;
}

}  // namespace

struct RigBody::Extension {
  BlockMatrix L;
  std::unique_ptr<LinearSolver> solver;  // of the interior; null without one
  Points rest;                           // of the tets' vertices, less their centre
  std::vector<int> rigged;               // of the tets
  MatX fit;                              // 4 x rigged: coefficients of the affine map that fits values best

  // The harmonic values of the interior between given ones: y = -L_nn^-1 L_ns x.
  VecX harmonic(const AffineMap& map, const VecX& values) const {
    if (!solver) return values;
    const VecX y = solver->solve(VecX(-map.restrict_(L.multiply(values))));
    return map.expand(y, values);
  }
};

RigBody::RigBody(RigBodySpec spec, std::shared_ptr<const RigMap> rig) : spec_(std::move(spec)) {
  check_rigged(spec_, *rig);
  model_ = std::make_unique<Model>(model_of(spec_));
  rigged_ = model_->spec().driven;
  interior_ = AffineMap::without(model_->n_vertices(), rigged_);

  map_ = spec_.map;
  for (int point : spec_.handles) {
    map_.point.push_back(point);
    map_.weight.push_back(1);
    map_.first.push_back(static_cast<int>(map_.point.size()));
  }
  // Points that nothing hangs on need not be evaluated.
  if (auto fewer = rig->for_points(map_.used())) {
    rig = std::move(fewer);
    map_ = map_.over_used();
  }
  rig_ = with_derivatives(std::move(rig));

  auto extension = std::make_shared<Extension>();
  extension->rest = model_->mesh().vertices;
  extension->rigged = spec_.rigged;
  Vec3 centre = Vec3::Zero();
  for (int v : spec_.rigged)
    centre += extension->rest[static_cast<size_t>(v)] / static_cast<double>(spec_.rigged.size());
  for (Vec3& x : extension->rest) x = (x - centre) / std::max(model_->size(), 1e-300);
  MatX A(static_cast<Eigen::Index>(spec_.rigged.size()), 4);
  for (size_t k = 0; k < spec_.rigged.size(); ++k)
    A.row(static_cast<Eigen::Index>(k)) << extension->rest[static_cast<size_t>(spec_.rigged[k])].transpose(), 1;
  extension->fit = pseudo_inverse(A);
  extension->L = laplacian(*model_->elements());
  if (interior_.n_free() > 0) {
    const Reduction reduction(interior_, extension->L.pattern);
    BlockMatrix inner(reduction.pattern());
    reduction.apply(extension->L, inner);
    extension->solver = make_solver("auto", interior_.n_free());
    extension->solver->analyse(reduction.pattern());
    if (extension->solver->factorize(inner) != FactorStatus::ok)
      throw InputError({.place = "rig"}, "the tets are too flat for the interior to follow the surface",
                       "make better tets");
  }
  extension_ = extension;

  mass_ = model_->mass();
  if (spec_.interior == Interior::dynamic) return;
  // Each interior vertex hands its mass to the rigged ones by their shares in its harmonic value: m_s += W^T m_n with
  // W = -L_nn^-1 L_ns. Rows of W sum to 1, and reproduce places where all of the surface is rigged.
  const VecX& before = mass_->per_vertex();
  VecX inner = VecX::Zero(3 * before.size());
  for (int v = 0; v < model_->n_vertices(); ++v)
    if (interior_.free_index(v) >= 0) inner[3 * v] = before[v];
  VecX after = VecX::Zero(before.size());
  if (extension->solver) {
    const VecX y = extension->solver->solve(interior_.restrict_(inner));
    const VecX spread = extension->L.multiply(interior_.expand(y));
    for (int v : rigged_) after[v] = -spread[3 * v];
  }
  double total = 0;
  for (int v : rigged_) {
    after[v] = std::max(0.0, after[v] + before[v]);  // obtuse tets have a few weights below zero
    total += after[v];
  }
  auto moved =
      std::make_shared<Mass>(model_->mesh(), std::vector<double>(model_->mesh().tets.size(), 0.0), MassKind::lumped);
  for (int v : rigged_)
    if (after[v] > 0) moved->add_point(v, after[v] * mass_->total() / total);
  mass_ = moved;
}

VecX RigBody::rigged_displacement(const VecX& p, double t) const {
  const VecX s = map_.apply(rig_->evaluate(p, t));
  VecX u = VecX::Zero(3 * static_cast<Eigen::Index>(n_vertices()));
  for (size_t k = 0; k < rigged_.size(); ++k)
    u.segment<3>(3 * rigged_[k]) =
        s.segment<3>(3 * static_cast<Eigen::Index>(k)) - model_->mesh().vertices[static_cast<size_t>(rigged_[k])];
  return u;
}

MatX RigBody::rigged_jacobian(const VecX& p, double t, const std::vector<int>& which) const {
  if (which.empty()) return MatX(3 * static_cast<Eigen::Index>(rigged_.size()), 0);
  return map_.apply(rig_->jacobian(p, t, which));
}

MatX RigBody::rigged_curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const {
  if (which.empty()) return MatX(0, 0);
  VecX on_rows(3 * static_cast<Eigen::Index>(rigged_.size()));
  for (size_t k = 0; k < rigged_.size(); ++k)
    on_rows.segment<3>(3 * static_cast<Eigen::Index>(k)) = f.segment<3>(3 * rigged_[k]);
  return rig_->curvature(p, t, which, map_.transpose(on_rows));
}

VecX RigBody::extend(const VecX& u_d) const {
  const Extension& e = *extension_;
  Eigen::Matrix<double, 4, 3> affine = Eigen::Matrix<double, 4, 3>::Zero();
  for (size_t k = 0; k < e.rigged.size(); ++k)
    affine += e.fit.col(static_cast<Eigen::Index>(k)) * u_d.segment<3>(3 * e.rigged[k]).transpose();
  const auto carried = [&](int v) -> Vec3 {
    return affine.topRows<3>().transpose() * e.rest[static_cast<size_t>(v)] + affine.row(3).transpose();
  };
  VecX rest = VecX::Zero(u_d.size());
  for (int v : rigged_) rest.segment<3>(3 * v) = u_d.segment<3>(3 * v) - carried(v);
  VecX u = e.harmonic(interior_, rest);
  for (int v = 0; v < n_vertices(); ++v) u.segment<3>(3 * v) += carried(v);
  for (int v : rigged_) u.segment<3>(3 * v) = u_d.segment<3>(3 * v);  // to the bit
  return u;
}

std::unique_ptr<SpringTerm> RigBody::make_handles() const {
  if (spec_.handles.empty()) return nullptr;
  std::vector<PointTie> points;
  for (size_t k = spec_.rigged.size(); k < rigged_.size(); ++k) {
    const int v = rigged_[k];
    points.push_back({.vertices = {v, v, v, v}, .weights = {1, 0, 0, 0}});
  }
  // Eq. 7 has alpha |d|^2, springs have k / 2 |d|^2.
  std::vector<double> stiffness;
  for (double alpha : spec_.strengths) stiffness.push_back(2 * alpha);
  return std::make_unique<SpringTerm>(model_->mesh().vertices, std::move(points), std::move(stiffness),
                                      std::vector<double>());
}

double RigBody::contact_stiffness() const {
  return contact().stiffness > 0 ? contact().stiffness : model_->contact_stiffness();
}

}  // namespace supple
