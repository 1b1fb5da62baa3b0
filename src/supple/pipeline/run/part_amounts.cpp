#include "supple/pipeline/run/part_amounts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/most.h"

namespace supple::pipeline {

namespace {

constexpr double kFarPoints = 0.99;
constexpr double kBorder = 0.1;       // of the body's size, where no thickness is known
constexpr double kMostLeftOut = 0.5;  // of a part's vertices

// The core of a part, those of its vertices that are farther than `border` from other parts.
std::vector<int> core_of(const Points& x, const std::vector<int>& mine, const std::vector<int>& others, double border) {
  std::vector<std::pair<double, int>> away;
  for (int v : mine) {
    double least = std::numeric_limits<double>::infinity();
    for (int w : others) least = std::min(least, (x[v] - x[w]).squaredNorm());
    away.emplace_back(std::sqrt(least), v);
  }
  if (away.empty()) return {};
  // The farther half at least, with all that is as far as its nearest: lattices have many at one distance.
  std::vector<std::pair<double, int>> sorted = away;
  const auto half = static_cast<std::ptrdiff_t>(kMostLeftOut * static_cast<double>(sorted.size()));
  std::nth_element(sorted.begin(), sorted.begin() + half, sorted.end());
  const double from = std::min(border, sorted[static_cast<size_t>(half)].first);
  std::vector<int> core;
  for (const auto& [far, v] : away)
    if (!clearly_more(from, far)) core.push_back(v);
  std::sort(core.begin(), core.end());
  return core;
}

// The vertices that tets share with another part's: only those can be near it in one piece of flesh.
std::vector<int> rim_of(const TetMesh& mesh, const std::vector<int>& of_vertex, int part) {
  std::vector<char> rim(mesh.vertices.size(), 0);
  for (const Tet& t : mesh.tets) {
    bool here = false;
    for (int v : t) here = here || of_vertex[v] == part;
    if (!here) continue;
    for (int v : t)
      if (of_vertex[v] >= 0 && of_vertex[v] != part) rim[v] = 1;
  }
  std::vector<int> out;
  for (size_t v = 0; v < rim.size(); ++v)
    if (rim[v]) out.push_back(static_cast<int>(v));
  return out;
}

// Of a part its core, as wide a border left out as the body is thick there.
std::vector<int> without_border(const AdjustedBody& body, const std::vector<int>& of_vertex, int part,
                                std::vector<int> vertices) {
  const TetMesh& mesh = body.model->mesh();
  const std::vector<int> rim = rim_of(mesh, of_vertex, part);
  if (rim.empty() || vertices.empty()) return vertices;
  double border = kBorder * body.model->size();
  if (body.thickness.size() > 0) {
    border = 0;
    for (int v : vertices) border += body.thickness[v] / static_cast<double>(vertices.size());
  }
  return core_of(mesh.vertices, vertices, rim, border);
}

void weigh(const AdjustedBody& body, MeasuredPart& p) {
  p.mass.resize(static_cast<Eigen::Index>(p.vertices.size()));
  for (size_t k = 0; k < p.vertices.size(); ++k)
    p.mass[static_cast<Eigen::Index>(k)] = body.model->mass()->per_vertex()[p.vertices[k]];
}

Vec3 departure(const PointCache& tets, const PointCache& statics, int frame, int vertex) {
  const auto at = 3 * static_cast<size_t>(vertex);
  const float *x = tets.sample(frame) + at, *y = statics.sample(frame) + at;
  return {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
}

}  // namespace

std::vector<char> touching_parts(const AdjustedBody& body) {
  std::vector<char> out(body.parts.size(), 0);
  for (const Tet& t : body.model->mesh().tets)
    for (int v : t)
      for (int w : t) {
        const int a = body.split->of_vertex[v], b = body.split->of_vertex[w];
        if (a >= 0 && b >= 0 && a != b) out[static_cast<size_t>(a)] = 1;
      }
  return out;
}

std::vector<MeasuredPart> measured_parts(const AdjustedBody& body) {
  std::vector<MeasuredPart> out;
  const std::vector<char> touches = touching_parts(body);
  for (size_t i = 0; i < body.parts.size(); ++i) {
    const PartNumbers& part = body.parts[i];
    MeasuredPart p{.name = part.name, .region = touches[i] != 0, .vertices = part.vertices};
    p.vertices = without_border(body, body.split->of_vertex, static_cast<int>(i), std::move(p.vertices));
    weigh(body, p);
    out.push_back(std::move(p));
  }
  return out;
}

std::vector<MeasuredPart> measured_regions(const AdjustedBody& body) {
  const TetMesh& mesh = body.model->mesh();
  std::vector<MeasuredPart> out(mesh.region_names.size());
  std::vector<int> of_vertex =
      mesh.tet_region.empty() ? std::vector<int>(mesh.vertices.size(), -1) : groups_of_vertices(mesh, mesh.tet_region);
  for (size_t v = 0; v < of_vertex.size(); ++v)
    if (body.split->of_vertex[v] < 0) of_vertex[v] = -1;
  for (size_t r = 0; r < out.size(); ++r) {
    out[r] = {.name = mesh.region_names[r], .region = true};
    for (size_t v = 0; v < of_vertex.size(); ++v)
      if (of_vertex[v] == static_cast<int>(r)) out[r].vertices.push_back(static_cast<int>(v));
    out[r].vertices = without_border(body, of_vertex, static_cast<int>(r), std::move(out[r].vertices));
    weigh(body, out[r]);
  }
  return out;
}

MeasuredPart whole_body(const AdjustedBody& body) {
  MeasuredPart all{.name = "body"};
  for (const PartNumbers& p : body.parts) all.vertices.insert(all.vertices.end(), p.vertices.begin(), p.vertices.end());
  std::sort(all.vertices.begin(), all.vertices.end());
  weigh(body, all);
  return all;
}

double farthest_of(const MeasuredPart& part, const PointCache& tets, const PointCache& statics) {
  double most = 0;
  for (int f = 0; f < std::min(tets.n_samples, statics.n_samples); ++f)
    for (int v : part.vertices) most = std::max(most, departure(tets, statics, f, v).squaredNorm());
  return std::sqrt(most);
}

std::vector<double> part_amounts(const std::vector<MeasuredPart>& parts, const PointCache& tets,
                                 const PointCache& statics, const AmountWeights& weights) {
  std::vector<double> out;
  const int frames = std::min(tets.n_samples, statics.n_samples);
  for (const MeasuredPart& p : parts) {
    std::vector<float> all;
    double sum = 0;
    for (int f = 0; f < frames; ++f) {
      const double of_frame = weights.frame.empty() ? 1 : weights.frame[static_cast<size_t>(f)];
      for (size_t k = 0; k < p.vertices.size(); ++k) {
        const Vec3 d = departure(tets, statics, f, p.vertices[k]);
        const double w = of_frame * (weights.vertex.empty() ? 1 : weights.vertex[static_cast<size_t>(p.vertices[k])]);
        sum += p.mass[static_cast<Eigen::Index>(k)] * w * w * d.squaredNorm();
        if (p.region) all.push_back(static_cast<float>(w * d.norm()));
      }
    }
    if (!p.region) {
      out.push_back(p.mass.size() > 0 && frames > 0 ? std::sqrt(sum / (p.mass.sum() * frames)) : 0);
    } else if (all.empty()) {
      out.push_back(0);
    } else {
      const auto at = static_cast<size_t>(kFarPoints * static_cast<double>(all.size() - 1));
      std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
      out.push_back(all[at]);
    }
  }
  return out;
}

}  // namespace supple::pipeline
