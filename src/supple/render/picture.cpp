#include "supple/render/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "supple/render/image.h"

namespace supple {

namespace {

const std::array<double, 256>& linear_of_byte() {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> t;
    for (size_t k = 0; k < t.size(); ++k) {
      const double s = static_cast<double>(k) / 255;
      t[k] = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    }
    return t;
  }();
  return table;
}

}  // namespace

Eigen::Vector4d Picture::at(const Eigen::Vector2d& uv) const {
  if (!uv.allFinite()) return at({0, 0});
  const auto place = [](double t, int n) { return (t - std::floor(t)) * n - 0.5; };
  const double x = place(uv.x(), width), y = place(uv.y(), height);
  const double fx = x - std::floor(x), fy = y - std::floor(y);
  const auto wrapped = [](double t, int n) { return (static_cast<int>(t) % n + n) % n; };
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (const int dy : {0, 1})
    for (const int dx : {0, 1}) {
      const int px = wrapped(std::floor(x) + dx, width), py = wrapped(std::floor(y) + dy, height);
      const uint8_t* p = &rgba[4 * (static_cast<size_t>(py) * static_cast<size_t>(width) + static_cast<size_t>(px))];
      const double weight = (dx ? fx : 1 - fx) * (dy ? fy : 1 - fy);
      const auto& linear = linear_of_byte();
      sum += weight * Eigen::Vector4d(linear[p[0]], linear[p[1]], linear[p[2]], p[3] / 255.0);
    }
  return sum;
}

std::optional<Picture> read_picture(std::string_view bytes) {
  try {
    if (bytes.starts_with("\x89PNG")) return read_png(bytes);
    if (bytes.starts_with("\xFF\xD8")) return read_jpeg(bytes);
  } catch (const std::bad_alloc&) {  // a picture that does not fit is none
  }
  return std::nullopt;
}

Picture shrunk(Picture picture, int longest_side) {
  const auto& linear = linear_of_byte();
  while (std::max(picture.width, picture.height) > longest_side) {
    Picture half;
    half.width = std::max(1, picture.width / 2), half.height = std::max(1, picture.height / 2);
    half.rgba.resize(4 * static_cast<size_t>(half.width) * static_cast<size_t>(half.height));
    for (int y = 0; y < half.height; ++y)
      for (int x = 0; x < half.width; ++x) {
        std::array<double, 4> sum{};
        for (const int dy : {0, 1})
          for (const int dx : {0, 1}) {
            const int px = std::min(2 * x + dx, picture.width - 1), py = std::min(2 * y + dy, picture.height - 1);
            const uint8_t* p = &picture.rgba[4 * (static_cast<size_t>(py) * static_cast<size_t>(picture.width) +
                                                  static_cast<size_t>(px))];
            for (size_t c = 0; c < 3; ++c) sum[c] += linear[p[c]] / 4;
            sum[3] += p[3] / 4.0;
          }
        uint8_t* to =
            &half.rgba[4 * (static_cast<size_t>(y) * static_cast<size_t>(half.width) + static_cast<size_t>(x))];
        for (size_t c = 0; c < 3; ++c) to[c] = srgb_byte(sum[c]);
        to[3] = static_cast<uint8_t>(std::lround(sum[3]));
      }
    picture = std::move(half);
  }
  return picture;
}

}  // namespace supple
