#include "supple/mesh/vertex_blend.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "supple/base/parallel.h"

namespace supple {

VertexBlend blend_of(const Embedding& e, const std::vector<Tet>& tets) {
  VertexBlend blend;
  for (size_t i = 0; i < e.tet.size(); ++i) {
    const Tet& t = tets[static_cast<size_t>(e.tet[i])];
    for (size_t c = 0; c < 4; ++c) {
      blend.vertex.push_back(t[c]);
      blend.weight.push_back(e.weights[i][static_cast<Eigen::Index>(c)]);
    }
    blend.first.push_back(static_cast<int>(blend.vertex.size()));
  }
  return blend;
}

VertexBlend only(const VertexBlend& all, const std::vector<int>& points) {
  VertexBlend some;
  for (int p : points) {
    for (int k = all.first[p]; k < all.first[p + 1]; ++k)
      some.vertex.push_back(all.vertex[k]), some.weight.push_back(all.weight[k]);
    some.first.push_back(static_cast<int>(some.vertex.size()));
  }
  return some;
}

VertexBlend at_vertices(const std::vector<int>& vertices) {
  VertexBlend blend;
  blend.vertex = vertices;
  blend.weight.assign(vertices.size(), 1);
  for (size_t i = 1; i <= vertices.size(); ++i) blend.first.push_back(static_cast<int>(i));
  return blend;
}

namespace {

// Gradients of the four barycentric coordinates.
std::array<Vec3, 4> slopes(const TetMesh& mesh, const Tet& t) {
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = mesh.vertices[t[c + 1]] - mesh.vertices[t[0]];
  const Mat3 inverse = edges.inverse();
  std::array<Vec3, 4> g{Vec3::Zero(), inverse.row(0), inverse.row(1), inverse.row(2)};
  g[0] = -(g[1] + g[2] + g[3]);
  return g;
}

// At each vertex in use: the gradient of a field as a sum over vertices of slope x value, by vertex number.
class VertexGradients {
 public:
  VertexGradients(const TetMesh& mesh, const std::vector<char>& wanted) : entries(mesh.vertices.size()) {
    const std::vector<double> volumes = tet_volumes(mesh);
    const auto fill = mesh.tet_maps.find("fill");
    std::vector<std::vector<int>> around(mesh.vertices.size());
    for (int ti = 0; ti < mesh.n_tets(); ++ti) {
      for (int v : mesh.tets[ti]) {
        if (wanted[v]) around[v].push_back(ti);
      }
    }
    parallel_for(mesh.vertices.size(), 64, [&](size_t begin, size_t end) {
      for (size_t v = begin; v < end; ++v) {
        if (around[v].empty()) continue;
        std::vector<double> mass;
        for (int ti : around[v]) mass.push_back(volumes[ti] * (fill == mesh.tet_maps.end() ? 1 : fill->second[ti]));
        estimate(mesh, static_cast<int>(v), around[v], mass);
      }
    });
  }

  std::vector<std::vector<std::pair<int, Vec3>>> entries;

 private:
  // The tets' gradients belong to their middles. A linear fit through them, taken at the vertex; the fit is held flat
  // a little, so that where all tets lie to one side it does not reach far.
  void estimate(const TetMesh& mesh, int v, const std::vector<int>& tets, const std::vector<double>& mass) {
    constexpr double kFlat = 0.1;
    Points middles;
    double spread = 0;
    for (size_t i = 0; i < tets.size(); ++i) {
      Vec3 middle = -mesh.vertices[v];
      for (int w : mesh.tets[tets[i]]) middle += 0.25 * mesh.vertices[w];
      middles.push_back(middle);
      spread += mass[i] * middle.squaredNorm();
    }
    Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
    for (size_t i = 0; i < tets.size(); ++i) {
      const Eigen::Vector4d row(1, middles[i].x(), middles[i].y(), middles[i].z());
      normal += mass[i] * row * row.transpose();
    }
    normal.diagonal().tail<3>().array() += kFlat * spread;
    const Eigen::Vector4d at_vertex = normal.ldlt().solve(Eigen::Vector4d::Unit(0));
    auto& out = entries[v];
    for (size_t i = 0; i < tets.size(); ++i) {
      const Tet& t = mesh.tets[tets[i]];
      const double share = mass[i] * at_vertex.dot(Eigen::Vector4d(1, middles[i].x(), middles[i].y(), middles[i].z()));
      const auto g = slopes(mesh, t);
      for (int c = 0; c < 4; ++c) out.emplace_back(t[c], share * g[c]);
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    size_t n = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      if (n > 0 && out[n - 1].first == out[i].first) {
        out[n - 1].second += out[i].second;
      } else {
        out[n++] = out[i];
      }
    }
    out.resize(n);
  }
};

}  // namespace

VertexBlend smooth_blend(const TetMesh& mesh, const std::vector<int>& tet, const Points& points,
                         const std::vector<char>& flat) {
  std::vector<char> wanted(mesh.vertices.size(), 0);
  for (int ti : tet) {
    for (int v : mesh.tets[ti]) wanted[v] = 1;
  }
  const VertexGradients gradients(mesh, wanted);
  std::vector<std::vector<std::pair<int, double>>> rows(points.size());
  parallel_for(points.size(), 256, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const Tet& t = mesh.tets[tet[i]];
      const Eigen::Vector4d b =
          barycentric(points[i], mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]], mesh.vertices[t[3]]);
      auto& row = rows[i];
      for (int c = 0; c < 4; ++c) {
        row.emplace_back(t[c], b[c]);
        if (!flat.empty() && flat[t[c]]) continue;
        const Vec3 half = 0.5 * b[c] * (points[i] - mesh.vertices[t[c]]);
        for (const auto& [v, slope] : gradients.entries[t[c]]) row.emplace_back(v, slope.dot(half));
      }
      std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    }
  });
  VertexBlend blend;
  for (const auto& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        blend.weight.back() += row[k].second;
      } else {
        blend.vertex.push_back(row[k].first);
        blend.weight.push_back(row[k].second);
      }
    }
    blend.first.push_back(static_cast<int>(blend.vertex.size()));
  }
  return blend;
}

VecX blended(const VertexBlend& blend, const VecX& vertex_values) {
  VecX values(3 * static_cast<Eigen::Index>(blend.size()));
  parallel_for(static_cast<size_t>(blend.size()), 4096, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (int k = blend.first[i]; k < blend.first[i + 1]; ++k) {
        const auto entry = k;
        sum += blend.weight[entry] * vertex_values.segment<3>(3 * static_cast<Eigen::Index>(blend.vertex[entry]));
      }
      values.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum;
    }
  });
  return values;
}

}  // namespace supple
