#include "supple/sim/rest_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/linalg/anderson.h"
#include "supple/sim/inverse_equilibrium.h"
#include "supple/sim/parts.h"

namespace supple {

namespace {

constexpr double kSmallestVolume = 0.1;  // of a tet's in the given shape; iterates may go down to half of it
constexpr int kMemory = 6;
constexpr int kMostIterations = 60, kPatience = 15;  // of an attempt; until the shortest step so far must be halved
constexpr double kHopeless = 20;                     // steps of that many sizes are no steps
constexpr double kShortest = 1.0 / 64;               // to which a step may be cut
constexpr int kMostHalvings = 6;
constexpr double kRaise = 1.5;
constexpr double kFinest = 1e-9;     // tolerance that rounding allows
constexpr double kStepShare = 0.01;  // of the tolerance: a step this small ends it

enum class Fate { open, solved, failed };

// One connected part of the free flesh.
struct Strand {
  std::vector<int> vertices;
  double size = 0;
  double scale = 1;    // of gravity, now
  double reached = 0;  // the largest that was solved, with
  VecX solution;       // its X then
  int halvings = 0;
  bool settled = false;
  // Of the present attempt.
  Fate fate = Fate::open;
  double shortest = 0;  // step so far
  int since = 0;        // iterations since that was halved
  Anderson anderson{kMemory};

  VecX pick(const VecX& all) const {
    VecX mine(3 * static_cast<Eigen::Index>(vertices.size()));
    for (size_t i = 0; i < vertices.size(); ++i)
      mine.segment<3>(3 * static_cast<Eigen::Index>(i)) = all.segment<3>(3 * vertices[i]);
    return mine;
  }
  void put(const VecX& mine, VecX& all) const {
    for (size_t i = 0; i < vertices.size(); ++i)
      all.segment<3>(3 * vertices[i]) = mine.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
};

double longest(const VecX& d) {
  double length = 0;
  for (Eigen::Index i = 0; i < d.size(); i += 3)
    if (const double l = d.segment<3>(i).norm(); !(l <= length)) length = l;  // NaN too
  return length;
}

class Unloading {
 public:
  Unloading(const ModelSpec& spec, double tolerance, const std::string& linear_solver, const Parts* pieces);
  RestShape solve();

 private:
  VecX weight() const;  // per vertex, a factor of gravity
  void attempt(VecX& X, double fineness);
  bool advance(Strand& s, const VecX& X, const VecX& step, double fineness, VecX& next);
  void cut_crushing(const VecX& X, std::vector<char> moving, VecX& next);
  std::vector<double> smallest_volumes(const VecX& X) const;
  void drop_unstable(const VecX& X);
  bool decide(VecX& X);
  double check(const VecX& X, std::string& trouble) const;
  void report_scales(RestShape& out) const;

