#include <algorithm>
#include <cmath>

#include "supple/linalg/svd3.h"
#include "tests/cast/measures.h"

namespace supple::cast {

namespace {

// Lengths of second differences a step^2 of some vertices, all frames.
std::vector<std::vector<double>> accelerations(const std::vector<Points>& x, double step, double height) {
  std::vector<std::vector<double>> out;
  for (size_t f = 1; f + 1 < x.size(); ++f) {
    out.emplace_back();
    for (size_t v = 0; v < x[f].size(); ++v)
      out.back().push_back((x[f + 1][v] - 2 * x[f][v] + x[f - 1][v]).norm() / (step * step) / height);
  }
  return out;
}

std::vector<double> all_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> flat;
  for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  return flat;
}

std::vector<Points> only(const std::vector<Points>& frames, const std::vector<int>& vertices) {
  std::vector<Points> out;
  for (const Points& x : frames) {
    out.emplace_back();
    for (int v : vertices) out.back().push_back(x[v]);
  }
  return out;
}

// A third of the area of the triangles around each vertex.
std::vector<double> area_around(const Points& x, const std::vector<Tri>& faces) {
  std::vector<double> area(x.size(), 0);
  for (const Tri& f : faces)
    for (int v : f) area[v] += (x[f[1]] - x[f[0]]).cross(x[f[2]] - x[f[0]]).norm() / 6;
  return area;
}

// The best rigid motion of the drawn body by area, and the body carried back by it, in the mean.
struct RigidBody {
  std::vector<Mat3> turn;
  Points place;
  Points mean;
};
RigidBody rigid_body(const Seen& s) {
  std::vector<int> body;
  for (int v = 0; v < s.shot.n_vertices(); ++v)
    if (s.shot.body[v]) body.push_back(v);
  const std::vector<double> area = area_around(s.shot.drawn[0], s.shot.faces);
  double total = 0;
  for (int v : body) total += area[v] + 1e-12;
  std::vector<Points> x = only(s.shot.drawn, body);
  RigidBody out;
  for (Points& frame : x) {
    Vec3 centre = Vec3::Zero();
    for (size_t i = 0; i < body.size(); ++i) centre += (area[body[i]] + 1e-12) / total * frame[i];
    for (Vec3& p : frame) p -= centre;
    out.place.push_back(centre);
  }
  out.mean = x[0];
  for (int pass = 0; pass < 2; ++pass) {
    out.turn.clear();
    Points sum(body.size(), Vec3::Zero());
    for (const Points& frame : x) {
      Mat3 moment = Mat3::Zero();
      for (size_t i = 0; i < body.size(); ++i)
        moment += (area[body[i]] + 1e-12) / total * frame[i] * out.mean[i].transpose();
      const Svd3 svd = svd3(moment);
      out.turn.push_back(svd.U * svd.V.transpose());
      for (size_t i = 0; i < body.size(); ++i) sum[i] += out.turn.back().transpose() * frame[i];
    }
    for (size_t i = 0; i < body.size(); ++i) out.mean[i] = sum[i] / static_cast<double>(x.size());
  }
  return out;
}

}  // namespace

void measure_amount(const Seen& s, Numbers& out) {
  const size_t n = s.moved.size(), frames = s.d.size();
  out["moved_share"] = 100.0 * static_cast<double>(n) / s.shot.n_vertices();
  const RigidBody rigid = rigid_body(s);
  std::vector<Points> whole;
  for (size_t f = 0; f < frames; ++f) {
    whole.emplace_back();
    for (const Vec3& x : rigid.mean) whole.back().push_back(rigid.turn[f] * x + rigid.place[f]);
  }
  if (s.loops() && frames > 1) whole.push_back(whole[1]);  // over its seam
  // What is long is as high as the picture that it fills.
  const double height = kPictureHigh / s.pixels;
  std::vector<double> by_frame;
  for (const auto& row : accelerations(whole, s.shot.step, height)) {
    double sum = 0;
    for (double a : row) sum += a * a;
    by_frame.push_back(std::sqrt(sum / static_cast<double>(row.size())));
  }
  // In straight lines from key to key it is thrown at the corners alone, which are few frames.
  double squares = 0;
  for (double a : by_frame) squares += a * a;
  out["whole_accel"] = std::max(percentile(by_frame, 90),
                                std::sqrt(squares / static_cast<double>(std::max<size_t>(1, by_frame.size()))));
  std::vector<int> who = s.moved;
  for (int v = 0; who.size() < rigid.mean.size() && n == 0 && v < s.shot.n_vertices(); ++v)
    if (s.shot.body[v]) who.push_back(v);
  out["drawn_accel"] = percentile(all_of(accelerations(only(s.shot.drawn, who), s.shot.step, height)), 95);
  out["p99"] = out["max"] = out["swing"] = out["calm"] = 0;
  if (n == 0) return;

  std::vector<double> away, swing, own;
  for (int v : s.moved) {
    Vec3 mean = Vec3::Zero(), own_mean = Vec3::Zero();
    Points seen;
    for (size_t f = 0; f < frames; ++f) {
      mean += s.d[f][v] / static_cast<double>(frames);
      seen.push_back(rigid.turn[f].transpose() * (s.shot.drawn[f][v] - rigid.place[f]));
      own_mean += seen.back() / static_cast<double>(frames);
    }
    for (size_t f = 0; f < frames; ++f) {
      away.push_back(s.m[f][v]);
      swing.push_back((s.d[f][v] - mean).norm());
      own.push_back((seen[f] - own_mean).norm());
    }
  }
  const double p99 = percentile(away, 99);
  out["p99"] = s.percent(p99);
  out["max"] = s.percent(*std::max_element(away.begin(), away.end()));
  out["swing"] = s.pixels * percentile(swing, 99);
  out["calm"] = p99 / std::max(percentile(own, 99), 1e-3 * s.size);
}

}  // namespace supple::cast
