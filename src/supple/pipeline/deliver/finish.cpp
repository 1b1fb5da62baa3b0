#include "supple/pipeline/deliver/finish.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "supple/attach/named_regions.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/job/job.h"
#include "supple/pipeline/setup/maps.h"

namespace supple::pipeline {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBlendWidth = 0.05;    // of the size: over which a region fades into what is around it...
constexpr double kBlendEdges = 4;       // ...but no less than so many edges
constexpr int kBlendPasses = 3;         // that take the edges' directions out of distances along them
constexpr double kLeastLimit = 1e-3;    // [m] that fades beyond a region; inside it may be less
constexpr double kShortestEdge = 0.05;  // of the mean: shorter ones count as this
constexpr double kDeviations = 4;       // of the Gaussian are counted
constexpr Eigen::Index kBlock = 768;    // values that are smoothed over time together

double fade(double t) { return 1 - t * t * (3 - 2 * t); }

FinishInput input_of(const Job& job);

bool any_set(const OutputConfig& o, const std::vector<RegionMembers>& regions) {
  return o.mix != 1 || !o.mix_map.empty() || !o.mix_keys.empty() || o.limit_m || o.axis || o.smooth > 0 ||
         o.smooth_frames > 0 || std::any_of(regions.begin(), regions.end(), [](const RegionMembers& r) {
           return r.region->mix || r.region->limit_m || r.region->axis;
         });
}

}  // namespace

void smooth_over_time(std::vector<VecX>& frames, double deviation, int period) {
  if (frames.empty() || deviation <= 0) return;
  const int n = static_cast<int>(frames.size());
  const int wide = static_cast<int>(std::ceil(kDeviations * deviation)),
            reach = period > 0 ? wide : std::min(wide, n - 1);
  std::vector<double> weight;
  for (int k = -reach; k <= reach; ++k) weight.push_back(std::exp(-0.5 * k * k / (deviation * deviation)));
  const Eigen::Index size = frames[0].size();
  const auto blocks = static_cast<size_t>((size + kBlock - 1) / kBlock);
  parallel_for(blocks, 1, [&](size_t first, size_t last) {
    for (size_t b = first; b < last; ++b) {
      const Eigen::Index begin = static_cast<Eigen::Index>(b) * kBlock, length = std::min(kBlock, size - begin);
      Eigen::MatrixXd before(length, n);
      for (int f = 0; f < n; ++f) before.col(f) = frames[static_cast<size_t>(f)].segment(begin, length);
      for (int f = 0; f < n; ++f) {
        VecX mean = VecX::Zero(length);
        double sum = 0;
        for (int k = -reach; k <= reach; ++k) {
          int at = f + k;
          if (period > 0) at = (at % period + period) % period;
          if (at < 0 || at >= n) continue;
          const double w = weight[static_cast<size_t>(k + reach)];
          mean += w * before.col(at), sum += w;
        }
        frames[static_cast<size_t>(f)].segment(begin, length) = mean / sum;
      }
    }
  });
}

SurfaceGraph::SurfaceGraph(const TriMesh& mesh) {
  std::map<std::array<double, 3>, int> places;
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    const Vec3& x = mesh.vertices[v];
    same_.push_back(places.try_emplace({x[0], x[1], x[2]}, v).first->second);
  }
  std::vector<std::map<int, double>> rings(mesh.vertices.size());
  double sum = 0, count = 0;
  for (const Tri& t : mesh.triangles)
    for (int a : t)
      for (int b : t) {
        const int i = same_[a], j = same_[b];
        if (i == j) continue;
        const double length = (mesh.vertices[i] - mesh.vertices[j]).norm();
        if (rings[i].try_emplace(j, length).second) sum += length, count += 1;
      }
  mean_edge_ = count > 0 ? sum / count : 0;
  start_.push_back(0);
  for (int v = 0; v < mesh.n_vertices(); ++v) {
    double all = 0;
    for (const auto& [j, length] : rings[same_[v]]) all += 1 / std::max(length, kShortestEdge * mean_edge_);
    for (const auto& [j, length] : rings[same_[v]])
      ring_.push_back({j, length, 1 / std::max(length, kShortestEdge * mean_edge_) / all});
    start_.push_back(static_cast<int>(ring_.size()));
  }
}

void SurfaceGraph::smooth(VecX& d, int passes, const std::vector<char>& hard) const {
  VecX next = d;
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t v = 0; v < same_.size(); ++v) {
      if (hard[v] || start_[v] == start_[v + 1]) continue;
      Vec3 mean = Vec3::Zero();
      for (int k = start_[v]; k < start_[v + 1]; ++k) mean += ring_[k].weight * d.segment<3>(3 * ring_[k].vertex);
      const auto at = 3 * static_cast<Eigen::Index>(v);
      next.segment<3>(at) = 0.5 * (d.segment<3>(at) + mean);
    }
    d.swap(next);
  }
}