  const Model given_;
  const VecX x_;
  double tolerance_;
  std::string linear_solver_;
  std::vector<double> volume_;
  std::vector<char> loose_, sprung_;  // per vertex: held by nothing, by springs alone
  std::vector<int> part_, part_of_tet_;
  std::vector<Strand> strands_;
  std::unique_ptr<InverseEquilibrium> inverse_;
  int iterations_ = 0;
};

Unloading::Unloading(const ModelSpec& spec, double tolerance, const std::string& linear_solver, const Parts* pieces)
    : given_(spec),
      x_(flatten(spec.mesh.vertices)),
      tolerance_(std::max(tolerance, kFinest)),
      // One matrix serves many solves, and definiteness is asked for: no work for an iterative solver.
      linear_solver_(linear_solver == "cg" ? "auto" : linear_solver),
      volume_(tet_volumes(spec.mesh)) {
  // What holds each component.
  std::vector<int> component;
  const int n_components = connected_components(spec.mesh, component);
  std::vector<char> held(static_cast<size_t>(n_components), 0), sprung = held;
  const auto mark = [&](int v, std::vector<char>& list) {
    if (component[v] >= 0) list[component[v]] = 1;
  };
  for (int v : spec.driven) mark(v, held);
  for (const PointTie& tie : spec.ties) mark(tie.vertices[0], held);
  for (const PointTie& spring : spec.springs) mark(spring.vertices[0], sprung);
  loose_.assign(spec.mesh.vertices.size(), 0), sprung_ = loose_;
  for (size_t v = 0; v < component.size(); ++v)
    if (component[v] >= 0 && !held[component[v]]) (sprung[component[v]] ? sprung_ : loose_)[v] = 1;

  const Parts parts = pieces ? *pieces : split_into_parts(given_);
  part_ = parts.of_vertex, part_of_tet_ = parts.of_tet;
  for (const Part& part : parts.list) {
    Strand s;
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (int v : part.vertices) {
      if (loose_[v] || sprung_[v]) continue;
      s.vertices.push_back(v);
      low = low.cwiseMin(spec.mesh.vertices[v]), high = high.cwiseMax(spec.mesh.vertices[v]);
    }
    s.settled = s.vertices.empty();
    if (!s.settled) s.size = std::max((high - low).maxCoeff(), given_.mean_edge());
    strands_.push_back(std::move(s));
  }
}

VecX Unloading::weight() const {
  VecX factor = VecX::Ones(given_.n_vertices());
  for (int v = 0; v < given_.n_vertices(); ++v)
    if (part_[v] >= 0) factor[v] = loose_[v] || sprung_[v] ? 0 : strands_[part_[v]].scale;
  return factor;
}

// Per part, the smallest volume of a tet as a share of what it is in the given shape.
std::vector<double> Unloading::smallest_volumes(const VecX& X) const {
  std::vector<double> smallest(strands_.size(), 1);
  for (int t = 0; t < given_.mesh().n_tets(); ++t) {
    if (part_of_tet_[t] < 0) continue;
    const Tet& v = given_.mesh().tets[t];
    const double share =
        tet_volume(X.segment<3>(3 * v[0]), X.segment<3>(3 * v[1]), X.segment<3>(3 * v[2]), X.segment<3>(3 * v[3])) /
        volume_[t];
    double& least = smallest[part_of_tet_[t]];
    if (!(share >= least)) least = share;
  }
  return smallest;
}

// One accelerated step of a part into `next`; false when it has come to an end.
bool Unloading::advance(Strand& s, const VecX& X, const VecX& step, double fineness, VecX& next) {
  const VecX f = s.pick(step);
  const double length = longest(f);
  s.fate = Fate::open;
  if (!(length <= kHopeless * given_.size()) || ++s.since > kPatience) s.fate = Fate::failed;
  if (length <= fineness * kStepShare * tolerance_ * s.size) s.fate = Fate::solved;
  if (s.fate != Fate::open) return false;
  if (length <= s.shortest / 2) s.shortest = length, s.since = 0;
  s.put(s.anderson.next(s.pick(X), f), next);
  return true;
}

// Steps that would crush a tet are cut.
void Unloading::cut_crushing(const VecX& X, std::vector<char> moving, VecX& next) {
  for (double cut = 1; cut >= kShortest; cut /= 2) {
    const std::vector<double> smallest = smallest_volumes(next);
    bool good = true;
    for (size_t p = 0; p < strands_.size(); ++p) {
      Strand& s = strands_[p];
      if (!moving[p] || smallest[p] >= kSmallestVolume / 2) continue;
      good = false;
      if (cut > kShortest) {
        s.put((s.pick(X) + s.pick(next)) / 2, next);
      } else {
        s.fate = Fate::failed;
        s.put(s.pick(x_), next);
      }
    }
    if (good) return;
  }
}

// Takes every part that is not settled to its X, or to failure; failed ones are left in the given shape.
void Unloading::attempt(VecX& X, double fineness) {
  for (Strand& s : strands_) {
    s.fate = s.settled ? Fate::solved : Fate::open;
    s.shortest = std::numeric_limits<double>::infinity(), s.since = 0;
    s.anderson.forget();
  }
  for (int i = 0; i < kMostIterations; ++i, ++iterations_) {
    const VecX step = inverse_->step(X, weight());
    VecX next = X;
    std::vector<char> moving(strands_.size(), 0);
    for (size_t p = 0; p < strands_.size(); ++p) {
      Strand& s = strands_[p];
      if (s.settled || s.fate == Fate::failed) continue;
      moving[p] = advance(s, X, step, fineness, next);
      if (s.fate == Fate::failed) s.put(s.pick(x_), next);
    }
    const bool more = std::find(moving.begin(), moving.end(), 1) != moving.end();
    if (more) cut_crushing(X, std::move(moving), next);
    X = next;
    if (!more) break;
  }
  const std::vector<double> smallest = smallest_volumes(X);
  for (size_t p = 0; p < strands_.size(); ++p) {
    Strand& s = strands_[p];
    if (!s.settled && (s.fate == Fate::open || smallest[p] < kSmallestVolume)) s.fate = Fate::failed;
  }
}

// Solved parts whose equilibrium is not stable have failed as well.
void Unloading::drop_unstable(const VecX& X) {
  const auto stable = [&](const auto& in_question) {
    std::vector<char> vertices(part_.size(), 0);
    for (size_t v = 0; v < part_.size(); ++v) vertices[v] = part_[v] >= 0 && in_question(part_[v]);
    return inverse_->stable(X, vertices);
  };
  const auto solved = [&](int p) { return !strands_[p].settled && strands_[p].fate == Fate::solved; };
  if (stable(solved)) return;
  for (int p = 0; p < static_cast<int>(strands_.size()); ++p)
    if (solved(p) && !stable([&](int q) { return q == p; })) strands_[p].fate = Fate::failed;
}

// What to do about each part after an attempt; false: nothing is left to do.
bool Unloading::decide(VecX& X) {
  bool more = false;
  for (Strand& s : strands_) {
    if (s.settled) continue;
    if (s.fate == Fate::solved) {
      s.reached = s.scale, s.solution = s.pick(X);
      s.settled = s.scale == 1;
      s.scale = std::min(1.0, kRaise * s.scale);
    } else if (s.reached > 0) {
      s.scale = s.reached, s.settled = true;
      s.put(s.solution, X);
    } else {
      s.put(s.pick(x_), X);
      s.settled = ++s.halvings > kMostHalvings;
      s.scale = s.settled ? 0 : s.scale / 2;
    }
    more = more || !s.settled;
  }
  return more;
}

// How far the equilibrium is from the given shape, as a share of size.
double Unloading::check(const VecX& X, std::string& trouble) const {
  ModelSpec spec = given_.spec();
  spec.mesh.vertices = unflatten(X);
  const VecX factor = weight();
  spec.gravity_scale = spec.gravity_scale.size() > 0 ? VecX(spec.gravity_scale.cwiseProduct(factor)) : factor;
  const Model model(std::move(spec));
  StaticSolver solver(model, rest_drive(given_), linear_solver_, 1e-8);
  const StaticSolver::Result result = solver.solve(0, x_ - X);
  trouble = result.trouble;
  return longest(result.u - (x_ - X)) / given_.size();
}

void Unloading::report_scales(RestShape& out) const {
  VecX factor = VecX::Ones(given_.n_vertices());
  size_t all = 0, small = 0;
  for (const Strand& s : strands_) all += s.vertices.size();
  for (const Strand& s : strands_) {
    if (s.vertices.empty() || s.scale == 1) continue;
    for (int v : s.vertices) factor[v] = s.scale;
    if (s.vertices.size() < all / 50) {
      ++small;
      continue;
    }
    out.warnings.push_back(fmt::format(
        "{}: too soft to hang in the shape given: {} acts on its {} vertices", given_.part_of(s.vertices[0]),
        s.scale == 0 ? "no gravity" : fmt::format("{:.3g} % of gravity", 100 * s.scale), s.vertices.size()));
  }
  if (small > 0)
    out.warnings.push_back(fmt::format("{} small piece{} too soft to hang in the shape given: less gravity acts there",
                                       small, small == 1 ? " is" : "s are"));
  const auto first = std::find(sprung_.begin(), sprung_.end(), 1);
  if (first != sprung_.end() && given_.spec().gravity.norm() > 0) {
    for (size_t v = 0; v < sprung_.size(); ++v)
      if (sprung_[v]) factor[static_cast<Eigen::Index>(v)] = 0;
    out.warnings.push_back(
        fmt::format("{}: held by springs alone, which carry nothing until they are stretched: no gravity acts on it",
                    given_.part_of(static_cast<int>(first - sprung_.begin()))));
  }
  if ((factor.array() != 1).any()) out.gravity_scale = factor;
}

RestShape Unloading::solve() {
  RestShape out;
  out.vertices = given_.mesh().vertices;
  std::vector<char> still(loose_.size());
  bool weighs = false;
  for (size_t v = 0; v < still.size(); ++v) {
    still[v] = loose_[v] || sprung_[v];
    weighs = weighs ||
             (part_[v] >= 0 && !still[v] && given_.gravity_force().segment<3>(3 * static_cast<int>(v)) != Vec3::Zero());
  }
  if (weighs) {
    VecX X = x_;
    inverse_ = std::make_unique<InverseEquilibrium>(given_, still, linear_solver_);
    if (inverse_->ok()) {
      bool more = true;
      while (more) {
        attempt(X, 1);
        drop_unstable(X);
        more = decide(X);
        if (more) inverse_->linearise(X);
      }
    } else {
      for (Strand& s : strands_) s.scale = 0;
    }
    std::string trouble;
    out.error = check(X, trouble);
    if (!(out.error <= tolerance_) && inverse_->ok()) {
      // Soft directions make more of a short step: on from here, finer.
      const VecX before = X;
      for (Strand& s : strands_) s.settled = s.scale == 0 || s.vertices.empty();
      inverse_->linearise(X);
      attempt(X, 0.01);
      for (const Strand& s : strands_)
        if (!s.settled && s.fate == Fate::failed) s.put(s.pick(before), X);
      out.error = check(X, trouble);
    }
    if (!(out.error <= tolerance_))
      out.warnings.push_back(fmt::format("the body hangs {:.2g} of its size from the shape given{}{}", out.error,
                                         trouble.empty() ? "" : ": ", trouble));
    out.vertices = unflatten(X);
  }
  out.iterations = iterations_;
  report_scales(out);
  return out;
}

}  // namespace

RestShape solve_rest_shape(const ModelSpec& spec, double tolerance, const std::string& linear_solver,
                           const Parts* pieces) {
  return Unloading(spec, tolerance, linear_solver, pieces).solve();
}

}  // namespace supple
