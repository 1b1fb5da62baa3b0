#include "supple/anim/skin_decomposition_fit.h"

#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/linalg/dense.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

// min h' G h / 2 - b' h,  h >= 0,  the sum over each group at most (open) or exactly (closed) its total.
// Two places of a group trade weight until none gains by it; an open group has one more place, which moves nothing.
class WeightTrade {
 public:
  WeightTrade(const MatX& G, const VecX& b, const std::vector<int>& group, const std::vector<double>& totals)
      : G_(G), b_(b), group_(group), totals_(totals) {}

  // Over the helpers `in`; closed groups by bit.
  VecX solve(const std::vector<int>& in, unsigned closed) const {
    VecX h = VecX::Zero(b_.size()), g = -b_;
    std::vector<double> spare = totals_;
    for (size_t s = 0; s < totals_.size(); ++s) {
      if (!(closed >> s & 1u)) continue;
      const auto n = std::count_if(in.begin(), in.end(), [&](int j) { return group_[at(j)] == static_cast<int>(s); });
      for (int j : in) {
        if (group_[at(j)] == static_cast<int>(s)) add(j, totals_[s] / static_cast<double>(n), h, g);
      }
      spare[s] = 0;
    }
    const double small = 1e-10 * (b_.cwiseAbs().maxCoeff() + 1e-300);
    for (int step = 0; step < 400; ++step) {
      // The trade with most to gain: up from where the slope is lowest, down where it is highest.
      int best_up = -1, best_down = -1;
      size_t best_group = 0;
      double most = small;
      for (size_t s = 0; s < totals_.size(); ++s) {
        const bool open = !(closed >> s & 1u);
        int up = -1, down = -1;
        double low = open ? 0 : INFINITY, high = open && spare[s] > 0 ? 0 : -INFINITY;
        for (int j : in) {
          if (group_[at(j)] != static_cast<int>(s)) continue;
          if (g[j] < low) low = g[j], up = j;
          if (h[j] > 0 && g[j] > high) high = g[j], down = j;
        }
        if (high - low > most && std::isfinite(high - low)) {
          most = high - low, best_up = up, best_down = down, best_group = s;
        }
      }
      if (best_up == best_down) break;
      double curve = 0;
      if (best_up >= 0) curve += G_(best_up, best_up);
      if (best_down >= 0) curve += G_(best_down, best_down);
      if (best_up >= 0 && best_down >= 0) curve -= 2 * G_(best_up, best_down);
      const double have = best_down >= 0 ? h[best_down] : spare[best_group];
      const bool all = !(most < have * curve);
      const double move = all ? have : most / curve;
      if (best_up >= 0) add(best_up, move, h, g);
      if (best_down >= 0) {
        add(best_down, -move, h, g);
        if (all) h[best_down] = 0;
      }
      if (best_up < 0) spare[best_group] += move;
      if (best_down < 0) spare[best_group] = all ? 0 : spare[best_group] - move;
    }
    return h;
  }
  double value(const VecX& h) const { return h.dot(G_ * h) / 2 - b_.dot(h); }

 private:
  static size_t at(int i) { return static_cast<size_t>(i); }
  void add(int j, double amount, VecX& h, VecX& g) const {
    h[j] += amount;
    g += amount * G_.col(j);
  }
  const MatX& G_;
  const VecX& b_;
  const std::vector<int>& group_;
  const std::vector<double>& totals_;
};