std::vector<double> SurfaceGraph::falloff(const std::vector<char>& members, double width) const {
  const size_t n = same_.size();
  std::vector<char> on(n, 0);
  for (size_t v = 0; v < n; ++v)
    if (members[v]) on[same_[v]] = 1;
  std::vector<double> t(n, 1);  // distance from the members, in widths
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  for (size_t v = 0; v < n; ++v)
    if (on[v]) t[v] = 0, open.emplace(0.0, static_cast<int>(v));
  while (!open.empty()) {
    const auto [at, v] = open.top();
    open.pop();
    if (at > t[v]) continue;
    for (int k = start_[v]; k < start_[v + 1]; ++k) {
      const double further = at + (width > 0 ? ring_[k].length / width : 1);
      if (further < t[ring_[k].vertex]) open.emplace(t[ring_[k].vertex] = further, ring_[k].vertex);
    }
  }
  for (int pass = 0; pass < kBlendPasses; ++pass) {
    const std::vector<double> before = t;
    for (size_t v = 0; v < n; ++v) {
      if (on[v] || start_[v] == start_[v + 1]) continue;
      double mean = 0;
      for (int k = start_[v]; k < start_[v + 1]; ++k) mean += ring_[k].weight * before[ring_[k].vertex];
      t[v] = 0.5 * (before[v] + mean);
    }
  }
  std::vector<double> weight(n);
  for (size_t v = 0; v < n; ++v) weight[v] = fade(t[same_[v]]);
  return weight;
}

Finish::Finish(const Job& job) : Finish(job.config.output, input_of(job)) {}

Finish::Finish(const OutputConfig& output, FinishInput input)
    : idle_(!any_set(output, input.regions)),
      passes_(output.smooth),
      deviation_(output.smooth_frames),
      in_(std::move(input)),
      graph_(idle_ ? TriMesh() : in_.mesh) {
  if (!idle_) set_fields(output);
}

void Finish::set_fields(const OutputConfig& output) {
  const size_t n = in_.mesh.vertices.size();
  const double width = std::max(kBlendWidth * longest_side(in_.mesh.vertices), kBlendEdges * graph_.mean_edge());
  mix_.assign(n, 1);
  axis_.assign(n, output.axis.value_or(Vec3::Ones()));
  scales_axes_ = output.axis.has_value();
  for (const RegionMembers& r : in_.regions) {
    if (!r.region->mix && !r.region->axis) continue;
    const std::vector<double> inside = graph_.falloff(r.on, width);
    scales_axes_ = scales_axes_ || r.region->axis;
    for (size_t v = 0; v < n; ++v) {
      if (r.region->mix) mix_[v] += inside[v] * (*r.region->mix - mix_[v]);
      if (r.region->axis) axis_[v] += inside[v] * (*r.region->axis - axis_[v]);
    }
  }
  for (size_t v = 0; v < n; ++v) mix_[v] *= output.mix * (in_.painted.empty() ? 1 : in_.painted[v]);
  set_limits(output, width);
}

// No vertex gets more than the limit it lies in, so that the lower of two limits fades into the area of the other.
void Finish::set_limits(const OutputConfig& output, double width) {
  const size_t n = in_.mesh.vertices.size();
  std::vector<double> own(n, output.limit_m.value_or(kInfinity));
  for (const RegionMembers& r : in_.regions)
    for (size_t v = 0; v < n && r.region->limit_m; ++v)
      if (r.on[v]) own[v] = *r.region->limit_m;
  std::map<double, std::vector<char>, std::greater<>> areas;
  for (size_t v = 0; v < n; ++v) {
    std::vector<char>& area = areas[own[v]];
    area.resize(n, 0);
    area[v] = 1;
  }
  // One over the limit blends: none at all is 0.
  std::vector<double> inverse(n, 0);
  bool first = true;
  for (const auto& [limit, area] : areas) {
    const double there = 1 / std::max(limit, kLeastLimit);
    const std::vector<double> inside = first ? std::vector<double>(n, 1) : graph_.falloff(area, width);
    for (size_t v = 0; v < n; ++v) inverse[v] += inside[v] * (there - inverse[v]);
    limits_any_ = limits_any_ || std::isfinite(limit);
    first = false;
  }
  limit_.resize(n);
  for (size_t v = 0; v < n; ++v) limit_[v] = std::min(own[v], inverse[v] > 0 ? 1 / inverse[v] : kInfinity);
}

