// Deformers as a scene writes them down.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/pipeline/curves/rig.h"
#include "supple/rigs/deformers.h"

namespace supple::pipeline::curves {

namespace {

class DeformerMaker {
 public:
  DeformerMaker(const SceneConfig& config, size_t k, const Points& rest, double scale)
      : config_(config),
        d_(config.deformers[k]),
        at_(fmt::format("curves.deformer.{}.", k)),
        rest_(rest),
        scale_(scale) {}

  std::shared_ptr<const Deformer> make() const {
    try {
      if (d_.kind == "lattice") return lattice();
      if (d_.kind == "cage") return cage();
      if (d_.kind == "wire") return wire();
      if (d_.kind == "blend") return blend();
      return transform();
    } catch (const InputError& e) {
      // Deformers know nothing of the scene.
      if (!e.where().file.empty()) throw;
      throw InputError(config_.locate(at_ + (d_.file.empty() ? "kind" : "file")),
                       fmt::format("{} \"{}\": {}", d_.kind, d_.name, e.fault()), e.advice());
    }
  }

 private:
  bool has(const char* channel) const {
    return std::find(d_.channels.begin(), d_.channels.end(), channel) != d_.channels.end();
  }
  Axes axes() const {
    // twist alone leaves the places of control points out, and nothing at all stands for x, y and z.
    if (d_.channels.empty()) return {};
    return {has("x"), has("y"), has("z")};
  }
  Vec3 middle() const {
    const Box box = bounding_box(rest_);
    return d_.centre.value_or(0.5 * (box.low + box.high));
  }
  TriMesh read(const FilePath& file, const std::string& key) const {
    if (!std::filesystem::exists(file.path))
      throw InputError(config_.locate(at_ + key), fmt::format("there is no file {}", file.path),
                       "Relative paths start at the scene file.");
    TriMesh mesh = read_obj(file.path);
    for (Vec3& x : mesh.vertices) x *= scale_;
    return mesh;
  }
  std::vector<int> moved(size_t n) const {
    std::vector<int> list = d_.points.indices;
    if (!d_.points.file.empty()) list = read_index_list(d_.points.file.path, static_cast<int>(n));
    for (int v : list)
      if (v < 0 || v >= static_cast<int>(n))
        throw InputError(config_.locate(at_ + "points"),
                         fmt::format("there is no control point {}: \"{}\" has {}", v, d_.name, n),
                         "They are counted from 0.");
    return list;
  }

  std::shared_ptr<const Deformer> lattice() const {
    LatticeSpec s;
    s.name = d_.name;
    s.points = d_.divisions;
    s.bspline = d_.basis == "bspline";
    // A box around all of the surface has nothing to leave it, and would hold what lies on its faces.
    s.fade = d_.fade && d_.size.has_value();
    s.axes = axes();
    const Box box = bounding_box(rest_);
    // A little room, so that what lies on its faces is inside.
    const Vec3 size = d_.size.value_or(1.01 * box.size().cwiseMax(1e-3 * box.size().maxCoeff()));
    const Vec3 angle = M_PI / 180 * d_.rotation.value_or(Vec3::Zero());
    const Mat3 turn = (Eigen::AngleAxisd(angle.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
                       Eigen::AngleAxisd(angle.x(), Vec3::UnitX()))
                          .toRotationMatrix();
    s.box.linear() = turn * size.asDiagonal();
    s.box.translation() = middle() - 0.5 * (turn * size);
    return make_lattice(s, rest_);
  }

  std::shared_ptr<const Deformer> cage() const {
    const TriMesh mesh = read(d_.file, "file");
    CageSpec s;
    s.name = d_.name;
    s.vertices = mesh.vertices;
    s.triangles = mesh.triangles;
    s.moved = moved(mesh.vertices.size());
    s.axes = axes();
    return make_cage(s, rest_);
  }

  std::shared_ptr<const Deformer> wire() const {
    const TriMesh mesh = read(d_.file, "file");
    WireSpec s;
    s.name = d_.name;
    s.points = mesh.vertices;
    s.moved = moved(mesh.vertices.size());
    s.radius = *d_.radius;
    s.twist = has("twist");
    s.axes = axes();
    return make_wire(s, rest_);
  }

  std::shared_ptr<const Deformer> blend() const {
    std::vector<BlendShape> shapes;
    for (const FilePath& file : d_.shapes) {
      const TriMesh mesh = read(file, "shapes");
      if (mesh.vertices.size() != rest_.size())
        throw InputError(
            config_.locate(at_ + "shapes"),
            fmt::format("'{}' has {} vertices, the surface {}", file.text, mesh.vertices.size(), rest_.size()),
            "Give the same mesh in another shape, without splitting or merging vertices.");
      BlendShape shape;
      shape.name = std::filesystem::path(file.path).stem().string();
      std::replace(shape.name.begin(), shape.name.end(), ' ', '_');
      for (size_t v = 0; v < rest_.size(); ++v) shape.offsets.push_back(mesh.vertices[v] - rest_[v]);
      shapes.push_back(std::move(shape));
    }
    return make_blend(d_.name, shapes, rest_);
  }

  std::shared_ptr<const Deformer> transform() const {
    TransformSpec s;
    s.name = d_.name;
    s.pivot = middle();
    if (!d_.channels.empty()) {
      s.translation = has("translation");
      s.rotation = has("rotation");
      s.scale = has("scale");
      s.uniform_scale = has("uniform-scale");
    }
    return make_transform(s, rest_);
  }

  const SceneConfig& config_;
  const DeformerConfig& d_;
  std::string at_;
  const Points& rest_;
  double scale_;
};

}  // namespace

std::vector<std::shared_ptr<const Deformer>> make_deformers(const SceneConfig& config, const std::string& space,
                                                            const Points& rest, double scale) {
  std::vector<std::shared_ptr<const Deformer>> all;
  for (size_t k = 0; k < config.deformers.size(); ++k)
    if (config.deformers[k].space == space) all.push_back(DeformerMaker(config, k, rest, scale).make());
  return all;
}

}  // namespace supple::pipeline::curves
