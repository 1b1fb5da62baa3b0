#include "supple/enrich/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/base/timer.h"
#include "supple/mesh/rigid_fit.h"

namespace supple {

namespace {

// First frame: tets so many times stiffer, and less and less so.
constexpr double kStiffFirst[] = {1e4, 1e3, 1e2, 1e1};
constexpr double kStiffAgain = 30;  // a frame that does not converge gets stiffer tets for a while
// A point that goes out and back in one frame: further than so many times what its neighbours in time are apart, and
// than this share of the size.
constexpr double kSpike = 4, kSpikeSize = 0.02;
constexpr double kAbsurd = 1;       // sizes: so far out and back in a frame is no motion, whoever does it
constexpr size_t kNearPoints = 8;   // around each tet vertex
constexpr double kMostlyBad = 0.5;  // share of points beyond which a frame is not fitted

std::vector<MaterialParameters> fit_material(const TetMesh& mesh, const FitOptions& o) {
  double volume = 0;
  for (double v : tet_volumes(mesh)) volume += v;
  // Of a regular tet with the mean volume.
  const double edge = std::cbrt(6 * std::numbers::sqrt2 * volume / std::max(1, mesh.n_tets()));
  return {mesh.tets.size(), MaterialParameters{.youngs_modulus = o.stiffness * edge, .poisson_ratio = o.poisson_ratio}};
}

// Of each point some that share a tet vertex with it, spread over all that do.
std::vector<std::vector<int>> near_points(int n_vertices, const std::vector<PointTie>& points) {
  std::vector<std::vector<int>> around(static_cast<size_t>(n_vertices)), out(points.size());
  for (size_t i = 0; i < points.size(); ++i)
    for (int v : points[i].vertices) around[v].push_back(static_cast<int>(i));
  for (size_t i = 0; i < points.size(); ++i) {
    std::vector<int>& list = out[i];
    for (int v : points[i].vertices) {
      const size_t stride = around[v].size() / kNearPoints + 1;
      for (size_t k = 0; k < around[v].size(); k += stride)
        if (around[v][k] != static_cast<int>(i)) list.push_back(around[v][k]);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return out;
}

// The finite ones of both.
void both_known(const VecX& a, const VecX& b, VecX& some_a, VecX& some_b) {
  std::vector<Eigen::Index> known;
  for (Eigen::Index i = 0; i + 2 < a.size(); i += 3)
    if (a.segment<3>(i).allFinite() && b.segment<3>(i).allFinite()) known.push_back(i);
  const auto n = 3 * static_cast<Eigen::Index>(known.size());
  some_a.resize(n), some_b.resize(n);
  for (size_t k = 0; k < known.size(); ++k) {
    some_a.segment<3>(3 * static_cast<Eigen::Index>(k)) = a.segment<3>(known[k]);
    some_b.segment<3>(3 * static_cast<Eigen::Index>(k)) = b.segment<3>(known[k]);
  }
}

}  // namespace

SurfaceFit::SurfaceFit(const TetMesh& mesh, std::vector<PointTie> points, std::vector<double> area, FitOptions options)
    : rest_(flatten(mesh.vertices)),
      size_(longest_side(mesh.vertices)),
      options_(std::move(options)),
      match_(mesh.vertices, std::move(points), std::move(area)),
      elements_(std::make_shared<const Elements>(mesh, options_.material, fit_material(mesh, options_))),
      elastic_(elements_, ElementDamping::viscous),
      map_(AffineMap::without(mesh.n_vertices(), {})),
      newton_({&match_, &elastic_}, map_, options_.linear_solver, rest_) {
  floor_ = 1e-11 * size_ * elastic_.rest_stiffness_scale();
  neighbours_ = near_points(mesh.n_vertices(), match_.points());
}

VecX SurfaceFit::carried_along(const VecX& u, const VecX& before, const VecX& now) const {
  VecX a, b;
  both_known(before, now, a, b);
  const RigidMotion motion = fit_rigid_motion(a, b);
  VecX out(u.size());
  for (Eigen::Index i = 0; i < u.size(); i += 3)
    out.segment<3>(i) = motion(Vec3(rest_.segment<3>(i) + u.segment<3>(i))) - rest_.segment<3>(i);
  return out;
}

VecX SurfaceFit::rigid_start(const VecX& targets) const {
  const VecX still = VecX::Zero(rest_.size());
  return carried_along(still, match_.places(still), targets);
}

NewtonReport SurfaceFit::newton(VecX& u, double factor) {
  elastic_.set_scales(factor, 1);
  return newton_.solve_static(u, VecX::Zero(u.size()),
                              {.tolerance = options_.tolerance,
                               .floor = factor * floor_,
                               .max_iterations = options_.max_iterations,
                               .keep_factor = factor == 1});
}

FitFrame SurfaceFit::solve(const VecX& targets, VecX& u) {
  const TimeInto timer(seconds_);
  FitFrame frame;
  match_.set_targets(targets);
  const auto count = [&](const NewtonReport& r) {
    frame.iterations += r.iterations;
    frame.factorizations += r.factorizations;
    return r.converged;
  };
  const auto soften = [&](VecX& x, std::span<const double> factors) {
    for (double factor : factors) count(newton(x, factor));
    return count(newton(x, 1));
  };
  bool converged = false;
  if (u.size() == 0) {
    frame.restarted = true;
    u = rigid_start(targets);
    converged = soften(u, kStiffFirst);
  } else {
    const VecX before = u;
    converged = count(newton(u, 1));
    if (!converged) {
      frame.damped = true;
      VecX other = before;
      converged = soften(other, std::span(&kStiffAgain, 1));
      if (converged || match_.distance(other).rms < match_.distance(u).rms) u = other;
    }
  }
  frame.damped = frame.damped || !converged;
  const SurfaceMatch::Distance d = match_.distance(u);
  frame.rms = d.rms, frame.largest = d.largest, frame.missing = d.missing;
  frame.inverted = elastic_.count_inverted(u);
  return frame;
}

std::vector<char> spikes(const VecX& before, const VecX& now, const VecX& after, double size,
                         const std::vector<std::vector<int>>& neighbours) {
  const auto place = [](const VecX& x, size_t i) -> Vec3 { return x.segment<3>(3 * static_cast<Eigen::Index>(i)); };
  const auto swerve = [&](size_t i) -> Vec3 { return place(now, i) - (place(before, i) + place(after, i)) / 2; };
  std::vector<char> off(static_cast<size_t>(now.size() / 3), 0);
  parallel_for(off.size(), 512, [&](size_t begin, size_t end) {
    std::vector<double> values;
    for (size_t i = begin; i < end; ++i) {
      const Vec3 own = swerve(i);
      if (!own.allFinite()) continue;
      const double allowed = kSpike * (place(after, i) - place(before, i)).norm() + kSpikeSize * size;
      if (own.norm() <= allowed) continue;
      Vec3 usual = Vec3::Zero();
      for (int axis = 0; axis < 3; ++axis) {
        values.clear();
        for (int j : neighbours[i])
          if (const Vec3 other = swerve(static_cast<size_t>(j)); other.allFinite()) values.push_back(other[axis]);
        if (values.empty()) continue;
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        usual[axis] = *middle;
      }
      off[i] = (own - usual).norm() > allowed || own.norm() > allowed + kAbsurd * size;
    }
  });
  return off;
}

FittedAnimation fit_animation(SurfaceFit& fit, const TetMesh& mesh, int n_frames,
                              const std::function<VecX(int)>& targets, const Watch& watch) {
  FittedAnimation out;
  const VecX rest = flatten(mesh.vertices);
  VecX u, last;               // of the last frame that was fitted, and its targets
  std::vector<int> gaps;      // frames that wait for the next sound one
  VecX sound;                 // the last place of each point that was not left out...
  std::vector<int> sound_at;  // ...and its frame
  for (int f = 0; f < n_frames; ++f) {
    if (watch.cancelled()) throw Cancelled();
    VecX now = targets(f);
    FitFrame report;
    const auto n = static_cast<double>(now.size()) / 3;
    if (f > 0 && f + 1 < n_frames) {
      const VecX after = targets(f + 1);
      VecX before = sound;
      for (size_t i = 0; i < sound_at.size(); ++i) {
        if (sound_at[i] == f - 1) continue;
        // As if it had been known in the frame before: on the straight way.
        const auto at = 3 * static_cast<Eigen::Index>(i);
        const double share = static_cast<double>(f - 1 - sound_at[i]) / (f + 1 - sound_at[i]);
        before.segment<3>(at) += share * (after.segment<3>(at) - sound.segment<3>(at));
      }
      const std::vector<char> off = spikes(before, now, after, fit.size(), fit.neighbours());
      for (size_t i = 0; i < off.size(); ++i) {
        if (!off[i]) continue;
        now.segment<3>(3 * static_cast<Eigen::Index>(i)).setConstant(std::numeric_limits<double>::quiet_NaN());
        report.left_out.push_back(static_cast<int>(i));
      }
    }
    report.outliers = static_cast<int>(report.left_out.size());
    double missing = 0;
    for (Eigen::Index i = 0; i < now.size(); i += 3) missing += now.segment<3>(i).allFinite() ? 0 : 1;
    if (missing > kMostlyBad * n) {
      report.bridged = true;
      report.missing = static_cast<int>(missing) - report.outliers;
      gaps.push_back(f);
      out.frames.emplace_back();
    } else {
      std::vector<int> left_out = std::move(report.left_out);
      if (u.size() > 0) u = fit.carried_along(u, last, now);
      report = fit.solve(now, u);
      report.left_out = std::move(left_out);
      report.outliers = static_cast<int>(report.left_out.size());
      report.missing -= report.outliers;
      last = now;
      out.frames.push_back(rest + u);
      // The gap before it lies on the straight way here.
      for (size_t g = 0; g < gaps.size(); ++g) {
        const int first = gaps.front() - 1;
        const double share = static_cast<double>(gaps[g] - first) / (f - first);
        out.frames[static_cast<size_t>(gaps[g])] =
            first < 0 ? out.frames.back()
                      : VecX((1 - share) * out.frames[static_cast<size_t>(first)] + share * out.frames.back());
      }
      gaps.clear();
    }
    if (sound.size() == 0) sound = now, sound_at.assign(static_cast<size_t>(now.size() / 3), f);
    for (size_t i = 0; i < sound_at.size(); ++i)
      if (const auto at = 3 * static_cast<Eigen::Index>(i); now.segment<3>(at).allFinite())
        sound.segment<3>(at) = now.segment<3>(at), sound_at[i] = f;
    out.reports.push_back(report);
    watch.progress("fitting", f + 1, n_frames);
  }
  if (last.size() == 0)
    throw InputError({}, "no frame of the animation has enough sound points", "look at the cache in a viewer");
  for (int g : gaps) out.frames[static_cast<size_t>(g)] = rest + u;
  return out;
}

}  // namespace supple