void Finish::show(int frame, VecX& d) const {
  const double key = in_.keys.at(frame);
  for (size_t v = 0; v < mix_.size(); ++v) {
    if (in_.hard[v]) continue;
    auto x = d.segment<3>(3 * static_cast<Eigen::Index>(v));
    x *= mix_[v] * key;
    if (!std::isfinite(limit_[v])) continue;
    const double length = x.norm();
    if (length > 0.5 * limit_[v]) x *= limited(length, limit_[v]) / length;
  }
}

void Finish::apply(std::vector<VecX>& departures, const LocalFrames& local) const {
  if (idle_) return;
  const auto each = [&](auto&& what) {
    parallel_for(departures.size(), 1, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f) what(static_cast<int>(f), departures[f]);
    });
  };
  const auto turn = [&](VecX& d, const std::vector<Mat3>& R, bool back) {
    for (size_t v = 0; v < R.size(); ++v) {
      auto x = d.segment<3>(3 * static_cast<Eigen::Index>(v));
      if (!in_.hard[v]) x = back ? Vec3(R[v].transpose() * x) : Vec3(R[v] * x);
    }
  };
  const bool over_time = deviation_ > 0;
  each([&](int f, VecX& d) {
    const std::vector<Mat3> R = over_time || scales_axes_ ? local(f) : std::vector<Mat3>();
    for (size_t v = 0; v < R.size() && scales_axes_; ++v) {
      auto x = d.segment<3>(3 * static_cast<Eigen::Index>(v));
      if (!in_.hard[v] && axis_[v] != Vec3::Ones()) x = axis_scaled(R[v], axis_[v], x);
    }
    graph_.smooth(d, passes_, in_.hard);
    // Over time each local direction by itself: a limb that turns keeps its motion, and a loop repeats.
    if (over_time) turn(d, R, true);
    if (!over_time) show(f, d);
  });
  if (!over_time) return;
  smooth_over_time(departures, deviation_, in_.period);
  each([&](int f, VecX& d) {
    turn(d, local(f), false);
    show(f, d);
  });
}

namespace {

// Of a region that says where it is: there; of others: where its tets are below.
std::vector<RegionMembers> members_of(const SceneConfig& config, const TetMesh& mesh, const DepartingSurface& surface) {
  const size_t n = surface.tet.size();
  std::vector<RegionMembers> list;
  for (const RegionConfig& r : config.regions)
    for (const std::string& name : names_of(r)) {
      RegionMembers m{&r, std::vector<char>(n, 0)};
      const auto& named = surface.named;
      const auto on_skin = std::find_if(named.begin(), named.end(), [&](const auto& x) { return x.name == name; });
      const auto in_tets = std::find(mesh.region_names.begin(), mesh.region_names.end(), name);
      if (on_skin != named.end()) {
        m.on = on_skin->on_skin;
      } else if (in_tets != mesh.region_names.end()) {
        const auto index = static_cast<int>(in_tets - mesh.region_names.begin());
        for (size_t v = 0; v < n; ++v) m.on[v] = mesh.tet_region[surface.tet[v]] == index;
      }
      list.push_back(std::move(m));
    }
  return list;
}

FinishInput input_of(const Job& job) {
  const OutputConfig& o = job.config.output;
  FinishInput in;
  std::vector<RegionMembers> said;
  for (const RegionConfig& r : job.config.regions) said.push_back({&r, {}});
  if (!any_set(o, said)) return in;
  DepartingSurface surface = job.subject->departing(job.config, job.body->base, job.surface);
  in.regions = members_of(job.config, job.body->base.mesh, surface);
  in.mesh = std::move(surface.mesh);
  in.hard = std::move(surface.hard);
  in.painted = std::move(surface.painted);
  in.keys.keys = o.mix_keys.file.empty() ? o.mix_keys.keys : read_dial_keys(o.mix_keys.file.path, true);
  for (auto& key : in.keys.keys) key[0] -= job.shot.first_frame;
  if (job.shot.start.loop) in.period = job.shot.start.period;
  return in;
}

}  // namespace

const std::vector<std::string>& finish_keys() {
  static const std::vector<std::string> keys = {
      "output.mix",    "output.mix_map",       "output.mix_keys",   "output.limit_m", "output.axis",
      "output.smooth", "output.smooth_frames", "region.mix",        "region.limit_m", "region.axis",
      "enrich.blend",  "enrich.blend_map",     "enrich.blend_keys", "enrich.detail",  "enrich.rigid"};
  return keys;
}

}  // namespace supple::pipeline