// The best weights with few enough helpers: the least useful leave one by one, with and without the bones themselves.
VecX few_weights(const MatX& G, const VecX& b, const std::vector<int>& group, const VertexPlaces& places) {
  constexpr double kWorthAPlace = 1e-4;
  const WeightTrade trade(G, b, group, places.of_bone);
  std::vector<int> able;
  for (int j = 0; j < b.size(); ++j) {
    if (places.of_bone[static_cast<size_t>(group[static_cast<size_t>(j)])] > kWorthAPlace && G(j, j) > 0)
      able.push_back(j);
  }
  int n_bones = 0;
  for (double w : places.of_bone) n_bones += w > 0;
  VecX best = VecX::Zero(b.size());
  double least = 0;
  const unsigned n_choices = 1u << std::min<size_t>(places.of_bone.size(), 4);
  for (unsigned closed = 0; closed < n_choices; ++closed) {
    int room = places.room - n_bones;
    bool possible = true;
    for (size_t s = 0; s < places.of_bone.size(); ++s) {
      if (!(closed >> s & 1u)) continue;
      possible = possible && places.of_bone[s] > kWorthAPlace;
      ++room;
    }
    if (!possible || room <= 0) continue;
    std::vector<int> in = able;
    while (true) {
      for (size_t s = 0; s < places.of_bone.size(); ++s) {
        if (!(closed >> s & 1u)) continue;
        possible = possible && std::any_of(in.begin(), in.end(),
                                           [&](int j) { return group[static_cast<size_t>(j)] == static_cast<int>(s); });
      }
      if (!possible) break;
      const VecX h = trade.solve(in, closed);
      std::vector<int> used;
      for (int j : in) {
        if (h[j] > kWorthAPlace) used.push_back(j);
      }
      if (static_cast<int>(used.size()) <= room) {
        // Traces leave as well, those of closed groups to the largest of the group.
        VecX clean = VecX::Zero(h.size());
        for (int j : used) clean[j] = h[j];
        for (int j : in) {
          const int s = group[static_cast<size_t>(j)];
          if (clean[j] > 0 || !(closed >> s & 1u)) continue;
          int largest = -1;
          for (int k : used) {
            if (group[static_cast<size_t>(k)] == s && (largest < 0 || h[k] > h[largest])) largest = k;
          }
          if (largest >= 0) clean[largest] += h[j];
        }
        if (trade.value(clean) < least) least = trade.value(clean), best = clean;
        break;
      }
      int worst = used[0];
      for (int j : used) {
        if (h[j] * h[j] * G(j, j) < h[worst] * h[worst] * G(worst, worst)) worst = j;
      }
      in = used;
      in.erase(std::find(in.begin(), in.end(), worst));
    }
  }
  return best;
}

Mat3 cross(const Vec3& v) {
  Mat3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

Mat3 turn_by(const Vec3& w) {
  const double angle = w.norm();
  if (!(angle > 0)) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, w / angle).toRotationMatrix();
}

// Those of a vertex that it follows.
struct Followed {
  int helper;
  double weight;
};

class FrameFit {
 public:
  FrameFit(const RegionData& data, const RegionModel& model, const std::vector<int>& vertices,
           const std::vector<std::vector<Followed>>& followed, const Points& centres, const VecX& stay)
      : data_(data), model_(model), vertices_(vertices), followed_(followed), centres_(centres), stay_(stay) {}

  void run(int frame, int steps, std::vector<HelperMotion>& motions) const {
    double before = cost(frame, motions), damp = 1e-9;
    for (int step = 0; step < steps; ++step) {
      MatX A;
      VecX g;
      assemble(frame, motions, A, g);
      if (!(g.cwiseAbs().maxCoeff() > 0)) return;
      bool better = false;
      double length = 0;
      for (int attempt = 0; attempt < 6 && !better; ++attempt) {
        MatX damped = A;
        damped.diagonal() *= 1 + damp;
        const VecX move = solve_symmetric(damped, -g);
        if (!move.allFinite()) {
          damp = std::max(damp * 100, 1e-6);
          continue;
        }
        std::vector<HelperMotion> next = motions;
        for (int j = 0; j < model_.n_helpers(); ++j) {
          const Vec3 w = move.segment<3>(6 * j), shift = move.segment<3>(6 * j + 3);
          HelperMotion& m = next[static_cast<size_t>(j)];
          const Vec3 centre = m.R * centres_[static_cast<size_t>(j)] + m.t;
          const Mat3 turn = turn_by(w);
          m.R = turn * m.R;
          m.t = turn * (m.t - centre) + centre + shift;
        }
        const double after = cost(frame, next);
        better = after < before;
        if (better) {
          length = (before - after) / before;
          before = after;
          motions = std::move(next);
          damp = std::max(damp / 10, 1e-9);
        } else {
          damp = std::max(damp * 100, 1e-6);
        }
      }
      if (!better || length < 1e-9) return;
    }
  }

