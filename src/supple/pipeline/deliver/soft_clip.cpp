#include "supple/pipeline/deliver/soft_clip.h"

#include <algorithm>
#include <map>
#include <set>

#include "supple/anim/before_skin.h"
#include "supple/anim/clip_frames.h"
#include "supple/base/parallel.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/linalg/svd3.h"
#include "supple/mesh/rigid_fit.h"

namespace supple::pipeline {

namespace {

// Normals of the bound shape as it is displaced: those of the file, turned as the surface around turns.
class NormalChange {
 public:
  explicit NormalChange(const Drawn& drawn) : drawn_(drawn) {
    const std::vector<char> all(static_cast<size_t>(drawn.n_vertices()), 1);
    n_welded_ = weld(drawn, all, welded_);
    for (Tri t : drawn.triangles) {
      for (int& v : t) v = welded_[v];
      triangles_.push_back(t);
    }
    before_ = vertex_normals(gathered({}), triangles_);
  }

  // Changes of drawn.normals for displacements `d` of the bound vertices; exactly zero where nothing around moves.
  Points at(const Points& d) const {
    const Points after = vertex_normals(gathered(d), triangles_);
    Points change(d.size(), Vec3::Zero());
    for (size_t v = 0; v < d.size(); ++v) {
      const Vec3 &a = before_[welded_[v]], &b = after[welded_[v]];
      if (a == b) continue;
      change[v] = turn_between(a, b) * drawn_.normals[v] - drawn_.normals[v];
    }
    return change;
  }

 private:
  Points gathered(const Points& d) const {
    Points x(static_cast<size_t>(n_welded_));
    for (int v = 0; v < drawn_.n_vertices(); ++v)
      x[welded_[v]] = d.empty() ? drawn_.vertices.rest[v] : Vec3(drawn_.vertices.rest[v] + d[v]);
    return x;
  }
  const Drawn& drawn_;
  std::vector<int> welded_;
  std::vector<Tri> triangles_;
  int n_welded_ = 0;
  Points before_;
};

}  // namespace

std::vector<SoftMesh> soft_meshes(const CharacterSetup& c, const std::vector<Points>& bound,
                                  const std::vector<Eigen::VectorXf>& stretch) {
  const Drawn& drawn = c.drawn;
  const NormalChange normals(drawn);
  const size_t n_primitives = drawn.primitives.size();
  std::vector<std::vector<VecX>> positions(n_primitives, std::vector<VecX>(bound.size())), normal_changes = positions;
  const auto put_frame = [&](size_t at) {
    const Points change = normals.at(bound[at]);
    for (size_t k = 0; k < n_primitives; ++k) {
      const DrawnPrimitive& p = drawn.primitives[k];
      const Mat3 to_file = p.to_world.linear().inverse(), turn = polar3(p.to_world.linear()).R.transpose();
      VecX x(3 * p.n_vertices), n(3 * p.n_vertices);
      for (int v = 0; v < p.n_vertices; ++v) {
        x.segment<3>(3 * v) = to_file * bound[at][p.first_vertex + v];
        n.segment<3>(3 * v) = turn * change[p.first_vertex + v];
      }
      positions[k][at] = std::move(x);
      normal_changes[k][at] = std::move(n);
    }
  };
  parallel_for(bound.size(), 1, [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) put_frame(at);
  });
  std::map<int, SoftMesh> meshes;
  for (size_t k = 0; k < n_primitives; ++k) {
    if (std::all_of(positions[k].begin(), positions[k].end(), [](const VecX& x) { return x.isZero(0); })) continue;
    const DrawnPrimitive& p = drawn.primitives[k];
    SoftMesh& m = meshes[p.node];
    m.node = p.node;
    m.primitives.push_back(p.primitive);
    m.positions.push_back(std::move(positions[k]));
    m.normals.push_back(std::move(normal_changes[k]));
    if (stretch.empty()) continue;
    const auto of_mesh = static_cast<float>(svd3(p.to_world.linear()).sigma[0]);
    m.stretch.emplace_back();
    for (const Eigen::VectorXf& frame : stretch)
      m.stretch.back().push_back(of_mesh * frame.segment(p.first_vertex, p.n_vertices));
  }
  std::vector<SoftMesh> out;
  for (auto& [node, m] : meshes) {
    // A mesh has normals for all of its primitives or gets no changes of them.
    const auto& primitives = c.character.meshes[c.character.nodes[node].mesh].primitives;
    if (std::any_of(m.primitives.begin(), m.primitives.end(), [&](int k) { return primitives[k].normals.empty(); }))
      m.normals.clear();
    out.push_back(std::move(m));
  }
  return out;
}

bool has_soft_clip(const Subject& subject) {
  const CharacterSubject* character = subject.character();
  return character && !character->setup().cached && !character->setup().character.clips.empty();
}

