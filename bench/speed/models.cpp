#include "models.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "supple/anim/track.h"
#include "supple/sim/linear_body.h"

namespace supple::bench {

namespace {
constexpr double kPi = std::numbers::pi;

MaterialParameters parameters() {
  return {.youngs_modulus = 3e5, .poisson_ratio = 0.45, .density = 1000, .stiffness_damping = 0.01};
}

Model held_below(TetMesh mesh, double x, const ModelChoice& choice) {
  ModelSpec spec;
  spec.mesh = std::move(mesh);
  spec.material = choice.material;
  spec.anti_locking = choice.anti_locking;
  spec.per_tet.assign(spec.mesh.tets.size(), parameters());
  for (int i = 0; i < spec.mesh.n_vertices(); ++i)
    if (spec.mesh.vertices[i][0] <= x) spec.driven.push_back(i);
  return Model(std::move(spec));
}

// Every driven vertex at f(its rest place, t).
Drive driven(const Model& model, const std::function<Vec3(const Vec3&, double)>& f) {
  Points rest;
  for (int v : model.spec().driven) rest.push_back(model.mesh().vertices[v]);
  return {.vertices = make_function_track(static_cast<int>(rest.size()), [rest, f](double t, int derivative) {
            if (derivative > 0) return VecX();
            Points x;
            for (const Vec3& p : rest) x.push_back(f(p, t));
            return flatten(x);
          })};
}
}  // namespace

const char* name_of(Shape shape) { return shape == Shape::beam ? "beam" : "cube"; }

std::string size_name(int n_tets) { return std::to_string((n_tets + 500) / 1000) + "k"; }

TetMesh make_mesh(Shape shape, int n_tets) {
  // Cells across, then as many along as bring the count nearest.
  const bool beam = shape == Shape::beam;
  const int across = std::max(1, static_cast<int>(std::lround(std::cbrt(n_tets / (beam ? 24.0 : 6.0)))));
  const int along = std::max(1, static_cast<int>(std::lround(n_tets / (6.0 * across * across))));
  return make_box(along, across, across, beam ? Vec3(0.8, 0.2, 0.2) : Vec3(0.4, 0.4, 0.4));
}

Model make_model(const ModelChoice& choice) { return held_below(make_mesh(choice.shape, choice.n_tets), 1e-9, choice); }

Model held_model(TetMesh mesh, MaterialModel material) {
  double low = mesh.vertices.front()[0], high = low;
  for (const Vec3& v : mesh.vertices) low = std::min(low, v[0]), high = std::max(high, v[0]);
  return held_below(std::move(mesh), low + 0.05 * (high - low), {.material = material});
}

Model core_model(int n_tets) {
  ModelSpec spec;
  spec.mesh = make_mesh(Shape::beam, n_tets);
  spec.per_tet.assign(
      spec.mesh.tets.size(),
      {.youngs_modulus = 3e4, .poisson_ratio = 0.4, .density = 1000, .volume_penalty = 0, .stiffness_damping = 0.004});
  const double width = 0.2;
  for (int i = 0; i < spec.mesh.n_vertices(); ++i)
    if ((spec.mesh.vertices[i].tail<2>().array() - width / 2).abs().maxCoeff() < 0.2 * width) spec.driven.push_back(i);
  return Model(std::move(spec));
}

Drive core_drive(const Model& model, int frames, double fps) {
  const double length = 0.8, width = 0.2;
  std::vector<VecX> samples;
  for (int f = 0; f < frames + 8; ++f) {
    const double s = std::sin(2 * kPi * f / fps);
    Points x;
    for (int v : model.spec().driven) {
      const Vec3& rest = model.mesh().vertices[v];
      const double angle = 0.8 * s * (rest[0] / length - 0.5);
      x.push_back(rest +
                  Vec3(-(rest[1] - width / 2) * std::sin(angle), 0.1 * s * std::cos(kPi * rest[0] / length), 0.05 * s));
    }
    samples.push_back(flatten(x));
  }
  return {.vertices = make_sampled_track(std::move(samples), 1 / fps)};
}

Drive yank(const Model& model) {
  const double reach = model.size() / 4;
  return driven(model, [reach](const Vec3& rest, double t) {
    const double phase = std::fmod(std::max(t, 0.0), 1.0), within = std::fmod(phase, 0.5);
    const double there = within < 0.25 ? 0.5 * (1 - std::cos(8 * kPi * within)) : 0;
    return Vec3(rest + Vec3(0, 0, (phase < 0.5 ? 1 : -1) * reach * there));
  });
}

Drive tilt(const Model& model) {
  Vec3 centre = Vec3::Zero();
  for (int v : model.spec().driven)
    centre += model.mesh().vertices[v] / static_cast<double>(model.spec().driven.size());
  return driven(model, [centre](const Vec3& rest, double t) {
    const double angle = 0.4 * std::sin(2 * kPi * t);
    return Vec3(centre + Eigen::AngleAxisd(angle, Vec3::UnitZ()) * (rest - centre));
  });
}

BlockMatrix step_matrix(const Model& model, double h) {
  LinearBody body = linear_body(model);
  if (h == 0) return std::move(body.stiffness);
  for (double& value : body.stiffness.values) value *= 1 + model.spec().per_tet.front().stiffness_damping / h;
  body.stiffness.add(1 / (h * h), body.mass);
  return std::move(body.stiffness);
}

VecX pose(const TetMesh& mesh, Pose kind) {
  const bool hard = kind == Pose::hard;
  const double angle = hard ? 1.2 : 0.2, squash = hard ? 0.75 : 1.0;
  double length = 0;
  for (const Vec3& v : mesh.vertices) length = std::max(length, v[0]);
  const double wave = (hard ? 0.0075 : 0.0005) * length, radius = length / angle;
  VecX u(3 * static_cast<Eigen::Index>(mesh.vertices.size()));
  for (int i = 0; i < mesh.n_vertices(); ++i) {
    const Vec3& X = mesh.vertices[i];
    const Vec3 s = 4 / length * X;
    const double turn = squash * X[0] / radius;
    Vec3 x((radius - X[1]) * std::sin(turn), radius - (radius - X[1]) * std::cos(turn), X[2]);
    x += wave * Vec3(std::sin(9 * s[1] + 5 * s[2]), std::sin(11 * s[0] + 7 * s[2]), std::sin(8 * s[0] + 10 * s[1]));
    u.segment<3>(3 * i) = x - X;
  }
  return u;
}

}  // namespace supple::bench
