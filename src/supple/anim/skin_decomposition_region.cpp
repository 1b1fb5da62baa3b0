#include "supple/anim/skin_decomposition_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "supple/anim/skin_decomposition_fit.h"
#include "supple/base/index.h"
#include "supple/base/parallel.h"

namespace supple {

Vec3 skinned(const SkinWeights& skin, const std::vector<Affine>& bones, int v, const Vec3& x) {
  Vec3 sum = Vec3::Zero();
  for (int k = skin.first[at(v)]; k < skin.first[at(v) + 1]; ++k)
    sum += skin.weight[at(k)] * (bones[at(skin.bone[at(k)])] * x);
  return sum;
}

const Vec3& rest_at(const SoftMotion& motion, int frame, int v) {
  return motion.morphed.empty() ? motion.rest[at(v)] : motion.morphed[at(frame)][at(v)];
}

namespace {

class RegionWork {
 public:
  RegionWork(const SoftMotion& motion, const SoftRegion& region, const DecompositionOptions& options, double size)
      : motion_(motion), region_(region), options_(options), size_(size) {
    fit_.name = region.name;
    trim();
    gather();
  }

  void run() {
    choose_frames();
    choose_vertices();
    model_.motions.assign(at(data_.n_frames()), {});
    model_.weights = MatX::Zero(data_.n_vertices(), 0);
    while (model_.n_helpers() < region_.max_helpers && fit_.peak > 0 && !good(errors(frames_, vertices_), 0.9)) {
      if (!add_helper()) break;
      alternate(3);
    }
    if (model_.n_helpers() > 0) alternate(options_.rounds);
    std::vector<int> all_vertices(at(data_.n_vertices())), all_frames;
    std::iota(all_vertices.begin(), all_vertices.end(), 0);
    if (model_.n_helpers() > 0) {
      fit_weights(data_, frames_, all_vertices, model_);
      leave_out_idle();
    }
    give_back();
    for (int f = 0; f < data_.n_frames(); ++f) {
      if (moves(f)) {
        all_frames.push_back(f);
      } else {
        model_.motions[at(f)].assign(at(model_.n_helpers()), {});
      }
    }
    if (model_.n_helpers() > 0) fit_motions(data_, all_frames, vertices_, true, 12, model_);
    all_frames.resize(at(data_.n_frames()));
    std::iota(all_frames.begin(), all_frames.end(), 0);
    const Errors e = errors(all_frames, all_vertices);
    fit_.helpers = model_.n_helpers();
    fit_.rms = e.rms, fit_.max = e.max;
    if (fit_.peak > 0) fit_.rms_share = e.rms / fit_.peak, fit_.max_share = e.max / fit_.peak;
    fit_.met = good(e, 1);
  }

  const RegionFit& fit() const { return fit_; }

  // Of the region's vertex i: bones of the artist as they are, what is left of the region's, and helpers.
  std::vector<Influence> influences(int i, int first_helper) const {
    std::vector<Influence> out;
    double sum = 0;
    for (Influence own : own_[at(i)]) {
      for (size_t s = 0; s < data_.bones.size(); ++s) {
        if (data_.bones[s] != own.bone) continue;
        for (int j = 0; j < model_.n_helpers(); ++j) {
          if (model_.bone[at(j)] == static_cast<int>(s)) own.weight -= model_.weights(i, j);
        }
      }
      if (own.weight > 1e-9) out.push_back(own);
    }
    for (int j = 0; j < model_.n_helpers(); ++j) {
      if (model_.weights(i, j) > 0) out.push_back({first_helper + j, model_.weights(i, j)});
    }
    for (const Influence& o : out) sum += o.weight;
    for (Influence& o : out) o.weight /= sum;
    return out;
  }

