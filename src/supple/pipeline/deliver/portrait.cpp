#include "supple/pipeline/deliver/portrait.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/base/parallel.h"
#include "supple/render/moving_image.h"
#include "supple/render/render.h"

namespace supple::pipeline {

namespace {

constexpr int kWidth = 360, kHeight = 400, kPictureSide = 512;
constexpr double kPosterAspect = 0.9;
constexpr int kMostFrames = 48;
constexpr double kSeconds = 2;
constexpr size_t kMostBytes = 1'500'000, kMostPictures = 64, kMostAtAPlace = 64;
constexpr double kMargin = 1.06;
constexpr double kFarAway = 2;  // sizes that it travels, from which on the camera goes along

// What is drawn, and what stands beside it.
class Portrait {
 public:
  Portrait(const OutputRequest& out, const DrawnFrames& drawn)
      : drawn_(drawn),
        y_up_(out.config.world.up == "y"),
        z_up_(out.config.world.up == "z"),
        to_file_(1 / out.appearance.file_scale()) {
    MotionSource dressed;
    dressed.n_vertices = drawn.mesh.n_vertices();
    out.appearance.dress(drawn.mesh, dressed);
    std::vector<std::shared_ptr<const Picture>> pictures(dressed.pictures.size());
    // One after the other: a small file may say that it is a large picture.
    for (size_t k = 0; k < std::min(pictures.size(), kMostPictures); ++k)
      if (auto read = read_picture(dressed.pictures[k].bytes))
        pictures[k] = std::make_shared<const Picture>(shrunk(std::move(*read), kPictureSide));
    mesh_.triangles = drawn.mesh.triangles;
    mesh_.colors = dressed.colors;
    mesh_.uvs = dressed.uvs;
    for (const MotionLook& look : dressed.looks) {
      mesh_.look.insert(mesh_.look.end(), static_cast<size_t>(look.n_triangles), static_cast<int>(mesh_.looks.size()));
      const auto picture = look.picture >= 0 ? pictures[static_cast<size_t>(look.picture)] : nullptr;
      const bool unread = look.picture >= 0 && !picture;  // a kind that is not read here: grey, as without one
      mesh_.looks.push_back({unread ? Vec3(0.7 * look.color) : look.color, picture, look.cut_out});
    }
    if (mesh_.look.size() != mesh_.triangles.size()) mesh_.looks.clear(), mesh_.look.clear();
    find_shades(dressed);
  }

  Points points(int frame) const { return drawn_.frames.points(frame); }

  // Of that frame, moved; by a camera, or one that shows all of it.
  Image at(int frame, const Vec3& moved, const Camera* camera, const RenderOptions& how) const {
    RenderMesh m = mesh_;
    m.vertices = points(frame);
    for (Vec3& x : m.vertices) x += moved;
    m.normals = normals(m.vertices);
    std::vector<RenderMesh> all;
    Points shown = m.vertices;
    RenderOptions options = how;
    for (const Companion& c : drawn_.others) {
      // A floor goes to the horizon.
      if (c.kind == Companion::Kind::plane && c.floor && !options.ground && y_up_) {
        options.ground = true;
        options.ground_height = to_file_ * *c.floor;
        options.grid_spacing = 0;
        continue;
      }
      RenderMesh other = to_render(c.mesh);
      other.vertices = c.at(frame);
      for (Vec3& x : other.vertices) x = to_file_ * x + moved;
      other.normals.clear();
      other.color = c.color;
      if (c.kind == Companion::Kind::body) shown.insert(shown.end(), other.vertices.begin(), other.vertices.end());
      all.push_back(std::move(other));
    }
    all.push_back(std::move(m));
    return render(all, camera ? *camera : camera_for(bounding_box(shown), kPosterAspect), options);
  }

  Camera camera_for(const Box& box, double aspect) const {
    Camera camera = fit_camera(box, z_up_ ? Vec3(-0.3, 1, -0.15) : Vec3(-0.3, -0.15, -1), aspect);
    if (z_up_) camera.up = Vec3::UnitZ();
    return camera;
  }

