#include "supple/io/gltf/gltf_morph.h"

#include <tiny_gltf.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "supple/anim/morph_basis.h"
#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/output_file.h"

namespace supple {

namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, 1>;

// Puts arrays into the one buffer, each with a view and an accessor of its own; returns the accessor.
class BufferPacker {
 public:
  explicit BufferPacker(tinygltf::Model& model) : model_(model) { model_.buffers.emplace_back(); }

  template <class T>
  int add(const std::vector<T>& values, int component, int type, int width, int target, bool normalized = false) {
    std::vector<unsigned char>& bytes = model_.buffers[0].data;
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = bytes.size();
    view.byteLength = values.size() * sizeof(T);
    view.target = target;
    const auto* begin = reinterpret_cast<const unsigned char*>(values.data());
    bytes.insert(bytes.end(), begin, begin + view.byteLength);
    bytes.resize((bytes.size() + 3) / 4 * 4, 0);
    tinygltf::Accessor accessor;
    accessor.bufferView = static_cast<int>(model_.bufferViews.size());
    accessor.componentType = component;
    accessor.type = type;
    accessor.count = values.size() / static_cast<size_t>(width);
    accessor.normalized = normalized;
    model_.bufferViews.push_back(view);
    model_.accessors.push_back(accessor);
    return static_cast<int>(model_.accessors.size()) - 1;
  }

  // Floats, `width` a tuple, with the bounds the standard asks of positions and times.
  int add_floats(const Floats& values, int type, int width, int target, bool bounds = false) {
    const int index = add(std::vector<float>(values.data(), values.data() + values.size()),
                          TINYGLTF_COMPONENT_TYPE_FLOAT, type, width, target);
    if (bounds) {
      tinygltf::Accessor& a = model_.accessors[static_cast<size_t>(index)];
      const Eigen::Map<const Eigen::MatrixXf> tuples(values.data(), width, values.size() / width);
      for (int k = 0; k < width; ++k) {
        a.minValues.push_back(tuples.row(k).minCoeff());
        a.maxValues.push_back(tuples.row(k).maxCoeff());
      }
    }
    return index;
  }
  int add_vectors(const Floats& values, bool bounds = false) {
    return add_floats(values, TINYGLTF_TYPE_VEC3, 3, TINYGLTF_TARGET_ARRAY_BUFFER, bounds);
  }

 private:
  tinygltf::Model& model_;
};

void require_input(const std::string& path, const TriMesh& mesh, const PointCache& frames, const MorphOptions& o) {
  auto refuse = [&](const std::string& what, const std::string& place = "") {
    throw InputError({path, 0, 0, place}, "not written: " + what);
  };
  if (mesh.triangles.empty()) refuse("the surface has no triangles");
  if (!(o.fps > 0)) refuse("the frame rate should be positive");
  if (frames.n_samples > 0 && frames.n_points != mesh.n_vertices()) {
    refuse(fmt::format("{} points move but the surface has {} vertices", frames.n_points, mesh.n_vertices()));
  }
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    if (!mesh.vertices[v].allFinite()) refuse("the position is not finite", fmt::format("vertex {}", v));
  }
  for (int f = 0; f < frames.n_samples; ++f) {
    for (int i = 0; i < 3 * frames.n_points; ++i) {
      if (!std::isfinite(frames.sample(f)[i]))
        refuse("the position is not finite", fmt::format("frame {}, vertex {}", f, i / 3));
    }
  }
}

int add_material(tinygltf::Model& model, bool colored) {
  tinygltf::Material material;
  material.name = "tissue";
  const double tone = colored ? 1.0 : 0.8;
  material.pbrMetallicRoughness.baseColorFactor = {tone, tone, tone, 1.0};
  material.pbrMetallicRoughness.metallicFactor = 0;
  material.pbrMetallicRoughness.roughnessFactor = 0.7;
  material.doubleSided = true;
  model.materials.push_back(material);
  return 0;
}

