#include "supple/pipeline/live/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "supple/attach/riding.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/mesh/normal_rates.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/flesh_swing.h"
#include "supple/pipeline/live/choice.h"

namespace supple::pipeline::live {

namespace {

constexpr double kUnseen = 5e-4;  // of the character: parts that nobody asked for and no clip throws farther
constexpr double kSmall = 1e-3;   // of a shape: what rides answers to it in proportion

const FleshConfig* flesh_named(const std::vector<FleshConfig>& list, const std::string& name) {
  for (const FleshConfig& f : list)
    if (f.bone == name) return &f;
  return nullptr;
}

// The tets of a part as a solid of its own; kept: its vertices in the cage.
SolidSpec solid_of(const Job& job, const TetMesh& cage, const ChosenPart& part, std::vector<int>& kept) {
  std::vector<int> number(cage.vertices.size(), -1);
  std::vector<char> in(cage.tets.size(), 0), hold(cage.vertices.size(), 0);
  for (int t : part.tets) in[t] = 1;
  for (int v : job.body->base.driven) hold[v] = 1;
  for (int t = 0; t < cage.n_tets(); ++t)
    for (int v : cage.tets[t]) {
      if (in[t])
        number[v] = 0;
      else
        hold[v] = 1;
    }
  SolidSpec solid;
  for (int v = 0; v < cage.n_vertices(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<int>(kept.size());
    kept.push_back(v);
    solid.mesh.vertices.push_back(cage.vertices[v]);
    solid.fixed.push_back(hold[v]);
  }
  for (int t : part.tets) {
    Tet tet = cage.tets[t];
    for (int& v : tet) v = number[v];
    solid.mesh.tets.push_back(tet);
    solid.per_tet.push_back(job.body->base.per_tet[t]);
  }
  for (size_t s = 0; s < job.body->base.springs.size(); ++s)
    for (int c = 0; c < 4; ++c) {
      const int v = number[job.body->base.springs[s].vertices[c]];
      const double share = job.body->base.springs[s].weights[c];
      if (v >= 0 && share > 0.5 && !solid.fixed[v])
        solid.springs.emplace_back(
            v, share * (s < job.body->base.spring_strengths.size() ? job.body->base.spring_strengths[s]
                                                                   : job.body->base.spring_stiffness));
    }
  return solid;
}

// The stiffness of a character's flesh was chosen for the frequency that its cage of four-node tets has [Hz]: finer
// elements are to keep it.
double cage_frequency(SolidSpec spec, const BoneFrame& frame) {
  spec.quadratic = false;
  const Solid solid = make_solid(spec);
  return std::sqrt(ModalAnalysis(solid, frame.origin).modes(1).squares[0]) / (2 * std::numbers::pi);
}

Vec3 middle_of_fixed(const SolidSpec& solid) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (size_t v = 0; v < solid.fixed.size(); ++v)
    if (solid.fixed[v]) sum += solid.mesh.vertices[v], count += 1;
  return count > 0 ? Vec3(sum / count) : solid.mesh.vertices[0];
}

// Every tet cut in eight; springs stay where they are.
void cut_tets(SolidSpec& solid) {
  std::vector<std::array<int, 2>> parents;
  solid.mesh = refine(solid.mesh, &parents);
  for (const auto& p : parents) solid.fixed.push_back(solid.fixed[p[0]] && solid.fixed[p[1]]);
  std::vector<MaterialParameters> per_tet;
  for (const MaterialParameters& m : solid.per_tet) per_tet.insert(per_tet.end(), 8, m);
  solid.per_tet = std::move(per_tet);
}

// The drawn skin that vertices of the solid carry, through the weights that a simulation is drawn with.
void carry_skin(const CharacterSetup& c, const std::vector<int>& kept, LivePartSpec& spec) {
  std::vector<int> number(c.cage.mesh.vertices.size(), -1);
  for (size_t i = 0; i < kept.size(); ++i)
    if (!spec.solid.fixed[i]) number[kept[i]] = static_cast<int>(i);
  for (int v = 0; v < c.drawn.n_vertices(); ++v) {
    const int s = c.skin_of[v];
    if (s < 0) continue;
    const size_t before = spec.carried.vertex.size();
    for (int k = c.blend.first[s]; k < c.blend.first[s + 1]; ++k) {
      if (number[c.blend.vertex[k]] < 0) continue;
      spec.carried.vertex.push_back(number[c.blend.vertex[k]]);
      spec.carried.weight.push_back(c.blend.weight[k]);
    }
    if (spec.carried.vertex.size() == before) continue;
    spec.drawn.push_back(v);
    spec.carried.first.push_back(static_cast<int>(spec.carried.vertex.size()));
  }
}

// What else is drawn and rides on the skin, and how normals turn.
class ShapeFinisher {
 public:
  explicit ShapeFinisher(const CharacterSetup& c)
      : drawn_(c.drawn), riding_(c.drawn, c.pieces, c.skin, c.skin_source), normals_(c.drawn) {}

