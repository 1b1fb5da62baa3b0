#include "supple/pipeline/setup/drawing.h"

#include <cmath>

#include "supple/linalg/svd3.h"

namespace supple::pipeline {

VecX sample_of(const PointCache& cache, int s) {
  VecX x(3 * cache.n_points);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = cache.sample(s)[i];
  return x;
}

double limited(double length, double limit) {
  const double knee = limit / 2;
  if (length <= knee) return length;
  if (limit <= 0) return 0;
  // What rounding adds stays below the limit too.
  return knee + (limit - knee) * (1 - 1e-12) * std::tanh((length - knee) / (limit - knee));
}

DrawnFrame Drawing::carried(int frame, const VecX& departure, const VecX& p) const {
  DrawnFrame out;
  out.shown = base(frame, p);
  if (animated()) out.base = out.shown;
  for (size_t v = 0; v < out.shown.size(); ++v) out.shown[v] += departure.segment<3>(3 * static_cast<Eigen::Index>(v));
  return out;
}

EmbeddedDrawing::EmbeddedDrawing(const Model& model, const DrawnSurface& surface)
    : model_(model), embedding_(surface.embedding), frames_(*model.elements()), rest_(flatten(model.mesh().vertices)) {}

Points EmbeddedDrawing::base(int, const VecX& p) const { return embedded_points(embedding_, model_.mesh().tets, p); }

DrawnFrame EmbeddedDrawing::draw(int, const VecX& x, const VecX&) const {
  DrawnFrame out;
  out.shown = embedded_points(embedding_, model_.mesh().tets, x);
  return out;
}

VecX EmbeddedDrawing::departure(int, const VecX& x, const VecX& p) const {
  const std::vector<Tet>& tets = model_.mesh().tets;
  return flatten(embedded_points(embedding_, tets, x)) - flatten(embedded_points(embedding_, tets, p));
}

std::vector<Mat3> EmbeddedDrawing::local_frames(int, const VecX& p) const {
  std::vector<Mat3> R;
  const std::vector<Mat3> at_vertex = frames_.rotations(p - rest_);
  for (size_t v = 0; v < embedding_.tet.size(); ++v) {
    Mat3 mean = Mat3::Zero();
    for (int k = 0; k < 4; ++k) mean += embedding_.weights[v][k] * at_vertex[model_.mesh().tets[embedding_.tet[v]][k]];
    R.push_back(polar3(mean).R);
  }
  return R;
}

Points EmbeddedDrawing::displaced(const VecX& u) const {
  return embedded_points(embedding_, model_.mesh().tets, rest_ + u);
}

}  // namespace supple::pipeline
