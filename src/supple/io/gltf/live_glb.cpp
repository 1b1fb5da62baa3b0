#include "supple/io/gltf/live_glb.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "supple/anim/morph_basis.h"
#include "supple/io/gltf/live_parts.h"

namespace supple {

namespace {

using Eigen::Index;

void require_weights(const GlbDocument& doc, const LivePack& pack, const std::vector<BakedClip>& clips) {
  for (const BakedClip& clip : clips) {
    const std::string place = fmt::format("clip '{}'", clip.name);
    if (clip.weights.size() != pack.parts.size()) {
      doc.fail(place, fmt::format("not written: weights of {} parts, but there are {}", clip.weights.size(),
                                  pack.parts.size()));
    }
    for (size_t p = 0; p < pack.parts.size(); ++p) {
      const MatX& w = clip.weights[p];
      const std::string part = fmt::format("{}, part '{}'", place, pack.parts[p].name);
      if (w.rows() != static_cast<Index>(clip.times.size()) ||
          w.cols() != static_cast<Index>(pack.parts[p].modes.size())) {
        doc.fail(part, fmt::format("not written: {} x {} weights for {} frames of {} modes", w.rows(), w.cols(),
                                   clip.times.size(), pack.parts[p].modes.size()));
      }
      for (Index f = 0; f < w.rows(); ++f) {
        if (w.row(f).hasNaN() || !(w.row(f).cwiseAbs().maxCoeff() < 1e30))
          doc.fail(fmt::format("{}, frame {}", part, f), "not written: its weights are not finite");
      }
    }
  }
}

// The weights of one part over all clips.
Eigen::MatrixXf frames_of(const std::vector<BakedClip>& clips, size_t part, Index n_modes) {
  Index n = 0;
  for (const BakedClip& clip : clips) n += clip.weights[part].rows();
  Eigen::MatrixXf all(n, n_modes);
  Index row = 0;
  for (const BakedClip& clip : clips) {
    all.middleRows(row, clip.weights[part].rows()) = clip.weights[part].cast<float>();
    row += clip.weights[part].rows();
  }
  return all;
}

// Weights of the clips in place of those of a runtime: each part within 0 .. 1 by itself, so that its targets stay
// lists of its own vertices.
SoftBasis baked(const LiveMesh& live, const LivePack& pack, const std::vector<BakedClip>& clips) {
  const SoftBasis& from = live.basis;
  SoftBasis basis;
  basis.mesh = from.mesh;
  basis.n_old = from.n_old;
  basis.fields = from.fields;
  Index n_frames = 0;
  for (size_t c = 0; c < clips.size(); ++c) {
    const auto count = static_cast<Index>(clips[c].times.size());
    for (const int node : live.nodes) basis.spans.push_back({static_cast<int>(c), node, nullptr, n_frames, count});
    n_frames += count;
  }
  basis.weights.resize(n_frames, 0);
  for (const LiveMesh::Part& p : live.parts) {
    const auto part = static_cast<size_t>(p.part);
    const auto n_modes = static_cast<Index>(pack.parts[part].modes.size());
    const Eigen::MatrixXf weights = frames_of(clips, part, n_modes);
    const WeightLift by(weights);
    const Index skip = by.needed() ? 0 : 1, first = basis.weights.cols(), n_own = n_modes + 1 - skip;
    basis.weights.conservativeResize(Eigen::NoChange, first + n_own);
    basis.weights.rightCols(n_own) = by.weights(weights).rightCols(n_own);
    for (size_t f = 0; f < basis.fields.size(); ++f) {
      if (from.fields[f].first != p.first) continue;
      basis.fields[f].first = static_cast<int>(first);
      basis.fields[f].targets = by.targets(from.fields[f].targets).rightCols(n_own);
    }
    if (by.needed()) basis.names.push_back(p.base);
    for (Index m = 0; m < n_modes; ++m) basis.names.push_back(from.names[static_cast<size_t>(p.first + m)]);
  }
  basis.n_targets = static_cast<int>(basis.weights.cols());
  return basis;
}

// Runs what changes the document, and turns errors of its JSON into those of the file.
template <class Change>
void change(const GlbDocument& doc, const Change& apply) {
  try {
    apply();
  } catch (const nlohmann::json::exception& error) {
    doc.fail_of_kind(error);
  }
}

template <class Report>
void finish(GlbDocument& doc, const std::string& out, size_t before, const std::vector<SoftBasis>& bases,
            Report& report) {
  doc.write(out);
  for (const SoftBasis& basis : bases) report.targets += basis.n_targets;
  report.bytes = doc.size();
  report.bytes_added = report.bytes - std::min(before, report.bytes);
}

}  // namespace

LiveGlbReport write_live_glb(const std::string& in, const std::string& out, const Character& character,
                             const Drawn& drawn, const LivePack& pack, const LiveGlbOptions& options) {
  LiveGlbReport report;
  GlbDocument doc(in, report.warnings);
  change(doc, [&] {
    OrderedJson& json = doc.json();
    if (json.contains("extras") && !json["extras"].is_object()) {
      doc.fail("extras", "it is not an object, so a live pack has no place in it", "Remove it from the file.");
    }
    if (json.contains("extras") && json["extras"].contains("supple_live")) {
      doc.fail("extras.supple_live", "the file has a live pack already", "Use the file that it was made from.");
    }
    const size_t before = doc.size();
    report.block.pack = pack;
    const std::vector<LiveMesh> meshes = live_meshes(doc, character, drawn, report.block.pack, options);
    report.block.targets.resize(pack.parts.size());
    std::vector<SoftBasis> bases;
    for (const LiveMesh& live : meshes) {
      for (const LiveMesh::Part& p : live.parts) {
        report.block.targets[static_cast<size_t>(p.part)].push_back({live.basis.mesh, live.basis.n_old + p.first});
      }
      add_targets(doc, live.basis);
      bases.push_back(live.basis);
    }
    widen_animations(doc, bases, report.warnings);
    doc.json()["extras"]["supple_live"] = OrderedJson::parse(live_json(report.block, in));
    finish(doc, out, before, bases, report);
  });
  return report;
}

BakedGlbReport write_baked_glb(const std::string& in, const std::string& out, const Character& character,
                               const Drawn& drawn, const LivePack& pack, const std::vector<BakedClip>& clips,
                               const LiveGlbOptions& options) {
  BakedGlbReport report;
  GlbDocument doc(in, report.warnings);
  change(doc, [&] {
    std::vector<SoftClip> plain;
    for (const BakedClip& clip : clips) plain.push_back({clip.name, clip.sources, clip.times, {}, {}});
    if (plain.empty()) doc.fail("", "not written: there is no clip");
    require_clips(doc, plain, {});
    require_weights(doc, pack, clips);
    const size_t before = doc.size();
    LivePack named = pack;
    std::vector<SoftBasis> bases;
    for (const LiveMesh& live : live_meshes(doc, character, drawn, named, options)) {
      bases.push_back(baked(live, named, clips));
      add_targets(doc, bases.back());
    }
    widen_animations(doc, bases, report.warnings);
    for (const AddedClip& clip : add_animations(doc, plain, bases, {.suffix = "live"}, report.warnings))
      report.clips.push_back(clip.name);
    finish(doc, out, before, bases, report);
  });
  return report;
}

}  // namespace supple
