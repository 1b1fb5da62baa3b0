#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>

#include "supple/io/gltf/gltf_parts.h"

namespace supple {

namespace {

constexpr size_t kMostVertices = INT_MAX / 8;

class PrimitiveReader {
 public:
  PrimitiveReader(GltfData& data, size_t mesh, size_t primitive, int n_joints, std::vector<std::string>& warnings)
      : data_(data),
        mesh_(data.file().meshes[mesh]),
        source_(mesh_.primitives[primitive]),
        n_joints_(n_joints),
        place_(fmt::format("{}, primitive {}", gltf_place("mesh", mesh, mesh_.name), primitive)),
        warnings_(warnings) {}

  Primitive read() {
    if (source_.material >= 0) out_.material = data_.file().materials[static_cast<size_t>(source_.material)];
    out_.triangles_only = source_.mode >= 4;
    if (source_.draco_view >= 0) {
      draco_ = std::make_unique<DracoMesh>(data_.file(), data_.view(source_.draco_view, place_), place_);
    }
    if (source_.attributes.count("POSITION") == 0) {
      warn("it has no positions: left out");
      return out_;
    }
    read_positions();
    read_triangles();
    read_normals();
    read_uvs();
    read_weights();
    read_maps();
    read_targets();
    return out_;
  }

 private:
  void warn(const std::string& what) { warnings_.push_back(place_ + ": " + what); }
  [[noreturn]] void fail(const std::string& what) { data_.file().fail(place_, what, kDamagedGltf); }
  std::string named(const std::string& attribute) const { return place_ + ", " + attribute; }

  // Numbers of an attribute, one element a vertex; width: how many an element should have, 0: any.
  std::vector<double> attribute(const std::string& name, int width, bool scaled = true) {
    const int index = source_.attributes.at(name);
    const GltfAccessor& a = data_.accessor(index);
    if (width > 0 && a.width != width) {
      fail(fmt::format("{} should have {} numbers a vertex, not {}", name, width, a.width));
    }
    const auto id = draco_ ? source_.draco_ids.find(name) : source_.draco_ids.end();
    if (id != source_.draco_ids.end()) {
      data_.charge(draco_->n_vertices(), static_cast<size_t>(a.width), named(name));
      return draco_->values(id->second, a, scaled, named(name));
    }
    if (name != "POSITION") require_count(name, a.count);
    return scaled ? data_.values(index, named(name)) : data_.plain_values(index, named(name));
  }
  void require_count(const std::string& name, size_t count) {
    if (count != out_.positions.size()) {
      fail(fmt::format("{} has {} elements, but there are {} vertices", name, count, out_.positions.size()));
    }
  }
  bool has(const std::string& name) const { return source_.attributes.count(name) > 0; }

  static Points as_points(const std::vector<double>& numbers) {
    Points points(numbers.size() / 3);
    for (size_t i = 0; i < points.size(); ++i) points[i] = Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    return points;
  }
  static bool finite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  }
  // How many were not finite and are 0 now.
  static size_t zero_what_is_not_finite(std::vector<double>& numbers) {
    size_t bad = 0;
    for (double& x : numbers) {
      if (!std::isfinite(x)) x = 0, ++bad;
    }
    return bad;
  }

