#include "supple/render/render.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/render/raster.h"

namespace supple {

namespace {
[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw InputError({"", 0, 0, "picture"}, what, advice);
}

void check(const std::vector<RenderMesh>& meshes, const RenderOptions& o) {
  if (o.width < 1 || o.height < 1 || o.width > 16384 || o.height > 16384 || o.supersample < 1 || o.supersample > 8) {
    refuse(fmt::format("a size of {} x {} with {} samples", o.width, o.height, o.supersample),
           "give 1 to 16384 pixels and 1 to 8 samples");
  }
  if (static_cast<double>(o.width) * o.height * o.supersample * o.supersample > 400e6) {
    refuse("too many samples for the memory", "make the picture smaller or lower supersample");
  }
  for (const RenderMesh& m : meshes) {
    const size_t n = m.vertices.size();
    if ((!m.normals.empty() && m.normals.size() != n) || (!m.colors.empty() && m.colors.size() != n)) {
      refuse("a mesh has not as many normals or colours as vertices", "give one a vertex or none");
    }
    if (!m.looks.empty() && m.look.size() != m.triangles.size())
      refuse("a mesh has not as many looks as triangles", "give one a triangle or none");
    for (int k : m.looks.empty() ? std::vector<int>() : m.look)
      if (k < 0 || static_cast<size_t>(k) >= m.looks.size()) refuse(fmt::format("a triangle names look {}", k), "");
    for (const RenderLook& look : m.looks)
      if (look.picture && m.uvs.size() != n) refuse("a mesh with a picture has not as many uvs as vertices", "");
    for (const Tri& t : m.triangles) {
      for (int v : t) {
        if (v < 0 || static_cast<size_t>(v) >= n) refuse(fmt::format("a triangle names vertex {} of {}", v, n), "");
      }
    }
  }
}

// What the key light sees, as a picture of depths around all meshes.
class ShadowMap {
 public:
  ShadowMap(const std::vector<RenderMesh>& meshes, const Vec3& to_light, int size) : size_(size) {
    Points all;
    for (const RenderMesh& m : meshes) {
      for (const Vec3& p : m.vertices) {
        if (p.allFinite()) all.push_back(p);
      }
    }
    if (all.empty()) return;
    const Box box = bounding_box(all);
    radius_ = std::max(0.5 * box.size().norm(), 1e-9);
    Camera camera;
    camera.target = 0.5 * (box.low + box.high);
    camera.eye = camera.target + 2 * radius_ * to_light;
    camera.perspective = false;
    camera.view_height = 2.05 * radius_;
    view_.emplace_back(camera, 1.0);
    nearest_ = nearest(meshes, view_[0], size_, size_);
  }

  // The lit share of a point, smoothed over neighbouring samples.
  double lit(const Vec3& p) const {
    if (view_.empty()) return 1;
    const Vec3 e = view_[0].eye_space(p);
    const Eigen::Vector2d at = view_[0].project(e);
    const double nearness = nearness_of(view_[0], e.z()) + 0.006 * radius_;
    const int cx = static_cast<int>(std::floor(std::clamp(0.5 * (at.x() + 1), -1.0, 2.0) * size_));
    const int cy = static_cast<int>(std::floor(std::clamp(0.5 * (1 - at.y()), -1.0, 2.0) * size_));
    int seen = 0;
    for (int y = cy - kBlur; y <= cy + kBlur; ++y) {
      for (int x = cx - kBlur; x <= cx + kBlur; ++x) {
        const bool within = x >= 0 && y >= 0 && x < size_ && y < size_;
        if (!within) {
          ++seen;
          continue;
        }
        seen += nearest_[static_cast<size_t>(y) * static_cast<size_t>(size_) + static_cast<size_t>(x)] < nearness;
      }
    }
    return static_cast<double>(seen) / ((2 * kBlur + 1) * (2 * kBlur + 1));
  }

 private:
  static constexpr int kBlur = 1;
  int size_;
  std::vector<View> view_;  // none without meshes
  std::vector<double> nearest_;
  double radius_ = 0;
};

class Shader {
 public:
  Shader(const std::vector<RenderMesh>& meshes, const View& view, const RenderOptions& o)
      : meshes_(meshes),
        view_(view),
        o_(o),
        key_(o.key_direction.normalized()),
        fill_(o.fill_direction.normalized()),
        shadow_(o.shadows ? meshes : std::vector<RenderMesh>{}, key_, o.shadow_size) {
    for (const RenderMesh& m : meshes) {
      normals_.push_back(m.normals.empty() && m.smooth ? vertex_normals(m.vertices, m.triangles) : m.normals);
    }
  }

  // The colour at a picture point in -1..1 of which the mesh in front is `s`.
  Vec3 color(const Sample& s, double x, double y) const {
    if (s.mesh < 0 && !o_.ground) return background(y);
    const auto [start, direction] = view_.ray(x, y);
    if (o_.ground && direction.y() != 0) {
      const double t = (o_.ground_height - start.y()) / direction.y();
      const Vec3 p = start + t * direction;
      const double depth = view_.eye_space(p).z();
      if (t > 0 && depth > view_.near() && (s.mesh < 0 || nearness_of(view_, depth) > s.nearness)) {
        return ground(p, background(y));
      }
    }
    return s.mesh < 0 ? background(y) : surface(s, direction);
  }

  Vec3 background(double y) const {
    return o_.background_bottom + 0.5 * (y + 1) * (o_.background_top - o_.background_bottom);
  }