  std::vector<HelperJoint> helpers() const {
    std::vector<HelperJoint> out;
    for (int j = 0; j < model_.n_helpers(); ++j) {
      HelperJoint h;
      h.name = fmt::format("{}_soft.{}", region_.name, j + 1);
      h.bone = data_.bones[at(model_.bone[at(j)])];
      double mass = 0;
      Vec3 head = Vec3::Zero();
      for (int i = 0; i < data_.n_vertices(); ++i) {
        const double w = model_.weights(i, j);
        head += w * w * data_.x[0][at(i)];
        mass += w * w;
      }
      if (mass > 0) head /= mass;
      for (int i = 0; i < data_.n_vertices(); ++i) {
        if (model_.weights(i, j) > 0) h.reach = std::max(h.reach, (data_.x[0][at(i)] - head).norm());
      }
      h.head = head + data_.middle;
      for (const std::vector<HelperMotion>& frame : model_.motions) {
        const HelperMotion& m = frame[at(j)];
        Quat q(m.R);
        q.normalize();
        if (q.coeffs().dot(h.rotations.empty() ? Quat::Identity().coeffs() : h.rotations.back().coeffs()) < 0)
          q.coeffs() = -q.coeffs();
        h.rotations.push_back(q);
        h.shifts.push_back(m.R * head + m.t - head);
      }
      out.push_back(std::move(h));
    }
    return out;
  }

 private:
  struct Errors {
    double rms = 0, max = 0;
  };

  bool of_region(int bone) const {
    return std::find(region_.bones.begin(), region_.bones.end(), bone) != region_.bones.end();
  }

  // At most four bones a vertex, and one place for a helper where that costs less than it gains.
  void trim() {
    for (int v : region_.vertices) {
      std::vector<Influence> own;
      for (int k = motion_.skin.first[at(v)]; k < motion_.skin.first[at(v) + 1]; ++k) {
        if (motion_.skin.weight[at(k)] > 0) own.push_back({motion_.skin.bone[at(k)], motion_.skin.weight[at(k)]});
      }
      std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
      double lost = 0;
      while (own.size() > 4) lost += own.back().weight, own.pop_back();
      const auto carrier = std::find_if(own.begin(), own.end(), [&](const Influence& o) { return of_region(o.bone); });
      if (own.size() == 4 && carrier != own.end() && !of_region(own.back().bone) &&
          own.back().weight < options_.drop_below && 2 * cost_of(own.back(), carrier->bone, v) < largest_wish(v)) {
        lost += own.back().weight;
        carrier->weight += own.back().weight;
        own.pop_back();
      }
      double sum = 0;
      for (const Influence& o : own) sum += o.weight;
      for (Influence& o : own) o.weight /= sum;
      lost_.push_back(lost);
      own_.push_back(std::move(own));
    }
  }
  // Vertices that no helper moves in the end keep all they had.
  void give_back() {
    for (size_t i = 0; i < own_.size(); ++i) {
      if (lost_[i] == 0) continue;
      if (model_.n_helpers() > 0 && model_.weights.row(static_cast<Eigen::Index>(i)).maxCoeff() > 0) {
        ++fit_.trimmed;
        fit_.trimmed_weight = std::max(fit_.trimmed_weight, lost_[i]);
        continue;
      }
      const int v = region_.vertices[i];
      own_[i].clear();
      for (int k = motion_.skin.first[at(v)]; k < motion_.skin.first[at(v) + 1]; ++k)
        own_[i].push_back({motion_.skin.bone[at(k)], motion_.skin.weight[at(k)]});
      for (size_t f = 0; f < data_.d.size(); ++f) {
        const Vec3& x = rest_at(motion_, static_cast<int>(f), v);
        data_.d[f][i] = motion_.targets[f][at(v)] - skinned(motion_.skin, motion_.bones[f], v, x);
      }
    }
  }
  // By how far a vertex moves at most when `to` carries what another bone had of it.
  double cost_of(const Influence& from, int to, int v) const {
    double most = 0;
    for (size_t f = 0; f < motion_.bones.size(); ++f) {
      const Vec3& x = rest_at(motion_, static_cast<int>(f), v);
      most = std::max(most, (motion_.bones[f][at(from.bone)] * x - motion_.bones[f][at(to)] * x).norm());
    }
    return from.weight * most;
  }
  double largest_wish(int v) const {
    double most = 0;
    for (size_t f = 0; f < motion_.bones.size(); ++f) {
      const Vec3 plain = skinned(motion_.skin, motion_.bones[f], v, rest_at(motion_, static_cast<int>(f), v));
      most = std::max(most, (motion_.targets[f][at(v)] - plain).norm());
    }
    return most;
  }

