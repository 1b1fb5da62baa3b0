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
      if (!mesh.stretch.empty()) require_stretch(mesh.stretch, e, n, place);
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

  void require_stretch(const std::vector<std::vector<Eigen::VectorXf>>& stretch, size_t entry, size_t n_vertices,
                       const std::string& place) const {
    const bool counted = entry < stretch.size() && stretch[entry].size() == clip_.times.size();
    for (size_t f = 0; counted && f < stretch[entry].size(); ++f) {
      const Eigen::VectorXf& s = stretch[entry][f];
      if (s.size() != static_cast<Eigen::Index>(n_vertices) || !s.allFinite() || (s.array() < 0).any())
        refuse(fmt::format("{}, frame {}", place, f), "its stretch should be a number of at least 0 for each vertex");
    }
    if (!counted) refuse(place, "its stretch should have all frames");
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

// Writes the clips into the document, with targets within the slack.
class SoftWriter {
 public:
  SoftWriter(const std::string& in, const std::vector<SoftClip>& clips, const SoftGlbOptions& options)
      : in_(in), clips_(clips), options_(options) {}

  SoftGlbReport write(const std::string& out) {
    double room = INFINITY;
    for (int attempt = 1;; ++attempt) {
      SoftGlbReport report;
      GlbDocument doc(in_, report.warnings);
      try {
        if (attempt == 1) fit(doc);
        const size_t before = doc.size();
        const double limit = limit_for(before);
        room = std::min(room, limit - static_cast<double>(before));
        const double slack = slack_within(shapes_, room);
        const std::vector<SoftBasis> bases = cut(slack);
        const std::vector<AddedClip> added = fill(doc, bases, report);
        // What else there is to write was not counted, or text was longer than thought.
        const double over = static_cast<double>(doc.size()) - limit;
        if (over > 0 && slack < slack_within(shapes_, 0) && attempt < kAttempts) {
          room = std::max(0.0, std::min(room, wanted_bytes(slack)) - 1.02 * over);
          continue;
        }
        measure_errors(errors_in(doc, bases, clips_, added), report);
        report.limited = report.limited || slack > 1;
        doc.write(out);
        report.bytes = doc.size();
        report.bytes_added = report.bytes - std::min(before, report.bytes);
        report.growth = static_cast<double>(report.bytes) / static_cast<double>(before);
        if (report.limited) report.warnings.push_back(limits_text(report, limit));
        return report;
      } catch (const nlohmann::json::exception& error) {
        doc.fail_of_kind(error);
      }
    }
  }

 private:
  static constexpr int kAttempts = 5;

  void fit(const GlbDocument& doc) {
    require_clips(doc, clips_, options_);
    for (const SoftClip& clip : clips_) measures_.push_back(measure(doc, clip, options_.accuracy));
    shapes_ = fit_soft_meshes(doc, clips_, measures_, options_);
  }

  double limit_for(size_t before) const {
    double limit = options_.max_growth > 0 ? options_.max_growth * static_cast<double>(before) : INFINITY;
    if (options_.max_megabytes > 0) limit = std::min(limit, 1e6 * options_.max_megabytes);
    return limit;
  }

  double wanted_bytes(double slack) const {
    double sum = 0;
    for (const SoftShapes& s : shapes_) sum += static_cast<double>(s.bytes(slack));
    return sum;
  }

  std::vector<SoftBasis> cut(double slack) const {
    std::vector<SoftBasis> bases;
    for (const SoftShapes& s : shapes_) bases.push_back(s.cut(slack));
    return bases;
  }

  std::vector<AddedClip> fill(GlbDocument& doc, const std::vector<SoftBasis>& bases, SoftGlbReport& report) const {
    for (const SoftBasis& basis : bases) {
      add_targets(doc, basis);
      report.targets = std::max(report.targets, basis.n_targets);
    }
    widen_animations(doc, bases, report.warnings);
    std::vector<AddedClip> added = add_animations(doc, clips_, bases, {.replace = options_.replace}, report.warnings);
    for (const AddedClip& clip : added) report.clips.push_back(clip.name);
    return added;
  }

  void measure_errors(const std::vector<double>& errors, SoftGlbReport& report) const {
    for (size_t c = 0; c < clips_.size(); ++c) {
      const SoftMeasure& m = measures_[c];
      report.max_error = std::max(report.max_error, errors[c]);
      if (m.size > 0) report.max_error_share = std::max(report.max_error_share, errors[c] / m.size);
      if (m.departure > 0)
        report.max_error_of_departure = std::max(report.max_error_of_departure, errors[c] / m.departure);
      if (m.size > 0) report.faded_share = std::max(report.faded_share, clips_[c].faded / m.size);
      report.limited = report.limited || errors[c] > m.tolerance;
    }
  }

  std::string limits_text(const SoftGlbReport& report, double limit) const {
    std::string limits = fmt::format("{} targets a mesh", options_.max_targets);
    if (std::isfinite(limit)) limits += fmt::format(" and {:.3g} MB", 1e-6 * limit);
    return fmt::format(
        "within {} vertices are off by up to {:.2g} % of the size, {:.2g} % of how far their clip departs", limits,
        100 * report.max_error_share, 100 * report.max_error_of_departure);
  }

  const std::string& in_;
  const std::vector<SoftClip>& clips_;
  const SoftGlbOptions& options_;
  std::vector<SoftMeasure> measures_;
  std::vector<SoftShapes> shapes_;
};

}  // namespace

void require_clips(const GlbDocument& doc, const std::vector<SoftClip>& clips, const SoftGlbOptions& options) {
  if (!(options.accuracy >= 0) || options.max_targets < 2 || !(options.max_growth >= 0) ||
      !(options.max_megabytes >= 0)) {
    doc.fail("", "not written: accuracy and limits should be at least 0, and two targets allowed or more");
  }
  for (const SoftClip& clip : clips) ClipRequirements(doc, clip).check();
}

SoftGlbReport write_soft_glb(const std::string& in, const std::string& out, const std::vector<SoftClip>& clips,
                             const SoftGlbOptions& options) {
  return SoftWriter(in, clips, options).write(out);
}

}  // namespace supple
