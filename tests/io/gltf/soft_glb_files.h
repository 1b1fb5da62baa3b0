// What the tests of write_soft_glb share: a .glb taken apart by other code than the writer's, and motions.
#pragma once
#include <cmath>
#include <map>

#include "supple/io/gltf/soft_glb.h"
#include "tests/io/gltf/gltf_builder.h"

namespace supple {

struct ReadGlb {
  nlohmann::ordered_json json;
  std::string bin, rest;  // rest: after the binary part

  explicit ReadGlb(const std::string& bytes) {
    auto u32 = [&](size_t at) { return read<uint32_t>(bytes, at); };
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(u32(8), bytes.size());
    const size_t n = u32(12);
    json = nlohmann::ordered_json::parse(bytes.substr(20, n));
    EXPECT_EQ(n % 4, 0u);
    EXPECT_EQ(bytes.substr(24 + n, 4), std::string("BIN\0", 4));
    EXPECT_EQ(u32(20 + n) % 4, 0u);
    bin = bytes.substr(28 + n, u32(20 + n));
    rest = bytes.substr(28 + n + u32(20 + n));
    EXPECT_EQ(json["buffers"].size(), 1u);
    EXPECT_FALSE(json["buffers"][0].contains("uri"));
    EXPECT_LE(bin.size() - json["buffers"][0]["byteLength"].get<size_t>(), 3u);
  }

  template <class T>
  static T read(const std::string& bytes, size_t at) {
    T value;
    std::memcpy(&value, &bytes.at(at + sizeof(T) - 1) - (sizeof(T) - 1), sizeof(T));
    return value;
  }
  size_t start(int view) const {
    return json["bufferViews"].at(static_cast<size_t>(view)).value("byteOffset", size_t{0});
  }

