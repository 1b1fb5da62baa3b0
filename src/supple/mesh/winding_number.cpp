#include "supple/mesh/winding_number.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace supple {

namespace {
constexpr double kFourPi = 4 * std::numbers::pi;
// A group is far when the point is this many of its radii away: the three terms kept then err by less than 1 %.
constexpr double kFar = 2.0;
constexpr int kLeaf = 8;
}  // namespace

double solid_angle_share(const Vec3& a, const Vec3& b, const Vec3& c) {
  // tan(angle / 2) after Van Oosterom and Strackee 1983.
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double top = a.dot(b.cross(c));
  const double bottom = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  if (top == 0 && bottom <= 0) return 0;  // on the triangle: neither side
  if (std::abs(top) < 0.1 * bottom) {
    // Most triangles are seen small: the series to x^11 is as good as atan there, and much quicker.
    const double x = top / bottom, y = x * x;
    return 2 / kFourPi * x * (1 - y * (1.0 / 3 - y * (0.2 - y * (1.0 / 7 - y * (1.0 / 9 - y / 11)))));
  }
  return 2 * std::atan2(top, bottom) / kFourPi;
}

WindingNumber::WindingNumber(const Points& vertices, const std::vector<Tri>& triangles) {
  std::vector<int> order(triangles.size());
  std::iota(order.begin(), order.end(), 0);
  Points centres(triangles.size());
  for (size_t i = 0; i < triangles.size(); ++i) {
    const Tri& t = triangles[i];
    centres[i] = (vertices[static_cast<size_t>(t[0])] + vertices[static_cast<size_t>(t[1])] +
                  vertices[static_cast<size_t>(t[2])]) /
                 3;
  }
  corners_.resize(triangles.size());
  if (!triangles.empty()) build(order, centres, vertices, triangles, 0, static_cast<int>(triangles.size()));
}

int WindingNumber::build(std::vector<int>& order, const Points& centres, const Points& vertices,
                         const std::vector<Tri>& triangles, int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  const auto corner = [&](int item, size_t c) -> const Vec3& {
    return vertices[static_cast<size_t>(triangles[item][c])];
  };
  const auto item_at = [&](int i) { return order[i]; };

  Node node;
  Vec3 low = centres[static_cast<size_t>(item_at(begin))], high = low, weighted = Vec3::Zero(), plain = Vec3::Zero();
  double area = 0;
  for (int i = begin; i < end; ++i) {
    const int item = item_at(i);
    const Vec3& centre = centres[item];
    low = low.cwiseMin(centre);
    high = high.cwiseMax(centre);
    const Vec3 twice = (corner(item, 1) - corner(item, 0)).cross(corner(item, 2) - corner(item, 0));
    area += twice.norm();
    weighted += twice.norm() * centre;
    plain += centre;
    node.dipole += 0.5 * twice;
  }
  node.centre = area > 0 ? Vec3(weighted / area) : Vec3(plain / (end - begin));
  double radius2 = 0;
  for (int i = begin; i < end; ++i) {
    const int item = item_at(i);
    const Vec3 twice = (corner(item, 1) - corner(item, 0)).cross(corner(item, 2) - corner(item, 0));
    node.moment += 0.5 * twice * (centres[item] - node.centre).transpose();
    Mat3 second = Mat3::Zero();  // mean of r r^T over the triangle
    const Vec3 middle = centres[item] - node.centre;
    second = 0.75 * middle * middle.transpose();
    for (size_t c = 0; c < 3; ++c) {
      const Vec3 r = corner(item, c) - node.centre;
      second += r * r.transpose() / 12;
      radius2 = std::max(radius2, r.squaredNorm());
    }
    const Vec3 n = 0.5 * twice;
    const Mat3& m = second;
    node.traces += 2 * m * n + m.trace() * n;
    const std::array<double, 10> cubic{n.x() * m(0, 0),
                                       n.y() * m(1, 1),
                                       n.z() * m(2, 2),
                                       n.y() * m(0, 0) + 2 * n.x() * m(0, 1),
                                       n.z() * m(0, 0) + 2 * n.x() * m(0, 2),
                                       n.x() * m(1, 1) + 2 * n.y() * m(0, 1),
                                       n.z() * m(1, 1) + 2 * n.y() * m(1, 2),
                                       n.x() * m(2, 2) + 2 * n.z() * m(0, 2),
                                       n.y() * m(2, 2) + 2 * n.z() * m(1, 2),
                                       2 * (n.x() * m(1, 2) + n.y() * m(0, 2) + n.z() * m(0, 1))};
    for (size_t k = 0; k < 10; ++k) node.cubic[k] += cubic[k];
  }
  node.reach2 = kFar * kFar * radius2;
  if (end - begin <= kLeaf) {
    node.first = begin;
    node.count = end - begin;
    for (int i = begin; i < end; ++i) {
      const int item = item_at(i);
      corners_[i] = {corner(item, 0), corner(item, 1), corner(item, 2)};
    }
    nodes_[index] = node;
    return index;
  }
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end, [&](int a, int b) {
    const double ca = centres[a][axis], cb = centres[b][axis];
    return ca != cb ? ca < cb : a < b;
  });
  build(order, centres, vertices, triangles, begin, middle);
  node.first = build(order, centres, vertices, triangles, middle, end);
  nodes_[index] = node;
  return index;
}

double WindingNumber::operator()(const Vec3& q) const {
  if (nodes_.empty()) return 0;
  int stack[128], top = 0;  // the median split halves the triangles, so depth stays below 32
  stack[top++] = 0;
  double near = 0, far = 0;
  while (top > 0) {
    const int index = stack[--top];
    const Node& node = nodes_[index];
    const Vec3 d = node.centre - q;
    const double d2 = d.squaredNorm();
    if (d2 > node.reach2) {
      // (x - q) / |x - q|^3 to second order around the centre.
      const double over_d2 = 1 / d2, over_d3 = over_d2 * std::sqrt(over_d2);
      const double x = d.x(), y = d.y(), z = d.z();
      const auto& c = node.cubic;
      const double cubic = x * x * (c[0] * x + c[3] * y + c[4] * z) + y * y * (c[1] * y + c[5] * x + c[6] * z) +
                           z * z * (c[2] * z + c[7] * x + c[8] * y) + c[9] * x * y * z;
      far += over_d3 * (node.dipole.dot(d) + node.moment.trace() - 3 * over_d2 * d.dot(node.moment * d) +
                        over_d2 * (7.5 * over_d2 * cubic - 1.5 * node.traces.dot(d)));
    } else if (node.count > 0) {
      for (int i = node.first; i < node.first + node.count; ++i) {
        const auto& t = corners_[i];
        near += solid_angle_share(t[0] - q, t[1] - q, t[2] - q);
      }
    } else {
      stack[top++] = node.first;
      stack[top++] = index + 1;
    }
  }
  return near + far / kFourPi;
}

double WindingNumber::exact(const Vec3& q) const {
  double sum = 0;
  for (const auto& t : corners_) sum += solid_angle_share(t[0] - q, t[1] - q, t[2] - q);
  return sum;
}

}  // namespace supple
