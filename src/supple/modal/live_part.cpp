#include "supple/modal/live_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "supple/base/timer.h"

namespace supple {

namespace {

using Eigen::Index;

constexpr double kLeastCorrection = 0.02;  // of the largest static answer: smaller ones are not worth a target
constexpr int kMostSpins = 2;              // corrections for spinning alone
constexpr double kHeadroom = 1.25;         // of a weight of 1 over the largest that the motions reach
constexpr double kLeastReach = 0.005;      // of the part's size
constexpr double kLargestReach = 0.5;      // likewise, times the limit of weights
constexpr double kStill = 1e-5;            // of the size: clips that move it less say nothing of it
constexpr double kNoForce = 1e-6;          // a scale of 0, which runtimes take for "not said"
constexpr double kWorst = 3;               // times the swing wanted, that no motion shall go beyond
constexpr double kWeakestForce = 0.02, kStrongestForce = 3;  // scales that a swing may ask for
constexpr Index kThrownVertices = 200, kThrownSamples = 8;   // looked at: how many, and every so many
constexpr int kSpareModes = 6;  // analysed beyond those that may be kept, so that there is a choice

// Columns: what the drawn vertices do in each shape, flat.
MatX drawn_shapes(const LivePartSpec& spec, const ModalBasis& basis) {
  MatX out(3 * static_cast<Index>(spec.drawn.size()), basis.shapes.cols());
  const auto n = static_cast<Index>(spec.shown.size());
  for (Index c = 0; c < out.cols(); ++c) {
    VecX field = basis.shapes.col(c).head(3 * n);
    for (Index v = 0; v < n; ++v) field.segment<3>(3 * v) *= spec.shown[static_cast<size_t>(v)];
    out.col(c) = blended(spec.carried, field);
  }
  return out;
}

double largest(const VecX& field) {
  double most = 0;
  for (Index i = 0; i < field.size(); i += 3) most = std::max(most, field.segment<3>(i).norm());
  return most;
}

VecX rms_of(const MatX& shapes) {
  const double n = std::max<double>(1, static_cast<double>(shapes.rows()) / 3);
  return (shapes.colwise().squaredNorm() / n).cwiseSqrt().transpose();
}

double size_of(const Points& points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).maxCoeff();
}

// A usual motion throws the flesh as far as wanted, and the worst not too much farther.
double force_for(double swing, std::vector<double> lengths) {
  std::erase_if(lengths, [](double x) { return !(x > 0); });
  if (!(swing > 0) || lengths.empty()) return 1;
  std::sort(lengths.begin(), lengths.end());
  const double force = std::min(swing / lengths[lengths.size() / 2], kWorst * swing / lengths.back());
  return std::clamp(force, kWeakestForce, kStrongestForce);
}

}  // namespace

VecX excited(const Oscillators& o, const std::vector<BoneMotion>& motions, const VecX& shape_rms, VecX* peak) {
  VecX sum = VecX::Zero(o.size());
  if (peak) *peak = VecX::Zero(o.size());
  double samples = 0;
  for (const BoneMotion& m : motions) {
    const MatX q = respond(o, m, {.coriolis = false});
    sum += q.colwise().squaredNorm().transpose();
    samples += static_cast<double>(q.rows());
    if (peak && q.rows() > 0) *peak = peak->cwiseMax(q.cwiseAbs().colwise().maxCoeff().transpose());
  }
  return (sum / std::max(samples, 1.0)).cwiseSqrt().cwiseProduct(shape_rms);
}

std::vector<double> thrown(const Oscillators& o, const std::vector<BoneMotion>& motions, const MatX& shapes) {
  const Index n = shapes.rows() / 3, stride = std::max<Index>(1, n / kThrownVertices);
  std::vector<double> out;
  for (const BoneMotion& m : motions) {
    const MatX q = respond(o, m, {.coriolis = false});
    double most = 0;
    for (Index t = 0; t < q.rows(); t += kThrownSamples)
      for (Index v = 0; v < n; v += stride)
        most = std::max(most, (shapes.middleRows<3>(3 * v) * q.row(t).transpose()).norm());
    out.push_back(most);
  }
  return out;
}