  // Floats, or integers as the numbers they are.
  std::vector<double> numbers(int accessor) const {
    const auto& a = json["accessors"].at(static_cast<size_t>(accessor));
    static const std::map<std::string, size_t> widths = {
        {"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const size_t width = widths.at(a["type"]), count = a["count"];
    const int kind = a["componentType"];
    const size_t each = kind <= 5121 ? 1 : kind <= 5123 ? 2 : 4;
    auto at = [&](size_t where, int code) -> double {
      if (code == 5120) return read<int8_t>(bin, where);
      if (code == 5121) return read<uint8_t>(bin, where);
      if (code == 5122) return read<int16_t>(bin, where);
      if (code == 5123) return read<uint16_t>(bin, where);
      if (code == 5125) return read<uint32_t>(bin, where);
      return static_cast<double>(read<float>(bin, where));
    };
    std::vector<double> out(count * width, 0.0);
    if (a.contains("bufferView")) {
      const int view = a["bufferView"];
      const size_t stride = json["bufferViews"][static_cast<size_t>(view)].value("byteStride", width * each);
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = at(start(view) + a.value("byteOffset", size_t{0}) + i / width * stride + i % width * each, kind);
      }
    }
    if (a.contains("sparse")) {
      const auto& s = a["sparse"];
      const int code = s["indices"]["componentType"];
      const size_t size = code == 5121 ? 1 : code == 5123 ? 2 : 4;
      for (size_t i = 0; i < s["count"].get<size_t>(); ++i) {
        const size_t at_index =
            start(s["indices"]["bufferView"]) + s["indices"].value("byteOffset", size_t{0}) + i * size;
        const auto to = static_cast<size_t>(at(at_index, code));
        for (size_t k = 0; k < width; ++k) {
          const size_t from = start(s["values"]["bufferView"]) + s["values"].value("byteOffset", size_t{0});
          out.at(to * width + k) = at(from + (i * width + k) * each, kind);
        }
      }
    }
    return out;
  }

  const nlohmann::ordered_json* animation(const std::string& name) const {
    for (const auto& a : json["animations"]) {
      if (a.value("name", "") == name) return &a;
    }
    return nullptr;
  }
  // The sampler of a channel; null without one.
  const nlohmann::ordered_json* sampler(const std::string& clip, int node, const std::string& path) const {
    const auto* a = animation(clip);
    if (!a) return nullptr;
    for (const auto& c : (*a)["channels"]) {
      if (c["target"]["node"] == node && c["target"]["path"] == path)
        return &(*a)["samplers"][c["sampler"].get<size_t>()];
    }
    return nullptr;
  }

  // The value of a channel at t by the rules of glTF (weights: no slerp).
  std::vector<double> value(const nlohmann::ordered_json& s, double t) const {
    const std::vector<double> times = numbers(s["input"]), values = numbers(s["output"]);
    const std::string mode = s.value("interpolation", "LINEAR");
    const size_t parts = mode == "CUBICSPLINE" ? 3 : 1, width = values.size() / times.size() / parts;
    auto part = [&](size_t key, size_t which, size_t k) { return values[(key * parts + which) * width + k]; };
    const size_t value_row = parts == 3 ? 1 : 0;
    size_t key = 0;
    while (key + 1 < times.size() && times[key + 1] <= t) ++key;
    std::vector<double> out(width);
    for (size_t k = 0; k < width; ++k) {
      out[k] = part(key, value_row, k);
      if (t <= times.front() || key + 1 == times.size() || mode == "STEP") continue;
      const double h = times[key + 1] - times[key], s1 = (t - times[key]) / h, next = part(key + 1, value_row, k);
      if (mode == "LINEAR") {
        out[k] += s1 * (next - out[k]);
      } else {
        const double s2 = s1 * s1, s3 = s2 * s1;
        out[k] = (2 * s3 - 3 * s2 + 1) * out[k] + h * (s3 - 2 * s2 + s1) * part(key, 2, k) + (3 * s2 - 2 * s3) * next +
                 h * (s3 - s2) * part(key + 1, 0, k);
      }
    }
    return out;
  }

  // Displacements of a primitive by the targets from `first` on under the weights of a clip at t.
  std::vector<double> displacement(const std::string& clip, int node, int primitive, size_t first, double t,
                                   const char* attribute = "POSITION") const {
    const auto& mesh = json["meshes"][json["nodes"][static_cast<size_t>(node)]["mesh"].get<size_t>()];
    const auto& targets = mesh["primitives"][static_cast<size_t>(primitive)]["targets"];
    const std::vector<double> weights = value(*sampler(clip, node, "weights"), t);
    EXPECT_EQ(weights.size(), targets.size());
    std::vector<double> sum;
    for (size_t k = first; k < targets.size(); ++k) {
      const std::vector<double> shape = numbers(targets[k][attribute]);
      sum.resize(shape.size(), 0.0);
      for (size_t i = 0; i < shape.size(); ++i) sum[i] += weights[k] * shape[i];
    }
    return sum;
  }
};

// A wave of 2 x waves components over n vertices; from `still` on nothing moves.
inline std::vector<VecX> wave(size_t n, const std::vector<double>& times, int waves, double size,
                              size_t still = SIZE_MAX) {
  std::vector<VecX> frames;
  for (const double t : times) {
    VecX u = VecX::Zero(3 * static_cast<Eigen::Index>(n));
    for (size_t v = 0; v < std::min(n, still); ++v) {
      for (int j = 0; j < waves; ++j) {
        const double phase = 0.37 * (j + 1) * static_cast<double>(v) + (2.1 + 1.3 * j) * t + j;
        u.segment<3>(3 * static_cast<Eigen::Index>(v)) +=
            size / (1 + j) * Vec3(std::sin(phase), 0.5 * std::cos(phase), 0.3 * std::sin(phase + j));
      }
    }
    frames.push_back(u);
  }
  return frames;
}

inline std::vector<double> frame_times(int n, double fps = 24) {
  std::vector<double> times;
  for (int f = 0; f < n; ++f) times.push_back(f / fps);
  return times;
}

// A clip on the ribbon of gltf_builder.h: node 3 with 12 vertices.
inline SoftClip ribbon_clip(const std::string& name, std::vector<int> sources, int n_frames, int waves = 3) {
  SoftClip clip{name, std::move(sources), frame_times(n_frames), {}, {}};
  clip.meshes.push_back({3, {0}, {wave(12, clip.times, waves, 0.02)}, {wave(12, clip.times, waves, 0.1)}, {}});
  return clip;
}

}  // namespace supple