  void gather() {
    data_.bones = region_.bones;
    const std::vector<int>& vertices = region_.vertices;
    for (int v : vertices) data_.middle += motion_.rest[at(v)] / static_cast<double>(vertices.size());
    const size_t n_frames = motion_.targets.size();
    data_.x.resize(motion_.morphed.empty() ? 1 : n_frames);
    for (size_t f = 0; f < data_.x.size(); ++f) {
      for (int v : vertices) data_.x[f].push_back(rest_at(motion_, static_cast<int>(f), v) - data_.middle);
    }
    for (const Vec3& x : data_.x.empty() ? Points() : data_.x[0]) data_.radius = std::max(data_.radius, x.norm());
    data_.d.resize(n_frames);
    data_.linear.resize(n_frames);
    for (size_t f = 0; f < n_frames; ++f) {
      wish_.push_back(0);
      for (size_t i = 0; i < vertices.size(); ++i) {
        const int v = vertices[i];
        const Vec3& x = rest_at(motion_, static_cast<int>(f), v);
        const Vec3 plain = skinned(motion_.skin, motion_.bones[f], v, x);
        Vec3 trimmed = Vec3::Zero();
        for (const Influence& o : own_[i]) trimmed += o.weight * (motion_.bones[f][at(o.bone)] * x);
        data_.d[f].push_back(motion_.targets[f][at(v)] - trimmed);
        wish_[f] = std::max(wish_[f], (motion_.targets[f][at(v)] - plain).norm());
      }
      fit_.peak = std::max(fit_.peak, wish_[f]);
      for (int b : region_.bones) data_.linear[f].push_back(motion_.bones[f][at(b)].linear());
    }
    // Rounding of the poses is no motion.
    if (fit_.peak < 1e-9 * size_) fit_.peak = 0;
    for (const std::vector<Influence>& own : own_) {
      VertexPlaces places{std::vector<double>(region_.bones.size(), 0.0), 4};
      for (const Influence& o : own) {
        const auto found = std::find(region_.bones.begin(), region_.bones.end(), o.bone);
        if (found == region_.bones.end()) {
          --places.room;
        } else {
          places.of_bone[static_cast<size_t>(found - region_.bones.begin())] += o.weight;
        }
      }
      data_.places.push_back(std::move(places));
    }
  }

  bool moves(int frame) const { return wish_[at(frame)] > std::max(1e-9 * size_, 1e-6 * fit_.peak); }

  // Frames by pivoting: each the one that those before say least about.
  void choose_frames() {
    const int n = data_.n_frames();
    const auto rows = 3 * static_cast<Eigen::Index>(std::min(data_.n_vertices(), 400));
    MatX left(rows, n);
    for (int f = 0; f < n; ++f) {
      const Mat3& L = data_.linear[at(f)][0];
      const Mat3 back = std::abs(L.determinant()) > 1e-30 ? Mat3(L.inverse()) : Mat3(Mat3::Zero());
      for (Eigen::Index k = 0; k < rows / 3; ++k) {
        const Eigen::Index i = k * data_.n_vertices() / (rows / 3);
        left.col(f).segment<3>(3 * k) = back * data_.d[at(f)][static_cast<size_t>(i)];
      }
    }
    std::vector<char> in(at(n), 0);
    auto n_in = [&] { return std::count(in.begin(), in.end(), 1); };
    double first = 0;
    while (n_in() < std::min(n, options_.fit_frames)) {
      Eigen::Index pivot = 0;
      const double most = left.colwise().squaredNorm().maxCoeff(&pivot);
      if (first == 0) first = most;
      if (!(most > 1e-8 * first)) break;
      in[static_cast<size_t>(pivot)] = 1;
      const VecX q = left.col(pivot) / std::sqrt(most);
      left -= q * (q.transpose() * left).eval();
    }
    // Few shapes may still come in many sizes.
    const int wanted = std::min(n, std::max(1, options_.fit_frames / 2));
    for (int k = 0; n_in() < wanted && k < wanted; ++k) in[at(k * n / wanted)] = 1;
    for (int f = 0; f < n; ++f) {
      if (in[at(f)] && moves(f)) frames_.push_back(f);
    }
  }