  void read_positions() {
    const std::vector<double> numbers = attribute("POSITION", 3);
    if (numbers.size() / 3 > kMostVertices) fail(fmt::format("{} vertices are too many", numbers.size() / 3));
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isfinite(numbers[i])) {
        data_.file().fail(place_, fmt::format("the position of vertex {} is not finite", i / 3),
                          "Repair the mesh in your modelling program and export it again.");
      }
    }
    out_.positions = as_points(numbers);
    const size_t said = data_.accessor(source_.attributes.at("POSITION")).count;
    if (said != out_.positions.size()) {
      warn(fmt::format("{} vertices were decoded where the file announces {}", out_.positions.size(), said));
    }
  }

  std::vector<uint32_t> read_indices() {
    std::vector<uint32_t> list;
    if (draco_) {
      list = draco_->indices();
      data_.charge(list.size(), 1, named("indices"));
    } else if (source_.indices >= 0) {
      list = data_.whole_numbers(source_.indices, named("indices"));
    } else {
      list.resize(out_.positions.size());
      for (size_t i = 0; i < list.size(); ++i) list[i] = static_cast<uint32_t>(i);
    }
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i] >= out_.positions.size()) {
        fail(fmt::format("index {} points at vertex {}, but there are {}", i, list[i], out_.positions.size()));
      }
    }
    return list;
  }

  void read_triangles() {
    const std::vector<uint32_t> list = read_indices();
    if (!out_.triangles_only) return;
    const bool strip = source_.mode == 5 && !draco_, fan = source_.mode == 6 && !draco_;
    auto add = [&](size_t a, size_t b, size_t c) {
      out_.triangles.push_back({static_cast<int>(list[a]), static_cast<int>(list[b]), static_cast<int>(list[c])});
    };
    if (strip) {
      for (size_t i = 0; i + 2 < list.size(); ++i) add(i, i + 1 + i % 2, i + 2 - i % 2);
    } else if (fan) {
      for (size_t i = 0; i + 2 < list.size(); ++i) add(i + 1, i + 2, 0);
    } else {
      for (size_t i = 0; i + 2 < list.size(); i += 3) add(i, i + 1, i + 2);
      if (list.size() % 3 != 0) warn(fmt::format("{} indices after the last whole triangle: ignored", list.size() % 3));
    }
    mend_triangles(out_, strip, place_, warnings_);
  }

  void read_normals() {
    if (!has("NORMAL")) return;
    const std::vector<double> numbers = attribute("NORMAL", 3);
    if (finite(numbers)) {
      out_.normals = as_points(numbers);
    } else {
      warn("normals that are not finite: its normals are computed anew");
    }
  }

  void read_uvs() {
    if (!has("TEXCOORD_0")) return;
    std::vector<double> numbers = attribute("TEXCOORD_0", 2);
    if (const size_t bad = zero_what_is_not_finite(numbers); bad > 0) {
      warn(fmt::format("{} texture coordinates are not finite: set to 0", bad));
    }
    out_.uvs.resize(numbers.size() / 2);
    for (size_t i = 0; i < out_.uvs.size(); ++i) out_.uvs[i] = {numbers[2 * i], numbers[2 * i + 1]};
  }

  void read_weights() {
    if (n_joints_ < 0) {
      if (has("JOINTS_0")) warn("it has joints, but no node shows it with a skin: it follows its node");
      return;
    }
    std::vector<std::vector<double>> joints, weights;
    double rounding = 0;
    for (int set = 0;; ++set) {
      const std::string j = fmt::format("JOINTS_{}", set), w = fmt::format("WEIGHTS_{}", set);
      if (!has(j) && !has(w)) break;
      if (!has(j) || !has(w)) {
        warn(fmt::format("{} without {}: ignored", has(j) ? j : w, has(j) ? w : j));
        continue;
      }
      joints.push_back(attribute(j, 4, false));
      weights.push_back(attribute(w, 4));
      const GltfComponent c = data_.accessor(source_.attributes.at(w)).component;
      rounding = std::max(rounding, c == GltfComponent::u8 ? 0.5 / 255 : c == GltfComponent::u16 ? 0.5 / 65535 : 0);
    }
    if (joints.empty()) {
      warn("its node has a skin, but it has no joints: it follows its node");
      return;
    }
    out_.influences = 4 * static_cast<int>(joints.size());
    out_.joints.reserve(out_.positions.size() * joints.size() * 4);
    out_.weights.reserve(out_.joints.capacity());
    for (size_t v = 0; v < out_.positions.size(); ++v) {
      for (size_t set = 0; set < joints.size(); ++set) {
        for (size_t k = 4 * v; k < 4 * v + 4; ++k) {
          const double joint = joints[set][k];
          out_.joints.push_back(joint >= 0 && joint < INT_MAX ? static_cast<int>(joint) : INT_MAX);
          out_.weights.push_back(weights[set][k]);
        }
      }
    }
    mend_weights(out_, n_joints_, rounding, place_, warnings_);
  }

  void read_maps() {
    for (const auto& [name, index] : source_.attributes) {
      const size_t width = static_cast<size_t>(data_.accessor(index).width);
      if (width > 4 || (!name.starts_with("_") && !name.starts_with("COLOR_"))) continue;
      std::vector<double> numbers = attribute(name, 0);
      if (const size_t bad = zero_what_is_not_finite(numbers); bad > 0) {
        warn(fmt::format("{} values of {} are not finite: set to 0", bad, name));
      }
      for (size_t k = 0; k < width; ++k) {
        std::vector<double>& map = out_.maps[width == 1 ? name : fmt::format("{}.{}", name, "rgba"[k])];
        map.resize(out_.positions.size());
        for (size_t v = 0; v < map.size(); ++v) map[v] = numbers[v * width + k];
      }
    }
  }

  Points target_points(const GltfAttributes& target, const char* name, size_t number) {
    const auto found = target.find(name);
    if (found == target.end()) return {};
    const std::string what = fmt::format("target {} {}", number, name);
    const GltfAccessor& a = data_.accessor(found->second);
    if (a.width != 3) fail(fmt::format("{} should have 3 numbers a vertex, not {}", what, a.width));
    require_count(what, a.count);
    std::vector<double> numbers = data_.values(found->second, named(what));
    if (const size_t bad = zero_what_is_not_finite(numbers); bad > 0) {
      warn(fmt::format("{} numbers of {} are not finite: set to 0", bad, what));
    }
    return as_points(numbers);
  }

  void read_targets() {
    for (size_t t = 0; t < source_.targets.size(); ++t) {
      MorphTarget target;
      if (t < mesh_.target_names.size()) target.name = mesh_.target_names[t];
      target.positions = target_points(source_.targets[t], "POSITION", t);
      target.normals = target_points(source_.targets[t], "NORMAL", t);
      out_.targets.push_back(std::move(target));
    }
  }

  GltfData& data_;
  const GltfMesh& mesh_;
  const GltfPrimitive& source_;
  const int n_joints_;
  const std::string place_;
  std::vector<std::string>& warnings_;
  std::unique_ptr<DracoMesh> draco_;
  Primitive out_;
};

}  // namespace

Primitive read_primitive(GltfData& data, size_t mesh, size_t primitive, int n_joints,
                         std::vector<std::string>& warnings) {
  return PrimitiveReader(data, mesh, primitive, n_joints, warnings).read();
}

}  // namespace supple