 private:
  Vec3 residual(int frame, int vertex, size_t k, const std::vector<HelperMotion>& motions) const {
    const Vec3& x = data_.at(frame)[static_cast<size_t>(vertex)];
    Vec3 r = -data_.d[static_cast<size_t>(frame)][static_cast<size_t>(vertex)];
    for (const Followed& f : followed_[k]) {
      const HelperMotion& m = motions[static_cast<size_t>(f.helper)];
      r += f.weight * (linear(frame, f.helper) * (m.R * x + m.t - x));
    }
    return r;
  }
  const Mat3& linear(int frame, int helper) const {
    return data_.linear[static_cast<size_t>(frame)][static_cast<size_t>(model_.bone[static_cast<size_t>(helper)])];
  }
  // Staying at rest is worth a trace, so that what the vertices leave open has one answer.
  double cost(int frame, const std::vector<HelperMotion>& motions) const {
    double sum = 0;
    for (size_t k = 0; k < vertices_.size(); ++k) sum += residual(frame, vertices_[k], k, motions).squaredNorm();
    for (int j = 0; j < model_.n_helpers(); ++j) {
      const HelperMotion& m = motions[static_cast<size_t>(j)];
      const Vec3& c = centres_[static_cast<size_t>(j)];
      sum += stay_[2 * j] * turn_of(m.R).squaredNorm() + stay_[2 * j + 1] * (m.R * c + m.t - c).squaredNorm();
    }
    return sum;
  }
  static Vec3 turn_of(const Mat3& R) {
    const Eigen::AngleAxisd a(R);
    return a.angle() * a.axis();
  }
  void assemble(int frame, const std::vector<HelperMotion>& motions, MatX& A, VecX& g) const {
    const int n = model_.n_helpers();
    A = MatX::Zero(6 * n, 6 * n);
    g = VecX::Zero(6 * n);
    Eigen::Matrix<double, 3, 6> J[4];
    for (size_t k = 0; k < vertices_.size(); ++k) {
      const std::vector<Followed>& own = followed_[k];
      if (own.empty()) continue;
      const Vec3& x = data_.at(frame)[static_cast<size_t>(vertices_[k])];
      const Vec3 r = residual(frame, vertices_[k], k, motions);
      for (size_t a = 0; a < own.size(); ++a) {
        const HelperMotion& m = motions[static_cast<size_t>(own[a].helper)];
        const Mat3 L = own[a].weight * linear(frame, own[a].helper);
        J[a].leftCols<3>() = -L * cross(m.R * (x - centres_[static_cast<size_t>(own[a].helper)]));
        J[a].rightCols<3>() = L;
        g.segment<6>(6 * own[a].helper) += J[a].transpose() * r;
        for (size_t b = 0; b <= a; ++b) {
          A.block<6, 6>(6 * own[a].helper, 6 * own[b].helper).noalias() += J[a].transpose() * J[b];
        }
      }
    }
    for (int j = 0; j < n; ++j) {
      const HelperMotion& m = motions[static_cast<size_t>(j)];
      const Vec3& c = centres_[static_cast<size_t>(j)];
      A.diagonal().segment<3>(6 * j).array() += stay_[2 * j];
      A.diagonal().segment<3>(6 * j + 3).array() += stay_[2 * j + 1];
      g.segment<3>(6 * j) += stay_[2 * j] * turn_of(m.R);
      g.segment<3>(6 * j + 3) += stay_[2 * j + 1] * (m.R * c + m.t - c);
    }
    A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  }

  const RegionData& data_;
  const RegionModel& model_;
  const std::vector<int>& vertices_;
  const std::vector<std::vector<Followed>>& followed_;
  const Points& centres_;
  const VecX& stay_;  // a helper: of turning, of shifting
};

}  // namespace

Vec3 modelled(const RegionData& data, const RegionModel& model, int frame, int vertex) {
  const Vec3& x = data.at(frame)[static_cast<size_t>(vertex)];
  Vec3 sum = Vec3::Zero();
  for (int j = 0; j < model.n_helpers(); ++j) {
    const double h = model.weights(vertex, j);
    if (h == 0) continue;
    const HelperMotion& m = model.motions[static_cast<size_t>(frame)][static_cast<size_t>(j)];
    const auto bone = static_cast<size_t>(model.bone[static_cast<size_t>(j)]);
    sum += h * (data.linear[static_cast<size_t>(frame)][bone] * (m.R * x + m.t - x));
  }
  return sum;
}

