#include "supple/inertia/static_track.h"

#include <algorithm>
#include <cmath>

#include "supple/anim/local_quintic.h"
#include "supple/base/digest.h"
#include "supple/inertia/frames.h"

namespace supple {

namespace {
// A second difference of p beyond so many times what the drive's own explains, and beyond this share of the size, is a
// jump to another branch.
constexpr double kUnexplained = 8, kSmallestJump = 0.01;
constexpr double kBridge = 0.1;  // [s] shortest time over which a jump is bridged

VecX centred(const VecX& points) {
  Vec3 centre = Vec3::Zero();
  for (Eigen::Index i = 0; i < points.size(); i += 3) centre += points.segment<3>(i);
  centre *= points.size() > 0 ? 3.0 / static_cast<double>(points.size()) : 0;
  VecX x = points;
  for (Eigen::Index i = 0; i < x.size(); i += 3) x.segment<3>(i) -= centre;
  return x;
}
}  // namespace

double largest_move(const VecX& field) {
  double worst = 0;
  for (Eigen::Index i = 0; i < field.size(); i += 3) worst = std::max(worst, field.segment<3>(i).norm());
  return worst;
}

StaticTrack::StaticTrack(const Model& model, const Drive& drive, StaticTrackOptions options)
    : model_(model),
      drive_(drive),
      options_(std::move(options)),
      solver_(model, drive, options_.linear_solver, options_.tolerance),
      turns_(model.spec().material != MaterialModel::linear),
      weightless_(model.gravity_force().size() == 0 || model.gravity_force().isZero(0)) {
  // A factor could not be made again without knowing how strong the springs were.
  if (!drive_.spring_factors) solver_.keep_factor();
  for (const auto* track : {&drive_.vertices, &drive_.ties, &drive_.springs})
    if (*track)
      for (double cut : (*track)->cuts()) cuts_.push_back(cut);
  std::sort(cuts_.begin(), cuts_.end());
  rest_points_ = driven_points(rest_drive(model), 0);
}

bool StaticTrack::is_cut(double t0, double t1) const {
  return std::any_of(cuts_.begin(), cuts_.end(), [&](double c) { return c > t0 + 1e-9 && c <= t1 + 1e-9; });
}

RigidMotion StaticTrack::motion(const VecX& points) const {
  if (points.size() == 0) return {};
  RigidMotion m = fit_rigid_motion(rest_points_, points);
  // The linear material does not turn with its drive.
  if (!turns_) m.R = Mat3::Identity();
  return m;
}

VecX StaticTrack::to_local(const VecX& p, const RigidMotion& m) const {
  VecX local(p.size());
  for (int i = 0; i < model_.n_vertices(); ++i) {
    const Vec3& rest = model_.mesh().vertices[i];
    local.segment<3>(3 * i) = m.R.transpose() * (rest + p.segment<3>(3 * i) - m.to) + m.from - rest;
  }
  return local;
}

VecX StaticTrack::to_world(const VecX& local, const RigidMotion& m) const {
  VecX p(local.size());
  for (int i = 0; i < model_.n_vertices(); ++i) {
    const Vec3& rest = model_.mesh().vertices[i];
    p.segment<3>(3 * i) = m(rest + local.segment<3>(3 * i)) - rest;
  }
  return p;
}

StaticTrack::Follows StaticTrack::follow_first(const VecX& points, const Load& load, VecX& p) const {
  if (first_.p.size() == 0 || points.size() == 0 || !(load == first_.load)) return Follows::no;
  if (drive_.spring_factors) return Follows::no;
  // Caches hold float32: four units in the last place of the largest coordinate count as no change.
  const double rounding = 2.5e-7 * points.cwiseAbs().maxCoeff() + 1e-12 * model_.size();
  RigidMotion m = fit_rigid_motion(first_.points, points);
  auto misfit = [&] {
    double worst = 0;
    for (Eigen::Index i = 0; i < points.size(); i += 3)
      worst = std::max(worst, (m(first_.points.segment<3>(i)) - points.segment<3>(i)).cwiseAbs().maxCoeff());
    return worst;
  };
  const Mat3 R = m.R;
  m.R = Mat3::Identity();
  Follows how = Follows::translated;
  if (misfit() > rounding) {
    m.R = R;
    // With fewer than three points in general position the rotation of the body is not known from them.
    if (!turns_ || !weightless_ || R.isIdentity(0) || misfit() > rounding) return Follows::no;
    how = Follows::turned;
  }
  p.resize(first_.p.size());
  for (int i = 0; i < model_.n_vertices(); ++i) {
    const Vec3& rest = model_.mesh().vertices[i];
    p.segment<3>(3 * i) = m(rest + first_.p.segment<3>(3 * i)) - rest;
  }
  return how;
}

bool StaticTrack::find_knot(long k, uint64_t of, Knot& knot) {
  const SolvedKnot* found = ticket_ >= 0 ? store_->find(ticket_, k, of) : nullptr;
  if (!found) return false;
  knot.p = found->p;
  knot.raw = to_local(knot.p, motion(knot.points));
  solves_ += found->solved;
  newton_iterations_ += found->newton_iterations;
  unconverged_ += !found->converged;
  factor_ = found->factor;
  has_factor_ = false;
  return true;
}

void StaticTrack::make_factor() {
  const FactorMark none;
  const FactorMark& mark = factor_ ? *factor_ : none;
  solver_.set_scales(mark.stiffness, mark.gravity);
  solver_.remake_factor(mark.u);
  has_factor_ = true;
}

VecX StaticTrack::extrapolated(long k) const {
  // By the polynomial that would have foreseen the last knot best.
  std::vector<const VecX*> back;  // knots k - 1, k - 2, ...
  for (long j = k - 1; back.size() < 6 && knots_.count(j) > 0; --j) back.push_back(&knots_.at(j).raw);
  auto ahead_of = [&](size_t first, size_t points) {
    VecX sum = VecX::Zero(back[first]->size());
    double weight = 1;  // alternating binomial coefficients
    for (size_t j = 0; j < points; ++j) {
      weight *= -static_cast<double>(points - j) / static_cast<double>(j + 1);
      sum -= weight * *back[first + j];
    }
    return sum;
  };
  size_t best = std::min<size_t>(2, back.size());
  double least = std::numeric_limits<double>::infinity();
  for (size_t points = 2; points + 1 <= back.size(); ++points)
    if (const double miss = (ahead_of(1, points) - *back[0]).squaredNorm(); miss < least) least = miss, best = points;
  return ahead_of(0, best);
}

SolvedKnot StaticTrack::solve_knot(long k, Knot& knot) {
  SolvedKnot out;
  const double t = time_of(k);
  const RigidMotion m = motion(knot.points);
  const auto one = knots_.find(k - 1), two = knots_.find(k - 2);
  const auto none = knots_.end();
  if (follow_first(knot.points, knot.load, knot.p) != Follows::no) {
    knot.raw = to_local(knot.p, m);
    return out;
  }
  const bool springs_vary = static_cast<bool>(drive_.spring_factors);
  if (!springs_vary && one != none && one->second.points == knot.points && one->second.load == knot.load) {
    knot.p = one->second.p;
    knot.raw = one->second.raw;
    return out;
  }
  if (!has_factor_) make_factor();
  solver_.set_scales(knot.load.stiffness, knot.load.gravity);
  StaticSolver::Result r;
  // Extrapolated from the knots before, else from the last one, else from the rest shape.
  if (two != none) r = solver_.solve(t, to_world(extrapolated(k), m));
  if (!r.converged) {
    const int spent = r.newton_iterations;
    const VecX& last = one != none ? one->second.raw : options_.first_guess;
    r = solver_.solve(t, last.size() > 0 ? to_world(last, m) : VecX());
    r.newton_iterations += spent;
  }
  ++solves_;
  newton_iterations_ += r.newton_iterations;
  if (!r.converged) ++unconverged_;
  knot.p = std::move(r.u);
  knot.raw = to_local(knot.p, m);
  const VecX made_at = solver_.factor_point();
  if (made_at.size() == 0)
    factor_ = nullptr;
  else if (!factor_ || factor_->u != made_at)
    factor_ = std::make_shared<const FactorMark>(FactorMark{made_at, knot.load.stiffness, knot.load.gravity});
  out.solved = true, out.converged = r.converged, out.newton_iterations = r.newton_iterations;
  return out;
}

double StaticTrack::bending_of_drive(long k, const Knot& knot) const {
  const Knot &one = knots_.at(k - 1), &two = knots_.at(k - 2);
  const Mat3 turn = motion(knot.points).R - 2 * motion(one.points).R + motion(two.points).R;
  const VecX shape = centred(knot.points) - 2 * centred(one.points) + centred(two.points);
  auto ratio = [](const Load& l) { return l.gravity / l.stiffness; };
  const double load = ratio(knot.load) - 2 * ratio(one.load) + ratio(two.load);
  return largest_move(shape) + model_.size() * (turn.norm() + std::abs(load));
}

void StaticTrack::watch_branch(long k, Knot& knot) {
  knot.local = knot.raw;
  const auto one = knots_.find(k - 1), two = knots_.find(k - 2), three = knots_.find(k - 3);
  // Springs that change strength move the equilibrium as suddenly as they like.
  if (two == knots_.end() || !model_.can_tangle() || drive_.spring_factors) return;
  const bool across_cut = std::any_of(cuts_.begin(), cuts_.end(),
                                      [&](double c) { return c > time_of(k - 2) - 1e-9 && c <= time_of(k) + 1e-9; });
  if (!across_cut) {
    const VecX bend = knot.raw - 2 * one->second.raw + two->second.raw;
    double before = 0;
    if (three != knots_.end()) before = largest_move(one->second.raw - 2 * two->second.raw + three->second.raw);
    const double size = largest_move(bend);
    if (size > kUnexplained * (bending_of_drive(k, knot) + before) + kSmallestJump * model_.size()) {
      BranchJump jump{.t = time_of(k), .distance = size};
      for (int i = 0; i < model_.n_vertices(); ++i)
        if (jump.vertex < 0 || bend.segment<3>(3 * i).norm() > bend.segment<3>(3 * jump.vertex).norm()) jump.vertex = i;
      jumps_.push_back(jump);
      // From where p was heading to where it now is.
      bridge_ = 2 * one->second.local - two->second.local - knot.raw;
      bridge_knot_ = k;
    }
  } else {
    bridge_.resize(0);
  }
  if (bridge_.size() == 0) return;
  const double duration = std::max(kBridge, 4 * options_.knot_spacing);
  const double s = std::min(1.0, static_cast<double>(k - bridge_knot_) * options_.knot_spacing / duration);
  knot.local += (1 - s * s * s * (10 + s * (6 * s - 15))) * bridge_;
  if (s == 1) bridge_.resize(0);
}

const StaticTrack::Knot& StaticTrack::knot(long k) {
  const auto found = knots_.find(k);
  if (found != knots_.end()) return found->second;
  for (long next = knots_.empty() ? k : knots_.rbegin()->first + 1; next <= k; ++next) {
    Knot made;
    made.points = driven_points(drive_, time_of(next));
    made.load = load_at(time_of(next));
    if (first_.p.size() == 0) ticket_ = store_ ? store_->open(next, options_.knot_spacing) : -1;
    const uint64_t of = Digest().add(made.points).add(made.load.stiffness).add(made.load.gravity).number();
    if (!find_knot(next, of, made)) {
      SolvedKnot solved = solve_knot(next, made);
      if (ticket_ >= 0) {
        solved.p = made.p, solved.of = of, solved.factor = factor_;
        store_->add(ticket_, next, std::move(solved));
      }
    }
    watch_branch(next, made);
    made.sample = options_.in_world ? to_world(made.local, motion(made.points)) : made.local;
    if (first_.p.size() == 0) first_ = made;
    knots_[next] = std::move(made);
    if (static_cast<int>(knots_.size()) > options_.kept_knots) knots_.erase(knots_.begin());
  }
  return knots_.at(k);
}

VecX StaticTrack::interpolate(double t, int derivative) {
  const double place = t / options_.knot_spacing, nearest = std::round(place);
  const bool on_knot = std::abs(place - nearest) < 1e-6;
  if (on_knot && derivative == 0) {
    // The first knot asked for comes after those before it, which later ones start from, and which a start in motion
    // takes differences to.
    if (knots_.empty()) knot(static_cast<long>(nearest) - 3);
    return knot(static_cast<long>(nearest)).sample;
  }
  const long k = on_knot ? static_cast<long>(nearest) : static_cast<long>(std::floor(place));
  SixTimes times;
  for (long j = 0; j < 6; ++j) times[static_cast<size_t>(j)] = time_of(k - 2 + j);
  SixWeights w = local_quintic_weights(times, on_knot ? time_of(k) : t, derivative);
  // A cut divides what belongs to this motion from what does not.
  int low = 0, high = 5;
  for (double cut : cuts_)
    for (int j = 0; j < 6; ++j) {
      const bool after = times[static_cast<size_t>(j)] >= cut - 1e-9;
      if (t >= cut - 1e-9 && !after) low = std::max(low, j + 1);
      if (t < cut - 1e-9 && after) high = std::min(high, j - 1);
    }
  if (low > 0 || high < 5) fold_foreign(times, low, high, w);
  VecX sum;
  for (long j = 0; j < 6; ++j) {
    const double weight = w[static_cast<size_t>(j)];
    if (j < low || j > high || (weight == 0 && j > 2)) continue;
    const VecX& sample = knot(k - 2 + j).sample;
    if (sum.size() == 0) sum = VecX::Zero(sample.size());
    sum += weight * sample;
  }
  return sum;
}

const VecX& StaticTrack::at(double t) {
  if (cached_.size() > 0 && cached_t_ == t) return cached_;
  if (options_.given) {
    turned_since_ = std::min(turned_since_, t);
    cached_ = with_bystanders(options_.given->at(t) - flatten(model_.mesh().vertices));
    cached_t_ = t;
    return cached_;
  }
  VecX p;
  const VecX points = driven_points(drive_, t);
  if (first_.p.size() == 0) interpolate(t, 0);
  const Follows how = options_.in_world ? Follows::no : follow_first(points, load_at(t), p);
  if (how == Follows::no) p = options_.in_world ? interpolate(t, 0) : to_world(interpolate(t, 0), motion(points));
  if (how != Follows::translated) turned_since_ = std::min(turned_since_, t);
  // What is driven is where it is driven to, whatever the interpolation says.
  const AffineMap& map = model_.constraints().map();
  cached_ = with_bystanders(map.expand(map.gather(p), prescribed(model_, drive_, t)));
  cached_t_ = t;
  return cached_;
}

VecX StaticTrack::with_bystanders(VecX p) const {
  if (options_.n_bystanders == 0) return p;
  VecX all = VecX::Zero(p.size() + 3 * options_.n_bystanders);
  all.head(p.size()) = p;
  return all;
}

VecX StaticTrack::derivative_at(double t, int derivative) {
  return with_bystanders(options_.given ? options_.given->at(t, derivative) : interpolate(t, derivative));
}

StaticTrack::Memory StaticTrack::memory() const {
  Memory m;
  m.numbers = {static_cast<double>(knots_.empty() ? 0 : knots_.begin()->first),
               static_cast<double>(knots_.size()),
               static_cast<double>(bridge_knot_),
               turned_since_,
               static_cast<double>(solves_),
               static_cast<double>(unconverged_),
               static_cast<double>(newton_iterations_),
               static_cast<double>(jumps_.size())};
  auto keep = [&](const Knot& k) {
    for (const VecX* x : {&k.p, &k.raw, &k.local, &k.sample, &k.points}) m.vectors.push_back(*x);
    m.numbers.push_back(k.load.stiffness), m.numbers.push_back(k.load.gravity);
  };
  keep(first_);
  for (const auto& [index, k] : knots_) keep(k);
  for (const BranchJump& j : jumps_)
    for (double x : {j.t, j.distance, static_cast<double>(j.vertex)}) m.numbers.push_back(x);
  m.vectors.push_back(bridge_);
  m.vectors.push_back(factor_ ? factor_->u : VecX());
  m.numbers.push_back(factor_ ? factor_->stiffness : 1), m.numbers.push_back(factor_ ? factor_->gravity : 1);
  return m;
}

void StaticTrack::set_memory(const Memory& m) {
  size_t number = 0, vector = 0;
  auto next = [&] { return m.numbers.at(number++); };
  const long first = std::lround(next()), count = std::lround(next());
  bridge_knot_ = std::lround(next());
  turned_since_ = next();
  solves_ = static_cast<int>(next()), unconverged_ = static_cast<int>(next());
  newton_iterations_ = static_cast<int>(next());
  const int n_jumps = static_cast<int>(next());
  auto read = [&] {
    Knot k;
    for (VecX* x : {&k.p, &k.raw, &k.local, &k.sample, &k.points}) *x = m.vectors.at(vector++);
    k.load.stiffness = next(), k.load.gravity = next();
    return k;
  };
  first_ = read();
  knots_.clear();
  for (long k = 0; k < count; ++k) knots_[first + k] = read();
  jumps_.clear();
  for (int j = 0; j < n_jumps; ++j) {
    BranchJump jump;
    jump.t = next(), jump.distance = next(), jump.vertex = static_cast<int>(next());
    jumps_.push_back(jump);
  }
  bridge_ = m.vectors.at(vector++);
  FactorMark mark{.u = m.vectors.at(vector)};
  mark.stiffness = next(), mark.gravity = next();
  factor_ = mark.u.size() > 0 ? std::make_shared<const FactorMark>(std::move(mark)) : nullptr;
  has_factor_ = false;
  ticket_ = -1;  // knots in the middle are not those of a store
  cached_.resize(0);
}

VecX local_displacement(const VertexFrames& frames, const VecX& u, const VecX& p) {
  const std::vector<Mat3> R = frames.rotations(p);
  VecX q(3 * static_cast<Eigen::Index>(R.size()));
  for (size_t i = 0; i < R.size(); ++i) {
    const Eigen::Index k = 3 * static_cast<Eigen::Index>(i);
    q.segment<3>(k) = R[i].transpose() * (u.segment<3>(k) - p.segment<3>(k));
  }
  return q;
}

VecX world_displacement(const VertexFrames& frames, const VecX& q, const VecX& p) {
  const std::vector<Mat3> R = frames.rotations(p);
  VecX u = p;
  for (size_t i = 0; i < R.size(); ++i) {
    const Eigen::Index k = 3 * static_cast<Eigen::Index>(i);
    u.segment<3>(k) += R[i] * q.segment<3>(k);
  }
  return u;
}

}  // namespace supple