  // The same, brought as near as all that is drawn at these frames allows: a box has corners where nothing is.
  Camera near_camera(const std::vector<int>& frames, const std::vector<Vec3>& moved, double aspect) const {
    Camera camera = camera_for(seen(frames, moved), aspect);
    for (int pass = 0; pass < 3; ++pass) {
      const View view(camera, aspect);
      Eigen::Vector2d low(1e300, 1e300), high(-1e300, -1e300);
      for (size_t k = 0; k < frames.size(); ++k)
        for (const Vec3& x : all_points(frames[k])) {
          const Eigen::Vector2d p = view.project(view.eye_space(x + moved[k]));
          low = low.cwiseMin(p), high = high.cwiseMax(p);
        }
      const Vec3 back = camera.eye - camera.target, forward = -back.normalized();
      const Vec3 right = forward.cross(camera.up).normalized(), up = right.cross(forward);
      const double tall = back.norm() * std::tan(camera.fov_deg * std::numbers::pi / 360);
      const Eigen::Vector2d middle = 0.5 * (low + high), half = 0.5 * (high - low);
      const double share = kMargin * half.maxCoeff();
      if (!std::isfinite(share) || share <= 0) break;
      camera.target += tall * (aspect * middle.x() * right + middle.y() * up);
      camera.eye = camera.target + share * back;
    }
    return camera;
  }

  // All that is seen at these frames.
  Box seen(const std::vector<int>& frames, const std::vector<Vec3>& moved) const {
    Points ends;
    for (size_t k = 0; k < frames.size(); ++k) {
      const Box box = bounding_box(all_points(frames[k]));
      ends.push_back(box.low + moved[k]), ends.push_back(box.high + moved[k]);
    }
    return bounding_box(ends);
  }
  int up() const { return z_up_ ? 2 : 1; }

  // With bodies beside it.
  Points all_points(int frame) const {
    Points shown = points(frame);
    for (const Companion& c : drawn_.others)
      if (c.kind == Companion::Kind::body)
        for (const Vec3& x : c.at(frame)) shown.push_back(to_file_ * x);
    return shown;
  }

 private:
  // Vertices at one place that are shaded as one.
  void find_shades(const MotionSource& dressed) {
    const double same = std::cos(dressed.crease_deg * std::numbers::pi / 180);
    std::map<std::array<double, 3>, std::vector<int>> places;
    for (int v = 0; v < drawn_.mesh.n_vertices(); ++v) {
      const Vec3& x = drawn_.mesh.vertices[static_cast<size_t>(v)];
      std::vector<int>& here = places[{x[0], x[1], x[2]}];
      int shade = v;
      if (dressed.normals.size() == drawn_.mesh.vertices.size())
        for (const int other : here)
          if (dressed.normals[static_cast<size_t>(v)].dot(dressed.normals[static_cast<size_t>(other)]) >= same) {
            shade = shade_[static_cast<size_t>(other)];
            break;
          }
      if (here.size() < kMostAtAPlace) here.push_back(v);
      shade_.push_back(shade);
    }
    for (Tri t : drawn_.mesh.triangles) {
      for (int& v : t) v = shade_[static_cast<size_t>(v)];
      by_shade_.push_back(t);
    }
  }

  Points normals(const Points& x) const {
    Points of_shade = vertex_normals(x, by_shade_), out;
    for (const int s : shade_) out.push_back(of_shade[static_cast<size_t>(s)]);
    return out;
  }

  const DrawnFrames& drawn_;
  bool y_up_, z_up_;
  double to_file_;
  RenderMesh mesh_;
  std::vector<int> shade_;  // per vertex: the first that is shaded with it
  std::vector<Tri> by_shade_;
};

std::string text_of(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

// Per frame: the mean square of how far it departs from where the animation has it, or of what it moved by since the
// frame before.
std::vector<double> liveliness(const DrawnFrames& drawn) {
  const PointCache& frames = drawn.frames;
  const bool departs = drawn.input.n_samples == frames.n_samples;
  std::vector<double> out(static_cast<size_t>(frames.n_samples), 0);
  parallel_for(out.size(), 8, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const float* now = frames.sample(static_cast<int>(f));
      const float* from =
          departs ? drawn.input.sample(static_cast<int>(f)) : frames.sample(std::max(0, static_cast<int>(f) - 1));
      for (int i = 0; i < 3 * frames.n_points; ++i)
        out[f] += (static_cast<double>(now[i]) - from[i]) * (static_cast<double>(now[i]) - from[i]);
    }
  });
  return out;
}

}  // namespace