void fit_weights(const RegionData& data, const std::vector<int>& frames, const std::vector<int>& vertices,
                 RegionModel& model) {
  const int n = model.n_helpers();
  // What a helper adds at a frame: B x + s.
  struct Field {
    Mat3 B;
    Vec3 s;
  };
  std::vector<std::vector<Field>> fields;
  for (int f : frames) {
    fields.emplace_back();
    for (int j = 0; j < n; ++j) {
      const HelperMotion& m = model.motions[static_cast<size_t>(f)][static_cast<size_t>(j)];
      const Mat3& L = data.linear[static_cast<size_t>(f)][static_cast<size_t>(model.bone[static_cast<size_t>(j)])];
      fields.back().push_back({L * (m.R - Mat3::Identity()), L * m.t});
    }
  }
  parallel_for(vertices.size(), 64, [&](size_t begin, size_t end) {
    MatX C(3 * static_cast<Eigen::Index>(frames.size()), n);
    VecX d(C.rows());
    for (size_t k = begin; k < end; ++k) {
      const auto v = static_cast<size_t>(vertices[k]);
      for (size_t f = 0; f < frames.size(); ++f) {
        const Vec3& x = data.at(frames[f])[v];
        const auto row = 3 * static_cast<Eigen::Index>(f);
        for (int j = 0; j < n; ++j) {
          const Field& field = fields[f][static_cast<size_t>(j)];
          C.block<3, 1>(row, j) = field.B * x + field.s;
        }
        d.segment<3>(row) = data.d[static_cast<size_t>(frames[f])][v];
      }
      const MatX G = C.transpose() * C;
      const VecX b = C.transpose() * d;
      model.weights.row(vertices[k]) = few_weights(G, b, model.bone, data.places[v]).transpose();
    }
  });
}

void fit_motions(const RegionData& data, const std::vector<int>& frames, const std::vector<int>& vertices, bool afresh,
                 int steps, RegionModel& model) {
  const int n = model.n_helpers();
  std::vector<std::vector<Followed>> followed(vertices.size());
  Points centres(static_cast<size_t>(n), Vec3::Zero());
  VecX mass = VecX::Zero(n), spread = VecX::Zero(n);
  for (size_t k = 0; k < vertices.size(); ++k) {
    const Vec3& x = data.x[0][static_cast<size_t>(vertices[k])];
    for (int j = 0; j < n; ++j) {
      const double h = model.weights(vertices[k], j);
      if (!(h > 0)) continue;
      followed[k].push_back({j, h});
      mass[j] += h * h;
      centres[static_cast<size_t>(j)] += h * h * x;
      spread[j] += h * h * x.squaredNorm();
    }
  }
  VecX stay(2 * n);
  const double most = std::max(mass.maxCoeff(), 1e-12);
  for (int j = 0; j < n; ++j) {
    Vec3& c = centres[static_cast<size_t>(j)];
    if (mass[j] > 0) c /= mass[j];
    const double radius2 = mass[j] > 0 ? spread[j] / mass[j] - c.squaredNorm() : 0;
    stay[2 * j + 1] = 1e-5 * mass[j] + 1e-9 * most;
    // Few vertices close together say little of turns: those count as if they were wider apart.
    stay[2 * j] = stay[2 * j + 1] * std::max({radius2, std::pow(0.25 * data.radius, 2), 1e-12});
  }
  const FrameFit fit(data, model, vertices, followed, centres, stay);
  std::vector<std::vector<HelperMotion>>& motions = model.motions;
  parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      std::vector<HelperMotion>& own = motions[static_cast<size_t>(frames[f])];
      if (afresh) own.assign(static_cast<size_t>(n), {});
      fit.run(frames[f], steps, own);
    }
  });
}

HelperMotion rigid_start(const RegionData& data, int frame, int bone, const std::vector<int>& vertices) {
  const Mat3& L = data.linear[static_cast<size_t>(frame)][static_cast<size_t>(bone)];
  const Mat3 back = std::abs(L.determinant()) > 1e-30 ? Mat3(L.inverse()) : Mat3(Mat3::Zero());
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Points after;
  for (int v : vertices) {
    const Vec3& x = data.at(frame)[static_cast<size_t>(v)];
    after.push_back(x + back * data.d[static_cast<size_t>(frame)][static_cast<size_t>(v)]);
    from += x;
    to += after.back();
  }
  const double n = static_cast<double>(std::max<size_t>(vertices.size(), 1));
  from /= n, to /= n;
  Mat3 M = Mat3::Zero();
  double spread = 0;
  for (size_t k = 0; k < vertices.size(); ++k) {
    const Vec3 x = data.at(frame)[static_cast<size_t>(vertices[k])] - from;
    M += (after[k] - to) * x.transpose();
    spread += x.squaredNorm();
  }
  // Few vertices, or all in a line, do not tell the turn: then none.
  M.diagonal().array() += 1e-3 * spread + 1e-30;
  HelperMotion m;
  m.R = polar3(M).R;
  m.t = to - m.R * from;
  return m;
}

}  // namespace supple
