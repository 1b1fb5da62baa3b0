#include "supple/fem/drawn_shape.h"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"
#include "supple/linalg/svd3.h"

namespace supple {

namespace {

constexpr double kLeastStretch = 0.5, kMostStretch = 2;
// R_y turns by half a turn where s_2 + s_3 passes zero: below this it gives way to the mean of the tets around.
constexpr double kFadeBelow = 0.25;
constexpr double kLeastScale = 1e-3;  // of the whole body: drawn smaller it is treated as if it were of this size
constexpr size_t kGrain = 256;

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// R of F = R S and the inverse of S where F is stretched so little that nothing of it is held: far quicker than by
// singular values. False: it may be more.
bool gentle(const Mat3& F, Mat3& R, Mat3& S_inverse) {
  constexpr double kFar = 0.45;  // |S - 1|: all stretches are within 0.55 .. 1.45
  constexpr double kLeastVolume = 0.55 * 0.55 * 0.55;
  if (!(F.determinant() > kLeastVolume)) return false;
  const Polar3 polar = polar3(F);
  if (!((polar.S - Mat3::Identity()).squaredNorm() < kFar * kFar)) return false;
  R = polar.R;
  S_inverse = polar.S.inverse();
  return true;
}

Mat3 turned_towards(const Mat3& from, const Mat3& to, double share) {
  return Eigen::Quaterniond(from).slerp(share, Eigen::Quaterniond(to)).toRotationMatrix();
}

}  // namespace

DrawnShape::DrawnShape(std::shared_ptr<const Elements> elements, std::vector<char> needed)
    : elements_(std::move(elements)), needed_(std::move(needed)), tets_(elements_->list().size()) {
  const Patches& patches = elements_->patches();
  patches_.resize(patches.list().size());
  patch_gradients_ = patches.gradients();
  if (!patches_.empty()) {
    std::vector<int> patch_of(static_cast<size_t>(elements_->n_vertices()), -1);
    for (size_t k = 0; k < patches.list().size(); ++k)
      patch_of[static_cast<size_t>(patches.list()[k].vertex)] = static_cast<int>(k);
    for (const Element& e : elements_->list()) {
      std::array<int, 4>& around = around_.emplace_back();
      std::array<int, 16>& places = places_.emplace_back();
      for (int v = 0; v < 4; ++v) {
        around[v] = patch_of[static_cast<size_t>(e.v[v])];
        const Patch& p = patches.list()[static_cast<size_t>(around[v])];
        const auto begin = patches.vertices().begin() + p.first, end = begin + p.count;
        for (int a = 0; a < 4; ++a)
          places[4 * v + a] = p.first + static_cast<int>(std::lower_bound(begin, end, e.v[a]) - begin);
      }
    }
  }
  set(VecX::Zero(3 * static_cast<Eigen::Index>(elements_->n_vertices())));
}

// What all of the body is scaled by, negative where it is mirrored.
double DrawnShape::common_scale(const std::vector<Mat3>& F) const {
  const std::vector<Element>& list = elements_->list();
  double volume = 0, drawn = 0;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].v[0] < n_own_) volume += list[i].vol, drawn += list[i].vol * F[i].determinant();
  if (volume == 0) return 1;
  const double scale = std::cbrt(drawn / volume);
  return std::abs(scale) < kLeastScale ? std::copysign(kLeastScale, scale) : scale;
}

void DrawnShape::set(const VecX& y) {
  const std::vector<Element>& list = elements_->list();
  y_ = VecX::Zero(3 * static_cast<Eigen::Index>(elements_->n_vertices()));
  y_.head(y.size()) = y;
  n_own_ = static_cast<int>(y.size() / 3);
  std::vector<Mat3> F(list.size());
  parallel_for(list.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) F[i] = Mat3::Identity() + elements_->gradient(list[i], y_);
  });
  const double scale = common_scale(F);

  // Means around the vertices, for tets that have no frame of their own.
  std::vector<Mat3> mean(static_cast<size_t>(elements_->n_vertices()), Mat3::Zero());
  elements_->clusters().for_each([&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      for (int v : list[static_cast<size_t>(i)].v)
        mean[static_cast<size_t>(v)] += list[static_cast<size_t>(i)].vol / scale * F[static_cast<size_t>(i)];
  });

  std::vector<char> crushed(list.size(), 0), folded(list.size(), 0);
  parallel_for(list.size(), kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Element& e = list[i];
      ShapeFrame& out = tets_[i];
      if (!needed_.empty() && !needed_[i]) continue;
      if (e.v[0] >= n_own_) {
        out = {Mat3::Identity(), e.g, 1};
        continue;
      }
      Mat3 S_inverse;
      if (gentle(F[i] / scale, out.R, S_inverse)) {
        out.g = S_inverse * e.g / scale;
        out.weight = scale * scale;
        continue;
      }
      const Svd3 f = svd3(F[i] / scale);
      folded[i] = f.sigma[2] <= 0;
      crushed[i] = f.sigma[2] < kLeastStretch || f.sigma[0] > kMostStretch;
      out.R = f.U * f.V.transpose();
      Vec3 stretch = f.sigma.cwiseMax(kLeastStretch).cwiseMin(kMostStretch);
      if (const double fade = smooth_step(1 - (f.sigma[1] + f.sigma[2]) / kFadeBelow); fade > 0) {
        Mat3 around = Mat3::Zero();
        for (int v : e.v) around += mean[static_cast<size_t>(v)];
        out.R = turned_towards(out.R, polar3(around).R, fade);
        const double even = std::cbrt(stretch.prod());
        stretch = (1 - fade) * stretch + Vec3::Constant(fade * even);
      }
      // In lengths of the drawn body, whose frequencies are then those of rest whatever its size.
      out.g = f.V * (f.V.transpose() * e.g).cwiseQuotient(stretch.replicate<1, 3>()) / scale;
      out.weight = scale * scale;
    }
  });
  crushed_ = static_cast<int>(std::count(crushed.begin(), crushed.end(), 1));
  folded_ = static_cast<int>(std::count(folded.begin(), folded.end(), 1));

  // Patches average over tets whose frames differ, and a mean of rotations is none:
  //   B_v = R_v + mean over tets of [(F - F_y) G R_y^T] R_v, R_v of the mean of F_y.
  const Patches& patches = elements_->patches();
  if (patches_.empty() || !needed_.empty()) return;
  for (size_t k = 0; k < patches_.size(); ++k) {
    const int vertex = patches.list()[k].vertex;
    patches_[k].R = vertex < n_own_ ? polar3(mean[static_cast<size_t>(vertex)]).R : Mat3::Identity();
    patches_[k].weight = vertex < n_own_ ? scale * scale : 1;
  }
  set_patches();
}

void DrawnShape::set_patches() {
  const Patches& patches = elements_->patches();
  std::fill(patch_gradients_.begin(), patch_gradients_.end(), 0.0);
  for (size_t i = 0; i < tets_.size(); ++i) {
    const Element& e = elements_->list()[i];
    for (int v = 0; v < 4; ++v) {
      const auto k = static_cast<size_t>(around_[i][v]);
      const Mat3 g = (e.vol / (4 * patches.list()[k].vol)) * patches_[k].R.transpose() * tets_[i].R * tets_[i].g;
      for (int a = 0; a < 4; ++a) {
        const Vec3 one = a == 0 ? Vec3(-g.rowwise().sum()) : Vec3(g.col(a - 1));
        for (int c = 0; c < 3; ++c) patch_gradients_[static_cast<size_t>(3 * places_[i][4 * v + a] + c)] += one[c];
      }
    }
  }
}

}  // namespace supple
