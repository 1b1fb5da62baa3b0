#include "supple/io/gltf/vrm_spring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/base/index.h"
#include "supple/io/gltf/bones_parts.h"

namespace supple {

namespace {

constexpr const char* kExtension = "VRMC_springBone";

void require_region(const GlbDocument& doc, const Drawn& drawn, const SpringRegion& region, std::set<int>& taken) {
  const std::string place = fmt::format("region '{}'", region.name);
  auto refuse = [&](const std::string& what) { doc.fail(place, "not written: " + what); };
  if (region.bone < 0 || at(region.bone) >= drawn.bones.size()) refuse(fmt::format("there is no bone {}", region.bone));
  if (region.center >= static_cast<int>(doc.file().nodes.size())) refuse("its center is not in the file");
  if (!region.hinge.allFinite() || !region.tail.allFinite() || !((region.tail - region.hinge).norm() > 0)) {
    refuse("hinge and tail should be finite and apart");
  }
  if (!(region.hit_radius >= 0) || !std::isfinite(region.hit_radius)) refuse("its hit radius should be at least 0");
  if (region.weights.size() != region.vertices.size()) {
    refuse(fmt::format("{} vertices, but {} weights", region.vertices.size(), region.weights.size()));
  }
  for (const int v : region.vertices) {
    if (v < 0 || v >= drawn.n_vertices()) refuse(fmt::format("there is no vertex {}", v));
    if (!taken.insert(v).second) refuse(fmt::format("vertex {} is in it twice or in another region too", v));
  }
}

SkinWeights weights_of(const SkinWeights& skin, const std::vector<int>& points) {
  SkinWeights out;
  for (const int v : points) {
    for (int k = skin.first[at(v)]; k < skin.first[at(v) + 1]; ++k) {
      out.bone.push_back(skin.bone[at(k)]);
      out.weight.push_back(skin.weight[at(k)]);
    }
    out.first.push_back(static_cast<int>(out.bone.size()));
  }
  return out;
}

void append(SkinWeights& list, const SkinWeights& more) {
  for (size_t v = 0; v + 1 < more.first.size(); ++v) {
    for (int k = more.first[v]; k < more.first[v + 1]; ++k) {
      list.bone.push_back(more.bone[at(k)]);
      list.weight.push_back(more.weight[at(k)]);
    }
    list.first.push_back(static_cast<int>(list.bone.size()));
  }
}

// The list of springs, with all that leads to it.
OrderedJson& springs_of(GlbDocument& doc, std::vector<std::string>& warnings) {
  OrderedJson& json = doc.json();
  OrderedJson& used = json["extensionsUsed"];
  if (std::find(used.begin(), used.end(), kExtension) == used.end()) used.push_back(kExtension);
  if (json.contains("extensions") && json["extensions"].contains("VRM")) {
    warnings.push_back("the file is VRM 0.x, whose programs do not know these springs: convert it to VRM 1.0 first");
  } else if (!json.contains("extensions") || !json["extensions"].contains("VRMC_vrm")) {
    warnings.push_back("the file is no VRM avatar (VRMC_vrm): programs that take only those will not take it");
  }
  OrderedJson& springs = json["extensions"][kExtension];
  if (!springs.contains("specVersion")) springs["specVersion"] = "1.0";
  OrderedJson& list = springs["springs"];
  if (list.is_null()) list = OrderedJson::array();
  return list;
}

}  // namespace

SpringReport write_vrm_springs(const std::string& in, const std::string& out, const Drawn& drawn,
                               const std::vector<SpringRegion>& regions, double frame_rate) {
  SpringReport report;
  GlbDocument doc(in, report.warnings);
  try {
    require_same_file(doc, drawn);
    std::set<int> taken;
    std::vector<NewJoint> joints;
    std::vector<int> vertices;
    SkinWeights skin;
    for (const SpringRegion& region : regions) {
      require_region(doc, drawn, region, taken);
      const int joint = static_cast<int>(drawn.bones.size() + joints.size());
      append(skin, with_joint(weights_of(drawn.vertices.skin, region.vertices), region.bone, region.weights, joint));
      vertices.insert(vertices.end(), region.vertices.begin(), region.vertices.end());
      joints.push_back({region.name + "_spring", region.bone, region.hinge, -1});
    }
    add_joints(doc, drawn, joints);
    reskin(doc, drawn, vertices, skin, joints);
    OrderedJson* list = regions.empty() ? nullptr : &springs_of(doc, report.warnings);
    for (size_t r = 0; r < regions.size(); ++r) {
      const SpringRegion& region = regions[r];
      const Vec3 bone = region.tail - region.hinge;
      // The rule's lengths are those of the file.
      const SpringFit fit = fit_spring({.frequency_hz = region.frequency_hz,
                                        .half_life_s = region.half_life_s,
                                        .length = bone.norm() / drawn.scale,
                                        .direction = bone,
                                        .sag_rad = region.sag_rad,
                                        .gravity_dir = region.gravity_dir,
                                        .frame_rate = frame_rate});
      for (const std::string& note : fit.notes) report.warnings.push_back(fmt::format("{}: {}", region.name, note));
      const Vec3 at_tail = drawn.bones[at(region.bone)].from_bound.linear() * bone;
      const int tail = add_node(doc, joints[r].node, free_node_name(doc, joints[r].name + "_end"), at_tail);
      const SpringSettings& s = fit.settings;
      OrderedJson spring = {{"name", region.name}};
      spring["joints"].push_back({{"node", joints[r].node},
                                  {"hitRadius", region.hit_radius / drawn.scale},
                                  {"stiffness", s.stiffness},
                                  {"gravityPower", s.gravity_power},
                                  {"gravityDir", {s.gravity_dir[0], s.gravity_dir[1], s.gravity_dir[2]}},
                                  {"dragForce", s.drag}});
      spring["joints"].push_back({{"node", tail}});
      if (region.center >= 0) spring["center"] = region.center;
      list->push_back(std::move(spring));
      report.joints.push_back(joints[r].name);
      report.fits.push_back(fit);
    }
    doc.write(out);
    report.bytes = doc.size();
  } catch (const nlohmann::json::exception& error) {
    doc.fail_of_kind(error);
  }
  return report;
}

}  // namespace supple