Window liveliest(const std::vector<double>& liveliness, double fps, double seconds, int most) {
  const int all = static_cast<int>(liveliness.size());
  const int length = std::clamp(static_cast<int>(std::lround(seconds * fps)), 1, std::max(1, all));
  double sum = 0, largest = -1;
  Window out;
  for (int f = 0; f < all; ++f) {
    sum += liveliness[static_cast<size_t>(f)];
    if (f >= length) sum -= liveliness[static_cast<size_t>(f - length)];
    if (f >= length - 1 && sum > largest * (1 + 1e-12)) largest = sum, out.first = f - length + 1;
  }
  out.every = (length + most - 1) / most;
  out.count = (length + out.every - 1) / out.every;
  return out;
}

std::string poster_png(const OutputRequest& out, const DrawnFrames& drawn) {
  const PointCache& frames = drawn.frames;
  const VecX first = sample_of(frames, 0);
  // The frame of largest departure from the first shape, its mean translation aside.
  std::vector<double> spread(static_cast<size_t>(frames.n_samples), 0);
  parallel_for(spread.size(), 8, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      const VecX d = sample_of(frames, static_cast<int>(s)) - first;
      Vec3 mean = Vec3::Zero();
      for (Eigen::Index i = 0; i < d.size(); i += 3) mean += d.segment<3>(i);
      mean /= std::max<double>(1, frames.n_points);
      for (Eigen::Index i = 0; i < d.size(); i += 3) spread[s] += (d.segment<3>(i) - mean).squaredNorm();
    }
  });
  const auto widest = static_cast<int>(std::max_element(spread.begin(), spread.end()) - spread.begin());
  const int middle = drawn.busiest >= 0 && !drawn.others.empty() ? drawn.busiest : widest;
  const std::array<int, 3> shown{0, middle, frames.n_samples - 1};
  const Portrait portrait(out, drawn);
  std::vector<Image> strip(shown.size());
  parallel_for(strip.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      strip[k] = portrait.at(shown[k], Vec3::Zero(), nullptr, {.width = kWidth, .height = kHeight});
  });
  return text_of(encode_png(film_strip(strip)));
}

Image picture_of(const OutputRequest& out, const DrawnFrames& drawn, int frame) {
  return Portrait(out, drawn).at(frame, Vec3::Zero(), nullptr, {.width = kWidth, .height = kHeight});
}

std::string moving_png(const OutputRequest& out, const DrawnFrames& drawn) {
  if (drawn.frames.n_samples < 1) return "";
  const Portrait portrait(out, drawn);
  const Window window = liveliest(liveliness(drawn), out.fps, kSeconds, kMostFrames);
  std::vector<int> shown;
  for (int k = 0; k < window.count; ++k) shown.push_back(window.first + k * window.every);
  // Where it travels far the camera goes along, level.
  const bool animated = drawn.input.n_samples == drawn.frames.n_samples;
  std::vector<Vec3> moved(shown.size(), Vec3::Zero());
  const Box whole = portrait.seen(shown, moved);
  const double size = bounding_box(portrait.points(shown[0])).size().norm();
  if (whole.size().norm() > kFarAway * size) {
    Vec3 first = Vec3::Zero();
    for (size_t k = 0; k < shown.size(); ++k) {
      Vec3 middle = Vec3::Zero();
      const Points at = animated ? drawn.input.points(shown[k]) : portrait.points(shown[k]);
      for (const Vec3& x : at) middle += x / static_cast<double>(at.size());
      if (k == 0) first = middle;
      moved[k] = first - middle;
      moved[k][portrait.up()] = 0;
    }
  }
  const Camera camera = portrait.near_camera(shown, moved, static_cast<double>(kWidth) / kHeight);
  RenderOptions how{.width = kWidth, .height = kHeight, .supersample = 2, .shadow_size = 512};
  how.background_top = how.background_bottom = {0.82, 0.86, 0.9};  // one colour stays one colour in every frame
  std::vector<Image> frames(shown.size());
  parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) frames[k] = portrait.at(shown[k], moved[k], &camera, how);
  });
  double seconds = window.every / out.fps;
  std::vector<uint8_t> png = encode_moving_png(frames, seconds);
  while (png.size() > kMostBytes && frames.size() > 2) {
    std::vector<Image> fewer;
    for (size_t k = 0; k < frames.size(); k += 2) fewer.push_back(std::move(frames[k]));
    frames = std::move(fewer);
    seconds *= 2;
    png = encode_moving_png(frames, seconds);
  }
  return text_of(png);
}

}  // namespace supple::pipeline