tinygltf::Primitive still_primitive(BufferPacker& pack, const TriMesh& mesh, const Points& normals) {
  tinygltf::Primitive primitive;
  primitive.mode = TINYGLTF_MODE_TRIANGLES;
  primitive.attributes["POSITION"] = pack.add_vectors(flatten(mesh.vertices).cast<float>(), true);
  if (!normals.empty()) primitive.attributes["NORMAL"] = pack.add_vectors(flatten(normals).cast<float>());
  if (mesh.colors.size() == mesh.vertices.size()) {
    std::vector<uint16_t> rgba;
    for (const Vec3& c : mesh.colors) {
      for (int k = 0; k < 3; ++k)
        rgba.push_back(static_cast<uint16_t>(std::lround(65535 * std::clamp(c[k], 0.0, 1.0))));
      rgba.push_back(65535);
    }
    primitive.attributes["COLOR_0"] = pack.add(rgba, TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT, TINYGLTF_TYPE_VEC4, 4,
                                               TINYGLTF_TARGET_ARRAY_BUFFER, true);
  }
  if (mesh.uvs.size() == mesh.vertices.size()) {
    Floats uv(2 * static_cast<Eigen::Index>(mesh.uvs.size()));
    for (size_t i = 0; i < mesh.uvs.size(); ++i) {
      // glTF counts v from the top of the picture.
      uv.segment<2>(2 * static_cast<Eigen::Index>(i)) =
          Eigen::Vector2d(mesh.uvs[i][0], 1 - mesh.uvs[i][1]).cast<float>();
    }
    primitive.attributes["TEXCOORD_0"] = pack.add_floats(uv, TINYGLTF_TYPE_VEC2, 2, TINYGLTF_TARGET_ARRAY_BUFFER);
  }
  std::vector<uint32_t> indices;
  for (const Tri& t : mesh.triangles) indices.insert(indices.end(), t.begin(), t.end());
  if (mesh.n_vertices() < 65535) {
    primitive.indices =
        pack.add(std::vector<uint16_t>(indices.begin(), indices.end()), TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT,
                 TINYGLTF_TYPE_SCALAR, 1, TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  } else {
    primitive.indices = pack.add(indices, TINYGLTF_COMPONENT_TYPE_UNSIGNED_INT, TINYGLTF_TYPE_SCALAR, 1,
                                 TINYGLTF_TARGET_ELEMENT_ARRAY_BUFFER);
  }
  return primitive;
}

// How the vertices of `frames` depart from `rest`. Both must outlive the result.
MovingPoints departures(const PointCache& frames, const VecX& rest) {
  return {frames.n_points, frames.n_samples, [&](Eigen::Index begin, Eigen::Index end, Eigen::Ref<MatX> rows) {
            const Eigen::Index n = 3 * (end - begin);
            for (int f = 0; f < frames.n_samples; ++f) {
              const Eigen::Map<const Floats> x(frames.sample(f) + 3 * begin, n);
              rows.col(f) = x.cast<double>() - rest.segment(3 * begin, n);
            }
          }};
}

// How normals change over the frames. A few vertices at a time, with the triangles around them in their order: so the
// normals are those of the whole to the bit.
class NormalChanges {
 public:
  NormalChanges(const TriMesh& mesh, const PointCache& frames, const Points& normals)
      : mesh_(mesh), frames_(frames), normals_(normals), first_(mesh.vertices.size() + 1, 0) {
    for (const Tri& t : mesh.triangles)
      for (const int v : t) ++first_[static_cast<size_t>(v) + 1];
    for (size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
    around_.resize(first_.back());
    std::vector<size_t> next = first_;
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
      for (const int v : mesh.triangles[t]) around_[next[static_cast<size_t>(v)]++] = t;
  }

  void read(Eigen::Index begin, Eigen::Index end, Eigen::Ref<MatX> rows) const {
    std::vector<size_t> near(around_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<size_t>(begin)]),
                             around_.begin() + static_cast<std::ptrdiff_t>(first_[static_cast<size_t>(end)]));
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::vector<int> vertices;
    for (Eigen::Index v = begin; v < end; ++v) vertices.push_back(static_cast<int>(v));
    std::map<int, int> beyond;
    std::vector<Tri> triangles;
    for (const size_t t : near) {
      Tri own = mesh_.triangles[t];
      for (int& v : own) {
        if (v >= begin && v < end) {
          v -= static_cast<int>(begin);
          continue;
        }
        const auto [entry, fresh] = beyond.try_emplace(v, static_cast<int>(vertices.size()));
        if (fresh) vertices.push_back(v);
        v = entry->second;
      }
      triangles.push_back(own);
    }
    Points x(vertices.size());
    for (int f = 0; f < frames_.n_samples; ++f) {
      const float* sample = frames_.sample(f);
      for (size_t i = 0; i < x.size(); ++i) {
        const float* at = sample + 3 * static_cast<size_t>(vertices[i]);
        x[i] = Vec3(at[0], at[1], at[2]);
      }
      const Points now = vertex_normals(x, triangles);
      for (Eigen::Index v = begin; v < end; ++v)
        rows.col(f).segment<3>(3 * (v - begin)) =
            now[static_cast<size_t>(v - begin)] - normals_[static_cast<size_t>(v)];
    }
  }

 private:
  const TriMesh& mesh_;
  const PointCache& frames_;
  const Points& normals_;
  std::vector<size_t> first_, around_;  // triangles of each vertex, ascending
};