  // Evenly through the list, and those that move most.
  void choose_vertices() {
    const int n = data_.n_vertices(), stride = std::max(1, (n + options_.fit_vertices - 1) / options_.fit_vertices);
    std::vector<char> in(at(n), 0);
    for (int i = 0; i < n; i += stride) in[at(i)] = 1;
    for (int f : frames_) {
      const Points& d = data_.d[at(f)];
      const auto most =
          std::max_element(d.begin(), d.end(), [](const Vec3& a, const Vec3& b) { return a.norm() < b.norm(); });
      in[static_cast<size_t>(most - d.begin())] = 1;
    }
    for (int i = 0; i < n; ++i) {
      if (in[at(i)]) vertices_.push_back(i);
    }
  }

  bool good(const Errors& e, double share) const {
    const bool none_asked = options_.rms_share <= 0 && options_.max_share <= 0 && options_.size_share <= 0;
    if (e.max <= 1e-9 * size_) return true;
    if (none_asked) return false;
    return e.max <= share * options_.size_share * size_ ||
           (e.rms <= share * options_.rms_share * fit_.peak && e.max <= share * options_.max_share * fit_.peak);
  }

  Errors errors(const std::vector<int>& frames, const std::vector<int>& vertices) const {
    Errors e;
    auto error = [&](int f, int i) { return (data_.d[at(f)][at(i)] - modelled(data_, model_, f, i)).norm(); };
    const double n = static_cast<double>(frames.size() * vertices.size());
    if (n == 0) return e;
    const double sum = parallel_sum(frames.size(), 1, [&](size_t begin, size_t end) {
      double s = 0;
      for (size_t f = begin; f < end; ++f) {
        for (int i : vertices) s += std::pow(error(frames[f], i), 2);
      }
      return s;
    });
    e.rms = std::sqrt(sum / n);
    e.max = parallel_max(frames.size(), 1, [&](size_t begin, size_t end) {
      double m = 0;
      for (size_t f = begin; f < end; ++f) {
        for (int i : vertices) m = std::max(m, error(frames[f], i));
      }
      return m;
    });
    return e;
  }

  void alternate(int rounds) {
    for (int r = 0; r < rounds; ++r) {
      fit_weights(data_, frames_, vertices_, model_);
      fit_motions(data_, frames_, vertices_, false, 2, model_);
      for (int j = 0; j < model_.n_helpers() && r + 2 < rounds; ++j) widen(j);
    }
  }

  // How well one more helper could serve a vertex: badly without room, not at all where one began already.
  double use_of_helper(int i) const {
    const VertexPlaces& places = data_.places[at(i)];
    double sum = 0;
    int room = places.room;
    for (double w : places.of_bone) sum += w, room -= w > 0;
    for (const Vec3& seed : seeds_) {
      if ((data_.x[0][at(i)] - seed).norm() < 0.03 * data_.radius) return 0;
    }
    return room > 0 ? sum : 0.1 * sum;  // full: a helper can only stand in for its bone altogether
  }

  // Starts as the rigid motion of the vertices that move most like the one that is served worst.
  bool add_helper() {
    std::vector<double> left(vertices_.size(), 0.0);
    parallel_for(vertices_.size(), 64, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const double able = use_of_helper(vertices_[k]);
        if (able == 0) continue;
        for (int f : frames_) {
          left[k] += able * (data_.d[at(f)][at(vertices_[k])] - modelled(data_, model_, f, vertices_[k])).squaredNorm();
        }
      }
    });
    const auto worst = std::max_element(left.begin(), left.end());
    if (worst == left.end() || !(*worst > 0)) return false;
    const int seed = vertices_[static_cast<size_t>(worst - left.begin())];
    seeds_.push_back(data_.x[0][at(seed)]);
    std::vector<std::pair<double, int>> like;
    for (int i : vertices_) {
      double distance = 0;
      for (int f : frames_) distance += (data_.d[at(f)][at(i)] - data_.d[at(f)][at(seed)]).squaredNorm();
      like.emplace_back(distance, i);
    }
    std::sort(like.begin(), like.end());
    like.resize(std::min(like.size(), std::max<size_t>(8, like.size() / (2 * at(std::max(region_.max_helpers, 1))))));
    std::vector<int> cluster;
    std::vector<double> carries(data_.bones.size(), 0.0);
    for (const auto& [distance, i] : like) {
      cluster.push_back(i);
      for (size_t s = 0; s < carries.size(); ++s) carries[s] += data_.places[at(i)].of_bone[s];
    }
    const auto bone = static_cast<int>(std::max_element(carries.begin(), carries.end()) - carries.begin());
    model_.bone.push_back(bone);
    for (std::vector<HelperMotion>& frame : model_.motions) frame.emplace_back();
    for (int f : frames_) model_.motions[at(f)].back() = rigid_start(data_, f, bone, cluster);
    model_.weights.conservativeResize(Eigen::NoChange, model_.n_helpers());
    model_.weights.col(model_.n_helpers() - 1).setZero();
    widen(model_.n_helpers() - 1);
    return true;
  }