SoftClip soft_clip(const Job& job, const DeliveredRun& run, std::vector<Departure> departures) {
  const CharacterSubject& subject = *job.subject->character();
  const CharacterSetup& c = subject.setup();
  const ClipFrames& frames_of_clip = subject.clip();
  const Drawn& drawn = c.drawn;
  const Clip& clip = find_clip(c.character, job.config.surface.clip);
  SoftClip out;
  out.name = clip.name;
  out.sources = clip.sources;
  // The drawing of a character is a character's.
  const auto& delivery = static_cast<const CharacterDrawing&>(run.drawing());
  // Riders that are nodes of their own are keyed, and their vertices left alone.
  std::map<int, SoftNode> keyed;
  for (const HardRider& rider : delivery.riding().hard_riders())
    if (rider.node >= 0) keyed[rider.node].node = rider.node;
  std::vector<int> frames;
  for (int f = 0; f < run.n_frames(); f += job.config.output.every) {
    const double t =
        frames_of_clip.times[std::min(static_cast<size_t>(job.shot.first_frame + f), frames_of_clip.times.size() - 1)];
    if (!out.times.empty() && t <= out.times.back()) break;  // held beyond the clip
    out.times.push_back(t);
    frames.push_back(f);
  }
  std::vector<Points> all(frames.size());
  std::vector<Eigen::VectorXf> stretch(frames.size());
  std::vector<double> faded(frames.size());
  std::vector<std::vector<RigidMotion>> motions(frames.size());
  const auto put_frame = [&](size_t at) {
    Departure d = std::move(departures[static_cast<size_t>(frames[at])]);
    const std::vector<Mat3> skin = posed_frames(drawn.vertices, delivery.pose(frames[at]));
    for (const DrawnPrimitive& p : drawn.primitives)
      if (keyed.count(p.node))
        for (int v = 0; v < p.n_vertices; ++v) d.offsets[p.first_vertex + v].setZero();
    BeforeSkin before = before_skin(skin, d.offsets);
    all[at] = std::move(before.displacements);
    stretch[at] = std::move(before.stretch);
    faded[at] = before.faded;
    motions[at] = std::move(d.motions);
  };
  parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t at = begin; at < end; ++at) put_frame(at);
  });
  for (size_t at = 0; at < frames.size(); ++at) {
    const double t = out.times[at];
    for (const NodeKey& key : delivery.riding().node_keys(c.character, node_placements(c.character, clip, t),
                                                          node_matrices(c.character, clip, t), motions[at])) {
      keyed[key.node].translations.push_back(key.local.translation);
      keyed[key.node].rotations.push_back(key.local.rotation.coeffs());
    }
  }
  // A test motion is in no animation of the file: its nodes are keyed as well.
  std::vector<int> moved;
  for (const Channel& channel : clip.channels)
    if (clip.is_test && channel.path == ChannelPath::translation && !keyed.count(channel.node))
      moved.push_back(channel.node), keyed[channel.node].node = channel.node;
  for (size_t at = 0; at < out.times.size() && !moved.empty(); ++at) {
    const std::vector<Placement> places = node_placements(c.character, clip, out.times[at]);
    for (const int node : moved) {
      keyed[node].translations.push_back(places[static_cast<size_t>(node)].translation);
      keyed[node].rotations.push_back(places[static_cast<size_t>(node)].rotation.coeffs());
    }
  }
  for (auto& [node, keys] : keyed) out.nodes.push_back(std::move(keys));
  out.meshes = soft_meshes(c, all, stretch);
  out.size = c.size();
  out.faded = faded.empty() ? 0 : *std::max_element(faded.begin(), faded.end());
  return out;
}

PointCache read_soft_clip(const std::string& file, const Job& job, int n_frames, std::string& name) {
  const CharacterSetup& c = job.subject->character()->setup();
  const Clip& clip = find_clip(c.character, job.config.surface.clip);
  const std::vector<double> times = frames_of(c.character, c.drawn, clip, job.shot.fps).times;
  const Character character = read_gltf(file);
  const auto named = [&](const std::string& text) {
    return std::find_if(character.clips.begin(), character.clips.end(), [&](const Clip& k) { return k.name == text; });
  };
  const auto none = character.clips.end();
  auto at = named(clip.name + ".soft");
  if (at == none && named(clip.name + ".rigid") != none) at = named(clip.name);  // it took the place of the artist's
  const Drawn drawn = lay_out(character);
  PointCache out;
  if (at == none || drawn.n_vertices() != c.drawn.n_vertices()) return out;
  name = at->name;
  out.n_points = drawn.n_vertices(), out.n_samples = n_frames;
  out.xyz.resize(3 * drawn.vertices.rest.size() * static_cast<size_t>(n_frames));
  parallel_for(static_cast<size_t>(n_frames), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const size_t frame = std::min(static_cast<size_t>(job.shot.first_frame) + f, times.size() - 1);
      float* to = out.xyz.data() + 3 * drawn.vertices.rest.size() * f;
      for (const Vec3& x : posed(drawn.vertices, pose_at(character, drawn, *at, times[frame])))
        for (int a = 0; a < 3; ++a) *to++ = static_cast<float>(x[a]);
    }
  });
  return out;
}

SoftGlbOptions glb_options(const OutputConfig& output) {
  return {.accuracy = output.accuracy,
          .max_growth = output.max_growth,
          .max_megabytes = output.max_size.value_or(0),
          .max_targets = output.max_targets};
}

void put_glb_report(const SoftGlbReport& report, Json& output) {
  output["bytes"] = report.bytes;
  output["growth"] = report.growth;
  output["targets"] = report.targets;
  output["max_error_share"] = report.max_error_share;
  output["max_error_of_departure"] = report.max_error_of_departure;
  output["faded_share"] = report.faded_share;
  output["limited"] = report.limited;
  output["clips"] = Json::list(report.clips);
}

}  // namespace supple::pipeline