  void finish(LiveShape& shape, bool with_normals) const {
    Points field(static_cast<size_t>(drawn_.n_vertices()), Vec3::Zero());
    for (size_t i = 0; i < shape.vertices.size(); ++i) field[shape.vertices[i]] = kSmall * shape.positions[i];
    riding_.apply(drawn_.vertices.rest, field);
    Points turned;
    if (with_normals) turned = normals_.at(field);
    shape = {};
    for (int v = 0; v < drawn_.n_vertices(); ++v) {
      if (field[v] == Vec3::Zero() && (turned.empty() || turned[v] == Vec3::Zero())) continue;
      shape.vertices.push_back(v);
      shape.positions.push_back(field[v] / kSmall);
      if (with_normals) shape.normals.push_back(turned[v] / kSmall);
    }
  }

 private:
  const Drawn& drawn_;
  Riding riding_;
  DrawnNormalRates normals_;
};

// As ratios to what the part does by itself.
LiveDials dials_of(const SceneConfig& config, const std::string& region, const LivePart& part) {
  LiveDials d{.frequency = config.controls.frequency,
              .amplitude = config.controls.amplitude,
              .sag = config.controls.sag,
              .half_life = config.controls.half_life,
              .sustained = config.controls.motion == "sustained"};
  const auto slowest = std::min_element(part.modes.begin(), part.modes.end(), [](const LiveMode& a, const LiveMode& b) {
    return a.frequency_hz < b.frequency_hz;
  });
  const auto absolute = [&](const auto& asked) {
    if (asked.frequency_hz) d.frequency = *asked.frequency_hz / slowest->frequency_hz;
    if (asked.half_life_s) d.half_life = *asked.half_life_s * slowest->decay / std::numbers::ln2;
  };
  absolute(config.controls);
  if (const RegionConfig* r = region_named(config, region)) {
    d.frequency = r->frequency.value_or(d.frequency), d.amplitude = r->amplitude.value_or(d.amplitude);
    d.sag = r->sag.value_or(d.sag), d.half_life = r->half_life.value_or(d.half_life);
    absolute(*r);
  }
  return d;
}

// Dials that a pack cannot hold.
void name_unheard(const SceneConfig& config, std::vector<std::string>& warnings) {
  const ControlsConfig& c = config.controls;
  bool sag = c.sag_m.has_value();
  for (const RegionConfig& r : config.regions) sag = sag || r.sag_m.has_value();
  if (sag) warnings.push_back("sag_m has no say in a live pack: how far it hangs depends on how it is turned; use sag");
  if (!c.frequency_map.empty() || !c.amplitude_map.empty() || !c.sag_map.empty() || !c.half_life_map.empty())
    warnings.push_back("maps of dials have no say in a live pack: each part has its own dials");
  if (!c.frequency_keys.empty() || !c.amplitude_keys.empty() || !c.sag_keys.empty() || !c.half_life_keys.empty())
    warnings.push_back("keys of dials have no say in a live pack: they are set while it runs");
}

void find_clips(const Job& job, const CharacterSetup& c, LiveBuild& out) {
  std::vector<const Clip*> clips;
  if (job.config.live.clips.empty())
    for (const Clip& clip : c.character.clips) clips.push_back(&clip);
  for (const std::string& name : job.config.live.clips) clips.push_back(&find_clip(c.character, name));
  for (const Clip* clip : clips) {
    ClipPlan plan =
        plan_clip(c.character, c.drawn, *clip, c.scale, keyed_rate_of(job.config, *clip), job.config.timeline);
    for (const std::string& words : words_for(plan.cuts, job.config))
      out.warnings.push_back(fmt::format("clip '{}': {}", clip->name, words));
    if (plan.times.size() > 1)
      out.clips.push_back(std::move(plan));
    else
      out.warnings.push_back(fmt::format("clip '{}' has one pose: it says nothing of motion", clip->name));
  }
}

}  // namespace

DrawnNormalRates::DrawnNormalRates(const Drawn& drawn) : drawn_(drawn) {
  const std::vector<char> all(static_cast<size_t>(drawn.n_vertices()), 1);
  places_.resize(static_cast<size_t>(weld(drawn, all, welded_)));
  for (int v = 0; v < drawn.n_vertices(); ++v) places_[welded_[v]] = drawn.vertices.rest[v];
  for (Tri t : drawn.triangles) {
    for (int& v : t) v = welded_[v];
    triangles_.push_back(t);
  }
}

Points DrawnNormalRates::at(const Points& displacement) const {
  Points rates(places_.size(), Vec3::Zero()), out(displacement.size());
  for (size_t v = 0; v < displacement.size(); ++v) rates[welded_[v]] = displacement[v];
  const Points turns = normal_turns(places_, triangles_, rates);
  for (size_t v = 0; v < out.size(); ++v) out[v] = turns[welded_[v]].cross(drawn_.normals[v]);
  return out;
}

LiveBuild build_live(const Job& job, const CharacterSetup& c, const Watch& watch) {
  const LiveConfig& live = job.config.live;
  LiveBuild out;
  find_clips(job, c, out);
  name_unheard(job.config, out.warnings);
  out.pack.unit = c.scale;
  out.pack.gravity = gravity_of(job.config.world);
  const ShapeFinisher finisher(c);
  const std::vector<ChosenPart> all_chosen = choose_live_parts(job, c, out.warnings);
  for (int begun = 0; const ChosenPart& chosen : all_chosen) {
    if (watch.cancelled()) throw Cancelled();
    watch.progress("finding modes", begun++, static_cast<int>(all_chosen.size()));
    LivePartSpec spec;
    LiveMade made;
    made.region = chosen.region;
    const Bone& bone = c.drawn.bones[chosen.bone];
    spec.name = chosen.name, spec.bone = bone.name, spec.node = bone.node;
    spec.frame = rigid_frame(c.drawn.bound_nodes[bone.node], c.scale);
    std::vector<int> kept;
    spec.solid = solid_of(job, c.cage.mesh, chosen, kept);
    for (int v : kept) spec.shown.push_back(chosen.shown[v]);
    carry_skin(c, kept, spec);
    if (spec.drawn.empty()) {
      out.warnings.push_back(fmt::format("live part '{}' carries nothing that is drawn: left out", chosen.name));
      continue;
    }
    made.hinge = middle_of_fixed(spec.solid);
    if (!job.config.material.youngs_modulus) spec.frequency_hz = cage_frequency(spec.solid, spec.frame);
    for (int i = 0; i < live.refine; ++i) cut_tets(spec.solid);
    spec.solid.quadratic = live.elements == "ten-node";
    const FleshConfig* flesh = flesh_named(job.body->flesh, chosen.region);
    const FleshConfig* flesh_of_scene = flesh_named(job.config.flesh, chosen.region);
    spec.half_life_s =
        flesh && flesh->half_life_s ? *flesh->half_life_s : half_life_of(job.config.material).value_or(0.2);
    spec.most_modes = live.modes, spec.share = live.share;
    if (chosen.config) {
      spec.frequency_hz = chosen.config->frequency_hz.value_or(spec.frequency_hz);
      spec.half_life_s = chosen.config->half_life_s.value_or(spec.half_life_s);
      spec.most_modes = chosen.config->modes.value_or(spec.most_modes);
    }
    spec.corrections = live.corrections, spec.coriolis = live.coriolis;
    spec.force_scale =
        flesh_of_scene && flesh_of_scene->inertia ? flesh_of_scene->inertia : job.config.material.inertia;
    for (const FleshRegion& r : c.flesh.regions)
      if (r.name == chosen.region)
        spec.swing_m = flesh && flesh->swing
                           ? *flesh->swing * 2 * r.half_thickness
                           : usual_swing(job.config, c.flesh, 2 * r.half_thickness) * 2 * r.half_thickness;
    spec.gravity = out.pack.gravity;
    if (job.config.surface.rest == "authored") spec.rest_gravity = spec.frame.axes.transpose() * out.pack.gravity;
    for (const ClipPlan& plan : out.clips) {
      made.motions.push_back(clip_motion(plan, bone.node, c.scale, job.config.timeline.cuts == "settle"));
      spec.motions.push_back(made.motions.back().motion);
    }
    spec.trials = usual_motions(spec.frame, c.size(), up_of(job.config.world));

    watch.note(fmt::format("{}: {} tets on {}", spec.name, spec.solid.mesh.n_tets(), spec.bone));
    LivePart part = make_live_part(spec, made.report);
    const std::vector<double>& thrown = made.report.thrown_m;
    if (!chosen.config && part.force_scale * *std::max_element(thrown.begin(), thrown.end()) < kUnseen * c.size()) {
      out.warnings.push_back(fmt::format("live part '{}' is too stiff to be seen moving: left out", part.name));
      continue;
    }
    part.force_limit = live.force_limit, part.angular_force_limit = live.angular_force_limit;
    part.weight_limit = live.weight_limit;
    part.dials = dials_of(job.config, chosen.region, part);
    for (size_t m = 0; m < part.modes.size(); ++m)
      finisher.finish(part.modes[m].shape, !live.normals || static_cast<int>(m) < *live.normals);
    out.pack.parts.push_back(std::move(part));
    out.parts.push_back(std::move(made));
  }
  if (out.pack.parts.empty())
    throw InputError({.file = job.config.surface.file.text}, "no soft part of it is drawn",
                     "choose other parts with [[live.part]]");
  return out;
}

std::vector<MatX> baked_weights(const LiveBuild& build, size_t clip) {
  std::vector<MatX> out;
  for (size_t p = 0; p < build.parts.size(); ++p) {
    const LivePart& part = build.pack.parts[p];
    const ClipMotion& m = build.parts[p].motions[clip];
    const MatX all = respond(oscillators_of(part), m.motion,
                             {.dials = part.dials,
                              .force_scale = part.force_scale,
                              .gravity = build.pack.gravity,
                              .rest_gravity = part.rest_gravity,
                              .force_limit = part.force_limit,
                              .angular_force_limit = part.angular_force_limit,
                              .weight_limit = part.weight_limit});
    MatX frames(static_cast<Eigen::Index>(build.clips[clip].times.size()), all.cols());
    for (Eigen::Index f = 0; f < frames.rows(); ++f)
      frames.row(f) = all.row(static_cast<Eigen::Index>(m.lead) + f * static_cast<Eigen::Index>(m.per_frame));
    out.push_back(std::move(frames));
  }
  return out;
}

}  // namespace supple::pipeline::live