LivePart make_live_part(const LivePartSpec& spec, LivePartReport& report) {
  Timer timer;
  const Solid solid = make_solid(spec.solid);
  report.n_tets = solid.n_tets, report.n_nodes = static_cast<int>(solid.nodes.size()), report.n_free = solid.n_free();
  report.assemble_s = timer.seconds();
  timer = Timer();
  ModalAnalysis analysis(solid, spec.frame.origin);
  ModalBasis all = analysis.modes(std::min(spec.most_modes + kSpareModes, 3 * solid.n_free()));
  report.n_candidates = all.n_modes;
  report.modes_s = timer.seconds();
  timer = Timer();

  // A stiffness that brings the slowest mode to the frequency wanted: all squares grow alike.
  const double lowest = std::sqrt(all.squares[0]) / (2 * std::numbers::pi);
  report.frequency_scale = spec.frequency_hz > 0 ? spec.frequency_hz / lowest : 1;
  const double stiffer = report.frequency_scale * report.frequency_scale;
  const double damping = 2 * std::numbers::ln2 / (spec.half_life_s * all.squares[0] * stiffer);
  const auto oscillators = [&](const ModalBasis& basis) {
    ModalBasis scaled = basis;
    scaled.squares *= stiffer;
    return make_oscillators(solid, scaled, spec.frame, damping, 0);
  };
  std::vector<BoneMotion> meets = spec.motions;
  meets.insert(meets.end(), spec.trials.begin(), spec.trials.end());
  const MatX candidates = drawn_shapes(spec, all);
  VecX answer = excited(oscillators(all), spec.motions, rms_of(candidates));
  if (answer.norm() <= kStill * size_of(spec.solid.mesh.vertices))
    answer = excited(oscillators(all), meets, rms_of(candidates));
  std::vector<int> order(static_cast<size_t>(all.n_modes));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return answer[a] > answer[b]; });
  const double total = answer.squaredNorm();
  std::vector<int> kept;
  double reached = 0;
  for (int i : order) {
    if (static_cast<int>(kept.size()) == spec.most_modes || (!kept.empty() && reached >= spec.share * total)) break;
    kept.push_back(i);
    reached += answer[i] * answer[i];
  }
  report.share = total > 0 ? reached / total : 1;
  ModalBasis basis;
  if (spec.corrections) {
    basis = analysis.corrected(all, kept, kLeastCorrection, kMostSpins);
  } else {
    basis.n_modes = static_cast<int>(kept.size());
    basis.squares.resize(basis.n_modes), basis.shapes.resize(all.shapes.rows(), basis.n_modes);
    for (int i = 0; i < basis.n_modes; ++i)
      basis.squares[i] = all.squares[kept[i]], basis.shapes.col(i) = all.shapes.col(kept[i]);
  }
  report.n_modes = basis.n_modes, report.n_corrections = static_cast<int>(basis.squares.size()) - basis.n_modes;

  const Oscillators o = oscillators(basis);
  const MatX shapes = drawn_shapes(spec, basis);
  VecX peak;
  const VecX share = excited(o, meets, rms_of(shapes), &peak);
  report.thrown_m = thrown(o, meets, shapes);
  const double force =
      spec.force_scale ? std::max(kNoForce, *spec.force_scale) : force_for(spec.swing_m, report.thrown_m);
  LivePart part;
  part.name = spec.name, part.bone = spec.bone, part.node = spec.node;
  part.rest_gravity = spec.rest_gravity, part.force_scale = force;
  part.size = size_of(spec.solid.mesh.vertices);
  part.cut_m = std::max(part.size, 0.5);

  // Weights in place of coordinates of unit mass: q = scale w.
  const Index k = o.size();
  VecX scale(k);
  for (Index i = 0; i < k; ++i) {
    const double most = largest(shapes.col(i));
    const double reach = std::max(kHeadroom * force * peak[i] * most, kLeastReach * part.size);
    scale[i] = most > 0 ? std::min(reach, kLargestReach * part.size) / most : 1;
  }
  const double answers = share.squaredNorm();
  for (Index i = 0; i < k; ++i) {
    LiveMode m;
    m.correction = i >= basis.n_modes;
    m.name = m.correction ? fmt::format("{} lean {}", spec.name, i - basis.n_modes + 1)
                          : fmt::format("{} {}", spec.name, i + 1);
    m.frequency_hz = std::sqrt(o.squares[i]) / (2 * std::numbers::pi);
    m.decay = o.decay[i];
    m.mass = scale[i] * scale[i];
    m.reach = scale[i] * largest(shapes.col(i));
    m.share = answers > 0 ? share[i] * share[i] / answers : 0;
    for (int j = 0; j < 6; ++j) {
      m.transfer[j] = o.transfer(i, j) / scale[i];
      m.centrifugal[j] = o.centrifugal(i, j) / scale[i];
    }
    for (Index l = 0; spec.coriolis && l < k; ++l)
      m.coriolis.push_back({o.coriolis[0](i, l) * scale[l] / scale[i], o.coriolis[1](i, l) * scale[l] / scale[i],
                            o.coriolis[2](i, l) * scale[l] / scale[i]});
    for (size_t v = 0; v < spec.drawn.size(); ++v) {
      const Vec3 d = scale[i] * shapes.col(i).segment<3>(3 * static_cast<Index>(v));
      if (d.isZero(0)) continue;
      m.shape.vertices.push_back(spec.drawn[v]);
      m.shape.positions.push_back(d);
    }
    part.modes.push_back(std::move(m));
  }
  report.rank_s = timer.seconds();
  return part;
}

}  // namespace supple
