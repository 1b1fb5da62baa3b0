#include "supple/pipeline/live/bones.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/io/gltf/bones_glb.h"
#include "supple/io/gltf/vrm_spring.h"

namespace supple::pipeline::live {

namespace {

// Drawn vertices that a part moves more than any other does, each with one part.
std::vector<std::vector<int>> vertices_of_parts(const LivePack& pack) {
  std::map<int, std::vector<double>> reach;  // of every part
  for (size_t p = 0; p < pack.parts.size(); ++p)
    for (const LiveMode& m : pack.parts[p].modes)
      for (size_t i = 0; i < m.shape.vertices.size(); ++i) {
        std::vector<double>& r = reach[m.shape.vertices[i]];
        r.resize(pack.parts.size(), 0);
        r[p] += m.shape.positions[i].squaredNorm();
      }
  std::vector<std::vector<int>> out(pack.parts.size());
  for (const auto& [v, r] : reach) {
    const auto most = std::max_element(r.begin(), r.end());
    if (*most > 0) out[static_cast<size_t>(most - r.begin())].push_back(v);
  }
  return out;
}

int bone_of(const Drawn& drawn, const LivePart& part) {
  for (size_t b = 0; b < drawn.bones.size(); ++b)
    if (drawn.bones[b].node == part.node) return static_cast<int>(b);
  return -1;
}

SoftMotion motion_of(const CharacterSetup& c, const LiveBuild& build, const std::vector<int>& vertices,
                     std::vector<BonesClip>& clips) {
  SoftMotion motion;
  std::map<int, size_t> number;
  for (int v : vertices) {
    number[v] = motion.rest.size();
    motion.rest.push_back(c.drawn.vertices.rest[v]);
  }
  motion.skin = only(c.drawn.vertices.skin, vertices);
  for (size_t k = 0; k < build.clips.size(); ++k) {
    const ClipPlan& plan = build.clips[k];
    BonesClip clip{.name = plan.clip->name,
                   .sources = plan.clip->sources,
                   .times = plan.times,
                   .first_frame = static_cast<int>(motion.targets.size())};
    const std::vector<MatX> weights = baked_weights(build, k);
    for (size_t f = 0; f < clip.times.size(); ++f) {
      SkinnedPoints moved = c.drawn.vertices;
      for (size_t p = 0; p < build.pack.parts.size(); ++p)
        for (size_t m = 0; m < build.pack.parts[p].modes.size(); ++m) {
          const LiveShape& shape = build.pack.parts[p].modes[m].shape;
          const double w = weights[p](static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(m));
          for (size_t i = 0; i < shape.vertices.size(); ++i) moved.rest[shape.vertices[i]] += w * shape.positions[i];
        }
      const Pose pose = pose_at(c.character, c.drawn, *plan.clip, clip.times[f]);
      const Points all = posed(moved, pose);
      Points targets, morphed;
      for (int v : vertices) targets.push_back(all[v]);
      if (!c.drawn.vertices.morphs.empty()) {
        morphed = motion.rest;
        for (size_t m = 0; m < pose.morphs.size(); ++m) {
          const Morph& morph = c.drawn.vertices.morphs[m];
          for (size_t i = 0; i < morph.points.size(); ++i)
            if (const auto at = number.find(morph.points[i]); at != number.end())
              morphed[at->second] += pose.morphs[m] * morph.offsets[i];
        }
        motion.morphed.push_back(std::move(morphed));
      }
      motion.bones.push_back(pose.bones);
      motion.targets.push_back(std::move(targets));
    }
    clips.push_back(std::move(clip));
  }
  return motion;
}

}  // namespace

Json deliver_bones(const Job& job, const CharacterSetup& c, const LiveBuild& build, const std::string& out,
                   std::vector<std::string>& warnings) {
  if (build.clips.empty())
    throw InputError({.file = job.config.surface.file.text}, "has no clip, and bones are delivered with keys",
                     "deliver springs or live, or export a clip");
  const std::vector<std::vector<int>> of_part = vertices_of_parts(build.pack);
  std::vector<int> vertices;
  std::vector<SoftRegion> regions;
  for (size_t p = 0; p < of_part.size(); ++p) {
    SoftRegion r;
    r.name = build.pack.parts[p].name;
    r.bones = {bone_of(c.drawn, build.pack.parts[p])};
    r.max_helpers = job.config.live.joints;
    for (int v : of_part[p]) {
      r.vertices.push_back(static_cast<int>(vertices.size()));
      vertices.push_back(v);
    }
    regions.push_back(std::move(r));
  }
  std::vector<BonesClip> clips;
  const SoftMotion motion = motion_of(c, build, vertices, clips);
  const SkinDecomposition skin =
      decompose_skin(motion, regions, {.rms_share = job.config.live.joint_error, .size = c.size()});
  const BonesReport r = write_bones_glb(job.config.surface.file.path, out, c.drawn, vertices, skin, clips);
  warnings.insert(warnings.end(), r.warnings.begin(), r.warnings.end());
  Json json;
  json["helpers"] = r.helpers, json["keys"] = r.keys, json["bytes"] = r.bytes, json["clips"] = Json::list(r.clips);
  Json list(Json::Array{});
  for (const RegionFit& f : skin.regions) {
    Json one;
    one["name"] = f.name, one["helpers"] = f.helpers, one["rms_m"] = f.rms, one["max_m"] = f.max,
    one["peak_m"] = f.peak;
    one["rms_share"] = f.rms_share, one["max_share"] = f.max_share, one["met"] = f.met;
    list.push_back(std::move(one));
    if (f.rms_share > job.config.live.joint_error)
      warnings.push_back(fmt::format(
          "bones of '{}': {} joints leave {:.1f} % of its largest motion (rms), {:.0f} % at the worst vertex: raise "
          "live.joints",
          f.name, f.helpers, 100 * f.rms_share, 100 * f.max_share));
  }
  json["parts"] = std::move(list);
  return json;
}

Json deliver_springs(const Job& job, const CharacterSetup& c, const LiveBuild& build, const std::string& out,
                     std::vector<std::string>& warnings) {
  const std::vector<std::vector<int>> of_part = vertices_of_parts(build.pack);
  std::vector<SpringRegion> regions;
  std::vector<double> said;
  for (size_t p = 0; p < build.pack.parts.size(); ++p) {
    const LivePart& part = build.pack.parts[p];
    const auto slowest =
        std::min_element(part.modes.begin(), part.modes.end(),
                         [](const LiveMode& a, const LiveMode& b) { return a.frequency_hz < b.frequency_hz; });
    SpringRegion r;
    r.name = part.name, r.bone = bone_of(c.drawn, part), r.vertices = of_part[p];
    r.frequency_hz = slowest->frequency_hz * part.dials.frequency;
    r.half_life_s = std::numbers::ln2 / slowest->decay * part.dials.half_life;
    r.gravity_dir = build.pack.gravity.normalized();
    r.hinge = build.parts[p].hinge;
    double sum = 0;
    for (size_t i = 0; i < slowest->shape.vertices.size(); ++i) {
      const double w = slowest->shape.positions[i].squaredNorm();
      r.tail += w * c.drawn.vertices.rest[slowest->shape.vertices[i]], sum += w;
    }
    if (sum > 0) r.tail /= sum;
    if ((r.tail - r.hinge).norm() < 0.05 * part.size) r.hinge = c.drawn.bones[r.bone].head;
    const double length = std::max((r.tail - r.hinge).norm(), 1e-6),
                 square = std::pow(2 * std::numbers::pi * r.frequency_hz, 2);
    if (part.rest_gravity.isZero(0))
      r.sag_rad = std::min(0.6, part.dials.sag * build.pack.gravity.norm() / square / length);
    HingeShape hinge;
    std::map<int, Vec3> mode;
    const double push = Vec3(slowest->transfer[3], slowest->transfer[4], slowest->transfer[5]).norm();
    for (size_t i = 0; i < slowest->shape.vertices.size(); ++i)
      mode[slowest->shape.vertices[i]] = push * part.dials.amplitude * part.force_scale * slowest->shape.positions[i];
    for (int v : r.vertices) {
      hinge.rest.push_back(c.drawn.vertices.rest[v]);
      const auto at = mode.find(v);
      hinge.mode.push_back(at == mode.end() ? Vec3::Zero() : at->second);
    }
    hinge.skin = only(c.drawn.vertices.skin, r.vertices);
    hinge.bone = r.bone, hinge.hinge = r.hinge, hinge.tail = r.tail;
    const HingeWeights w = hinge_weights(hinge);
    r.weights = w.weights;
    said.push_back(w.share);
    regions.push_back(std::move(r));
  }
  const SpringReport r = write_vrm_springs(job.config.surface.file.path, out, c.drawn, regions);
  warnings.insert(warnings.end(), r.warnings.begin(), r.warnings.end());
  Json json;
  json["bytes"] = r.bytes, json["frame_rate"] = 60;
  Json list(Json::Array{});
  for (size_t p = 0; p < r.fits.size(); ++p) {
    const SpringFit& f = r.fits[p];
    Json one;
    one["name"] = regions[p].name, one["joint"] = r.joints[p];
    one["asked_frequency_hz"] = regions[p].frequency_hz, one["asked_half_life_s"] = regions[p].half_life_s;
    one["frequency_hz"] = f.frequency_hz, one["half_life_s"] = f.half_life_s, one["exact"] = f.exact;
    one["stiffness"] = f.settings.stiffness, one["drag"] = f.settings.drag,
    one["gravity_power"] = f.settings.gravity_power;
    one["mode_share"] = said[p];
    list.push_back(std::move(one));
  }
  json["parts"] = std::move(list);
  return json;
}

}  // namespace supple::pipeline::live