 private:
  Vec3 ground(const Vec3& p, const Vec3& far_color) const {
    const double light = o_.ambient + o_.key * std::max(0.0, key_.y()) * (0.35 + 0.65 * shadow_.lit(p));
    Vec3 c = o_.ground_color * std::min(1.0, light);
    if (o_.grid_spacing > 0) {
      const double u = p.x() / o_.grid_spacing, v = p.z() / o_.grid_spacing;
      const double d = std::min(std::abs(u - std::round(u)), std::abs(v - std::round(v)));
      if (d < 0.012) c *= 0.8;
    }
    // Fades into the background so that the plane has no edge.
    const double reach = (p - view_.eye()).norm() / std::max(1e-9, std::abs(view_.eye().y() - o_.ground_height) + 1);
    const double haze = std::clamp((reach - 2) / 8, 0.0, 1.0);
    return c + haze * (far_color - c);
  }

  Vec3 surface(const Sample& s, const Vec3& direction) const {
    const RenderMesh& m = meshes_[static_cast<size_t>(s.mesh)];
    const Tri& t = m.triangles[static_cast<size_t>(s.triangle)];
    const auto mix = [&](const Points& values) -> Vec3 {
      return (1 - s.b - s.c) * values[static_cast<size_t>(t[0])] + s.b * values[static_cast<size_t>(t[1])] +
             s.c * values[static_cast<size_t>(t[2])];
    };
    if (s.line) return m.line_color;
    const Vec3& a = m.vertices[static_cast<size_t>(t[0])];
    const Vec3 flat = (m.vertices[static_cast<size_t>(t[1])] - a).cross(m.vertices[static_cast<size_t>(t[2])] - a);
    const Points& normals = normals_[static_cast<size_t>(s.mesh)];
    Vec3 n = (m.smooth && !normals.empty() ? mix(normals) : flat).stableNormalized();
    // Seen from behind, a sheet shows its other side.
    if (flat.dot(direction) > 0) n = -n;
    const Vec3 p = mix(m.vertices);
    Vec3 base = m.colors.empty() ? (m.looks.empty() ? m.color : Vec3(Vec3::Ones())) : mix(m.colors);
    if (!m.looks.empty()) {
      const RenderLook& look = m.looks[static_cast<size_t>(m.look[static_cast<size_t>(s.triangle)])];
      base = base.cwiseProduct(look.color);
      if (look.picture) base = base.cwiseProduct(look.picture->at(uv_of(m, s.triangle, s.b, s.c)).head<3>());
    }
    const double lit = o_.shadows ? shadow_.lit(p + n * 1e-9) : 1;
    const double key = o_.key * std::max(0.0, n.dot(key_)) * lit, fill = o_.fill * std::max(0.0, n.dot(fill_));
    const double sky = o_.ambient * (0.75 + 0.25 * n.y());
    const Vec3 half = (key_ - direction).normalized();
    const double gloss = o_.gloss * lit * std::pow(std::max(0.0, n.dot(half)), 24);
    return base * (sky + key + fill) + Vec3::Constant(gloss);
  }

  const std::vector<RenderMesh>& meshes_;
  const View& view_;
  const RenderOptions& o_;
  Vec3 key_, fill_;
  ShadowMap shadow_;
  std::vector<Points> normals_;
};
// Whether no sample of a pixel is on a mesh.
bool nothing_at(const std::vector<Sample>& samples, int width, int x, int y, int n) {
  for (int sy = y; sy < y + n; ++sy)
    for (int sx = x; sx < x + n; ++sx)
      if (samples[static_cast<size_t>(sy) * static_cast<size_t>(width) + static_cast<size_t>(sx)].mesh >= 0)
        return false;
  return true;
}

}  // namespace

RenderMesh to_render(const TriMesh& mesh) {
  RenderMesh out;
  out.vertices = mesh.vertices;
  out.triangles = mesh.triangles;
  out.normals = mesh.normals;
  out.colors = mesh.colors;
  return out;
}

Image render(const std::vector<RenderMesh>& meshes, const Camera& camera, const RenderOptions& options) {
  check(meshes, options);
  const int k = options.supersample, width = k * options.width, height = k * options.height;
  const View view(camera, static_cast<double>(options.width) / options.height);
  const auto samples = rasterise(meshes, view, width, height, k);
  const Shader shader(meshes, view, options);
  Image image(options.width, options.height);
  parallel_for(static_cast<size_t>(options.height), 4, [&](size_t begin, size_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      // Most of a picture is background, the same all along a row.
      Vec3 behind = Vec3::Zero();
      for (int sy = k * y; sy < k * (y + 1); ++sy)
        behind += shader.background(1 - 2 * (sy + 0.5) / height).cwiseMax(0.0).cwiseMin(1.0) / k;
      const std::array<uint8_t, 3> empty = {srgb_byte(behind.x()), srgb_byte(behind.y()), srgb_byte(behind.z())};
      for (int x = 0; x < options.width; ++x) {
        if (!options.ground && nothing_at(samples, width, k * x, k * y, k)) {
          image.set(x, y, empty);
          continue;
        }
        Vec3 sum = Vec3::Zero();
        for (int sy = k * y; sy < k * (y + 1); ++sy) {
          for (int sx = k * x; sx < k * (x + 1); ++sx) {
            const Sample& s = samples[static_cast<size_t>(sy) * static_cast<size_t>(width) + static_cast<size_t>(sx)];
            const Vec3 c = shader.color(s, 2 * (sx + 0.5) / width - 1, 1 - 2 * (sy + 0.5) / height);
            sum += c.cwiseMax(0.0).cwiseMin(1.0);
          }
        }
        sum /= k * k;
        image.set(x, y, {srgb_byte(sum.x()), srgb_byte(sum.y()), srgb_byte(sum.z())});
      }
    }
  });
  return image;
}

}  // namespace supple
