#include "supple/io/gltf/soft_glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "supple/io/gltf/soft_parts.h"

namespace supple {

namespace {

class ClipRequirements {
 public:
  ClipRequirements(const GlbDocument& doc, const SoftClip& clip) : doc_(doc), clip_(clip) {}

  void check() {
    require_times();
    for (const int source : clip_.sources) {
      if (source < 0 || source >= static_cast<int>(doc_.file().animations.size())) {
        refuse("", fmt::format("animation {} is not in the file", source));
      }
    }
    std::set<int> seen;
    for (const SoftMesh& mesh : clip_.meshes) {
      require_node(mesh.node);
      if (!seen.insert(mesh.node).second) refuse(node_name(mesh.node), "it is there twice");
      require_mesh(mesh);
    }
    seen.clear();
    for (const SoftNode& node : clip_.nodes) {
      require_node(node.node);
      if (!seen.insert(node.node).second) refuse(node_name(node.node), "its placement is there twice");
      require_placements(node);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& place, const std::string& what) const {
    doc_.fail(fmt::format("clip '{}'{}{}", clip_.name, place.empty() ? "" : ", ", place), "not written: " + what);
  }
  std::string node_name(int node) const {
    return gltf_place("node", static_cast<size_t>(node), doc_.file().nodes[static_cast<size_t>(node)].name);
  }

  void require_times() const {
    if (clip_.times.empty()) refuse("", "it has no frames");
    for (size_t i = 0; i < clip_.times.size(); ++i) {
      const std::string place = fmt::format("frame {}", i);
      if (!std::isfinite(clip_.times[i]) || clip_.times[i] < 0) refuse(place, "its time should be at least 0");
      if (i > 0 && static_cast<float>(clip_.times[i]) <= static_cast<float>(clip_.times[i - 1])) {
        refuse(place, "its time should be later than that of the frame before");
      }
    }
  }
  void require_node(int node) const {
    if (node < 0 || node >= static_cast<int>(doc_.file().nodes.size())) {
      refuse("", fmt::format("node {} is not in the file", node));
    }
  }

  void require_mesh(const SoftMesh& mesh) const {
    const std::string name = node_name(mesh.node);
    const int index = doc_.file().nodes[static_cast<size_t>(mesh.node)].mesh;
    if (index < 0) refuse(name, "it shows no mesh");
    const auto& primitives = doc_.file().meshes[static_cast<size_t>(index)].primitives;
    if (primitives.empty()) refuse(name, "its mesh has no primitives");
    for (const GltfPrimitive& p : primitives) {
      if (p.targets.size() != primitives[0].targets.size()) {
        refuse(name, "the primitives of its mesh differ in the number of targets");
      }
    }
    if (mesh.positions.size() != mesh.primitives.size()) {
      refuse(name, fmt::format("{} primitives move but there are displacements of {}", mesh.primitives.size(),
                               mesh.positions.size()));
    }
    if (!mesh.normals.empty() && mesh.normals.size() != mesh.primitives.size()) {
      refuse(name, fmt::format("{} primitives move but there are normals of {}", mesh.primitives.size(),
                               mesh.normals.size()));
    }
    std::set<int> seen;
    for (size_t e = 0; e < mesh.primitives.size(); ++e) {
      const int p = mesh.primitives[e];
      if (p < 0 || p >= static_cast<int>(primitives.size()))
        refuse(name, fmt::format("its mesh has no primitive {}", p));
      if (!seen.insert(p).second) refuse(name, fmt::format("primitive {} is there twice", p));
      const size_t n = base_positions(doc_, index, p).size() / 3;
      const std::string place = fmt::format("{}, primitive {}", name, p);
      require_frames(mesh.positions[e], n, place, "displacement");
      if (!mesh.normals.empty()) require_frames(mesh.normals[e], n, place, "change of the normal");
    }
  }

  void require_frames(const std::vector<VecX>& frames, size_t n_vertices, const std::string& place,
                      const char* what) const {
    if (frames.size() != clip_.times.size()) {
      refuse(place, fmt::format("there are {} frames of it, but {} times", frames.size(), clip_.times.size()));
    }
    for (size_t f = 0; f < frames.size(); ++f) {
      if (frames[f].size() != 3 * static_cast<Eigen::Index>(n_vertices)) {
        refuse(fmt::format("{}, frame {}", place, f),
               fmt::format("{} numbers for {} vertices of 3", frames[f].size(), n_vertices));
      }
      // Single precision must hold sums of them.
      auto good = [](double x) { return std::abs(x) < 1e30; };
      for (Eigen::Index i = 0; i < frames[f].size(); ++i) {
        if (good(frames[f][i])) continue;
        refuse(fmt::format("{}, frame {}, vertex {}", place, f, i / 3), fmt::format("its {} is not finite", what));
      }
    }
  }

  void require_placements(const SoftNode& node) const {
    const std::string name = node_name(node.node);
    const size_t n = clip_.times.size();
    const bool fits = (node.translations.empty() || node.translations.size() == n) &&
                      (node.rotations.empty() || node.rotations.size() == n);
    if (!fits) refuse(name, fmt::format("it should have a placement for each of the {} frames", n));
    for (size_t f = 0; f < n; ++f) {
      const bool good = (node.translations.empty() || node.translations[f].allFinite()) &&
                        (node.rotations.empty() || (node.rotations[f].allFinite() && node.rotations[f].norm() > 1e-6));
      if (!good) refuse(fmt::format("{}, frame {}", name, f), "its placement is not finite or no rotation");
    }
  }

  const GlbDocument& doc_;
  const SoftClip& clip_;
};

}  // namespace

void require_clips(const GlbDocument& doc, const std::vector<SoftClip>& clips, const SoftGlbOptions& options) {
  if (!(options.tolerance >= 0) || options.max_targets < 2 || !(options.budget_mb > 0)) {
    doc.fail("", "not written: the tolerance and the budget should be positive, and two targets allowed or more");
  }
  for (const SoftClip& clip : clips) ClipRequirements(doc, clip).check();
}

SoftGlbReport write_soft_glb(const std::string& in, const std::string& out, const std::vector<SoftClip>& clips,
                             const SoftGlbOptions& options) {
  SoftGlbReport report;
  GlbDocument doc(in, report.warnings);
  try {
    require_clips(doc, clips, options);
    const size_t before = doc.size();
    std::vector<SoftBasis> bases = fit_soft_meshes(doc, clips, options);
    keep_within_budget(bases, options, report.warnings);
    for (SoftBasis& basis : bases) {
      lift_weights(basis);
      add_targets(doc, basis);
      const double error = written_error(doc, basis);
      const double share = basis.size > 0 ? error / basis.size : 0;
      report.targets = std::max(report.targets, basis.n_targets);
      report.max_error = std::max(report.max_error, error);
      report.max_error_share = std::max(report.max_error_share, share);
      if (share > options.tolerance) {
        report.warnings.push_back(fmt::format("{}: {} targets leave an error of {:.2g} of its size, more than {:.2g}",
                                              gltf_place("mesh", static_cast<size_t>(basis.mesh),
                                                         doc.file().meshes[static_cast<size_t>(basis.mesh)].name),
                                              basis.n_targets, share, options.tolerance));
      }
    }
    widen_animations(doc, bases, report.warnings);
    report.clips = add_animations(doc, clips, bases, {.replace = options.replace}, report.warnings);
    doc.write(out);
    report.bytes = doc.size();
    report.bytes_added = report.bytes - std::min(before, report.bytes);
  } catch (const nlohmann::json::exception& error) {
    doc.fail_of_kind(error);
  }
  return report;
}

}  // namespace supple
