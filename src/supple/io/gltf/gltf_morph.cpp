#include "supple/io/gltf/gltf_morph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "supple/anim/morph_basis.h"
#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/io/gltf/glb_document.h"

namespace supple {

namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, 1>;

std::span<const float> numbers(const Floats& values) { return {values.data(), static_cast<size_t>(values.size())}; }
// Three numbers a vertex.
int add_vectors(GlbDocument& doc, const Floats& values, bool bounds = false) {
  return doc.add_array(numbers(values), {.type = "VEC3", .use = kGltfVertexData, .bounds = bounds});
}

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

OrderedJson material(bool colored) {
  const double tone = colored ? 1.0 : 0.8;
  return {{"name", "tissue"},
          {"pbrMetallicRoughness",
           {{"baseColorFactor", {tone, tone, tone, 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}},
          {"doubleSided", true}};
}

OrderedJson still_primitive(GlbDocument& doc, const TriMesh& mesh, const Points& normals) {
  OrderedJson attributes;
  attributes["POSITION"] = add_vectors(doc, flatten(mesh.vertices).cast<float>(), true);
  if (!normals.empty()) attributes["NORMAL"] = add_vectors(doc, flatten(normals).cast<float>());
  if (mesh.colors.size() == mesh.vertices.size()) {
    std::vector<uint16_t> rgba;
    for (const Vec3& c : mesh.colors) {
      for (int k = 0; k < 3; ++k)
        rgba.push_back(static_cast<uint16_t>(std::lround(65535 * std::clamp(c[k], 0.0, 1.0))));
      rgba.push_back(65535);
    }
    attributes["COLOR_0"] = doc.add_array(rgba, {.type = "VEC4", .use = kGltfVertexData, .normalized = true});
  }
  if (mesh.uvs.size() == mesh.vertices.size()) {
    Floats uv(2 * static_cast<Eigen::Index>(mesh.uvs.size()));
    for (size_t i = 0; i < mesh.uvs.size(); ++i) {
      // glTF counts v from the top of the picture.
      uv.segment<2>(2 * static_cast<Eigen::Index>(i)) =
          Eigen::Vector2d(mesh.uvs[i][0], 1 - mesh.uvs[i][1]).cast<float>();
    }
    attributes["TEXCOORD_0"] = doc.add_array(numbers(uv), {.type = "VEC2", .use = kGltfVertexData});
  }
  std::vector<uint32_t> indices;
  for (const Tri& t : mesh.triangles) indices.insert(indices.end(), t.begin(), t.end());
  const GlbArrayKind corners = {.use = kGltfTriangleData};
  const int list = mesh.n_vertices() < 65535
                       ? doc.add_array(std::vector<uint16_t>(indices.begin(), indices.end()), corners)
                       : doc.add_array(indices, corners);
  return {{"attributes", attributes}, {"indices", list}, {"mode", 4}, {"material", 0}};
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
       [&](Eigen::Index begin, Eigen::Index end, const Eigen::Ref<MatX>& rows) { changes.read(begin, end, rows); }},
      basis);
}

OrderedJson animation(GlbDocument& doc, const MorphBasis& basis, double fps) {
  Floats times(basis.weights.rows());
  for (Eigen::Index f = 0; f < times.size(); ++f) times[f] = static_cast<float>(static_cast<double>(f) / fps);
  const Eigen::MatrixXf by_frame = basis.weights.transpose();
  const int input = doc.add_array(numbers(times), {.bounds = true});
  const int output = doc.add_array({by_frame.data(), static_cast<size_t>(by_frame.size())}, {});
  const OrderedJson sampler = {{"input", input}, {"interpolation", "LINEAR"}, {"output", output}};
  const OrderedJson channel = {{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}};
  return {{"name", "motion"}, {"channels", OrderedJson::array({channel})}, {"samplers", OrderedJson::array({sampler})}};
}

}  // namespace

MorphReport write_glb(const std::string& path, const TriMesh& mesh, const PointCache& frames,
                      const MorphOptions& options) {
  require_input(path, mesh, frames, options);
  MorphReport report;
  GlbDocument doc;
  doc.json()["asset"]["generator"] = std::string("supple ") + version();
  Points normals;
  if (options.normals) normals = vertex_normals(mesh.vertices, mesh.triangles);
  OrderedJson primitive = still_primitive(doc, mesh, normals), out;
  out["name"] = options.name;

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
      OrderedJson target;
      target["POSITION"] = add_vectors(doc, basis.targets.col(k), true);
      if (options.normals) target["NORMAL"] = add_vectors(doc, turns.col(k));
      primitive["targets"].push_back(std::move(target));
    }
    out["weights"] = std::vector<double>(static_cast<size_t>(basis.n_targets), 0.0);
    const OrderedJson motion = animation(doc, basis, options.fps);
    doc.json()["animations"] = OrderedJson::array({motion});
    report.targets = basis.n_targets;
    report.max_error_m = basis.max_error;
  }

  out["primitives"] = OrderedJson::array({primitive});
  doc.json()["materials"] = OrderedJson::array({material(!mesh.colors.empty())});
  doc.json()["meshes"] = OrderedJson::array({out});
  doc.json()["nodes"] = OrderedJson::array({{{"name", options.name}, {"mesh", 0}}});
  doc.json()["scenes"] = OrderedJson::array({{{"nodes", {0}}}});
  doc.json()["scene"] = 0;
  doc.write(path);
  report.bytes = doc.size();
  return report;
}

}  // namespace supple