  // Weights end at what the bone has. So a motion is made as large as that of the vertex that needs most of it; the
  // others then need less weight.
  void widen(int j) {
    const auto bone = at(model_.bone[at(j)]);
    const bool fresh = !(model_.weights.col(j).maxCoeff() > 0);
    std::vector<double> needs(vertices_.size(), 1.0);
    parallel_for(vertices_.size(), 64, [&](size_t begin, size_t end) {
      for (size_t k = begin; k < end; ++k) {
        const int i = vertices_[k];
        const double own = data_.places[at(i)].of_bone[bone];
        double used = 0;
        for (int l = 0; l < model_.n_helpers(); ++l)
          used += model_.bone[at(l)] == model_.bone[at(j)] ? model_.weights(i, l) : 0;
        if (own < 0.5 || (!fresh && (used < own - 1e-6 || model_.weights(i, j) < 0.5 * own))) continue;
        double along = 0, square = 0;
        for (int f : frames_) {
          const HelperMotion& m = model_.motions[at(f)][at(j)];
          const Vec3& x = data_.at(f)[at(i)];
          const Vec3 c = data_.linear[at(f)][bone] * (m.R * x + m.t - x);
          along += c.dot(data_.d[at(f)][at(i)] - modelled(data_, model_, f, i));
          square += c.squaredNorm();
        }
        if (square > 0) needs[k] = (model_.weights(i, j) + along / square) / own;
      }
    });
    const double by = std::clamp(*std::max_element(needs.begin(), needs.end()), 1.0, 1.5);
    if (by < 1.001) return;
    for (int f : frames_) {
      HelperMotion& m = model_.motions[at(f)][at(j)];
      const Eigen::AngleAxisd turn(m.R);
      m.R = Eigen::AngleAxisd(by * turn.angle(), turn.axis()).toRotationMatrix();
      m.t *= by;
    }
  }

  void leave_out_idle() {
    RegionModel kept;
    kept.motions.resize(model_.motions.size());
    kept.weights = MatX::Zero(data_.n_vertices(), model_.n_helpers());
    for (int j = 0; j < model_.n_helpers(); ++j) {
      if (!(model_.weights.col(j).maxCoeff() > 0)) continue;
      kept.weights.col(kept.n_helpers()) = model_.weights.col(j);
      kept.bone.push_back(model_.bone[at(j)]);
      for (size_t f = 0; f < kept.motions.size(); ++f) kept.motions[f].push_back(model_.motions[f][at(j)]);
    }
    kept.weights.conservativeResize(Eigen::NoChange, kept.n_helpers());
    model_ = std::move(kept);
  }

  const SoftMotion& motion_;
  const SoftRegion& region_;
  const DecompositionOptions& options_;
  double size_;
  RegionData data_;
  RegionModel model_;
  RegionFit fit_;
  std::vector<std::vector<Influence>> own_;  // of the artist, after trimming
  std::vector<double> lost_;                 // by trimming, a vertex
  std::vector<double> wish_;                 // largest displacement asked for, a frame
  Points seeds_;                             // where helpers began
  std::vector<int> frames_, vertices_;       // that the fit looks at
};

}  // namespace

DecomposedRegion decompose_region(const SoftMotion& motion, const SoftRegion& region,
                                  const DecompositionOptions& options, double size, int first) {
  RegionWork work(motion, region, options, size);
  work.run();
  DecomposedRegion out;
  for (size_t i = 0; i < region.vertices.size(); ++i)
    out.influences.push_back(work.influences(static_cast<int>(i), first));
  out.helpers = work.helpers();
  out.fit = work.fit();
  return out;
}

}  // namespace supple