// The change of the normals that the weights of the positions reproduce best.
Eigen::MatrixXf normal_targets(const TriMesh& mesh, const PointCache& frames, const Points& normals,
                               const MorphBasis& basis) {
  const NormalChanges changes(mesh, frames, normals);
  return fit_to_weights(
      {mesh.n_vertices(), frames.n_samples,
       [&](Eigen::Index begin, Eigen::Index end, Eigen::Ref<MatX> rows) { changes.read(begin, end, rows); }},
      basis);
}

void add_animation(tinygltf::Model& model, BufferPacker& pack, const MorphBasis& basis, double fps) {
  Floats times(basis.weights.rows());
  for (Eigen::Index f = 0; f < times.size(); ++f) times[f] = static_cast<float>(static_cast<double>(f) / fps);
  const Eigen::MatrixXf by_frame = basis.weights.transpose();
  tinygltf::AnimationSampler sampler;
  sampler.input = pack.add_floats(times, TINYGLTF_TYPE_SCALAR, 1, 0, true);
  sampler.output =
      pack.add_floats(Eigen::Map<const Floats>(by_frame.data(), by_frame.size()), TINYGLTF_TYPE_SCALAR, 1, 0);
  sampler.interpolation = "LINEAR";
  tinygltf::AnimationChannel channel;
  channel.sampler = 0;
  channel.target_node = 0;
  channel.target_path = "weights";
  tinygltf::Animation animation;
  animation.name = "motion";
  animation.samplers.push_back(sampler);
  animation.channels.push_back(channel);
  model.animations.push_back(animation);
}

}  // namespace

MorphReport write_glb(const std::string& path, const TriMesh& mesh, const PointCache& frames,
                      const MorphOptions& options) {
  require_input(path, mesh, frames, options);
  MorphReport report;
  tinygltf::Model model;
  model.asset.version = "2.0";
  model.asset.generator = std::string("supple ") + version();
  BufferPacker pack(model);
  Points normals;
  if (options.normals) normals = vertex_normals(mesh.vertices, mesh.triangles);

  tinygltf::Mesh out;
  out.name = options.name;
  out.primitives.push_back(still_primitive(pack, mesh, normals));
  out.primitives[0].material = add_material(model, !mesh.colors.empty());

  if (frames.n_samples > 0) {
    // Against the rest shape as it is stored.
    const VecX rest = flatten(mesh.vertices).cast<float>().cast<double>();
    const MovingPoints moving = departures(frames, rest);
    const double tolerance = options.tolerance_m > 0 ? options.tolerance_m : 1e-4 * longest_side(mesh.vertices);
    const int most = std::max(options.max_targets, 2);
    MorphBasis basis = fit_few_morphs(moving, tolerance, most);
    // Weights below 0 cost a target.
    if (basis.n_targets == most && WeightLift(basis.weights).needed()) drop_last(basis);
    Eigen::MatrixXf turns;
    if (options.normals) turns = normal_targets(mesh, frames, normals, basis);
    if (const WeightLift by(basis.weights); by.needed()) {
      if (options.normals) turns = by.targets(turns);
      lift(moving, basis);
    }
    for (int k = 0; k < basis.n_targets; ++k) {
      std::map<std::string, int> target;
      target["POSITION"] = pack.add_vectors(basis.targets.col(k), true);
      if (options.normals) target["NORMAL"] = pack.add_vectors(turns.col(k));
      out.primitives[0].targets.push_back(target);
    }
    out.weights.assign(static_cast<size_t>(basis.n_targets), 0.0);
    add_animation(model, pack, basis, options.fps);
    report.targets = basis.n_targets;
    report.max_error_m = basis.max_error;
  }

  model.meshes.push_back(out);
  tinygltf::Node node;
  node.name = options.name;
  node.mesh = 0;
  model.nodes.push_back(node);
  tinygltf::Scene scene;
  scene.nodes.push_back(0);
  model.scenes.push_back(scene);
  model.defaultScene = 0;

  OutputFile file(path);
  tinygltf::TinyGLTF writer;
  if (!writer.WriteGltfSceneToStream(&model, file.stream(), false, true)) {
    throw InputError({path, 0, 0, ""}, "the file could not be written", "Is the disk full?");
  }
  report.bytes = static_cast<size_t>(file.stream().tellp());
  file.commit();
  return report;
}

}  // namespace supple
