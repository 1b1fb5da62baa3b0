#include "supple/attach/flesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "supple/attach/alike.h"
#include "supple/attach/bones.h"
#include "supple/attach/carry.h"
#include "supple/attach/extend.h"
#include "supple/attach/extend_samples.h"
#include "supple/attach/flesh_core.h"
#include "supple/attach/flesh_graph.h"
#include "supple/attach/flesh_layers.h"
#include "supple/attach/flesh_weights.h"
#include "supple/attach/mirror.h"
#include "supple/attach/pattern.h"
#include "supple/attach/planted.h"
#include "supple/attach/regions.h"
#include "supple/attach/thickness.h"
#include "supple/attach/trailing.h"
#include "supple/base/error.h"

namespace supple {
namespace {

constexpr double kBesideRigid = 0.015;  // of the height
constexpr double kMostOfIt = 0.5;       // of the skin
constexpr double kBarelySoft = 1e-6;    // softness of skin that is moved by something else than bones

double body_height(const Points& skin, const Vec3& up) {
  if (skin.empty()) return 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Vec3& x : skin) {
    low = std::min(low, x.dot(up.normalized()));
    high = std::max(high, x.dot(up.normalized()));
  }
  // What swims or crawls is longer than high.
  return std::max(high - low, 0.6 * longest_side(skin));
}

class FleshFinder {
 public:
  FleshFinder(const FleshInput& input, const FleshOptions& options) : in_(input), options_(options) {
    check_options();
    // Who says where means the side that is named.
    flesh_.alike = options_.painted.empty() && !options_.by_hand && options_.joints.empty() && options_.held.empty() &&
                   options_.tracked.empty();
    prepare_points();
    sides_.emplace(*in_.cage, in_.skin, mirror_, skeleton_, leader_);
    find_thickness();
    find_hard_skin();
    CoreField core = find_core();
    const std::vector<double> beyond = core.beyond;
    hold(core.beyond);
    if (flesh_.alike) sides_->hold_alike(beyond, core.beyond);
    keep_layers(core);
    anchor(core);
    flesh_.softness = softness_of(graph_, core);
    for (size_t v = 0; v < options_.at_least.size(); ++v)
      flesh_.softness[v] = std::max(flesh_.softness[v], options_.at_least[v]);
    for (const int v : options_.tracked) flesh_.softness[v] = 0;
    finish();
    find_regions(*in_.drawn, *in_.cage, skeleton_, parts_, flesh_);
  }
  FleshFinder(const FleshInput& input, const Flesh& from, const TetMesh& from_cage) : in_(input), options_(nothing_) {
    prepare_points();
    CarriedFlesh carried = carry_to_cage(from, from_cage, *in_.cage);
    flesh_.half_thickness = std::move(carried.half_thickness);
    hard_ = from.hard_skin;
    flesh_.trails = from.trails;
    flesh_.n_planted = from.n_planted, flesh_.n_morphed = from.n_morphed, flesh_.n_beside_rigid = from.n_beside_rigid;
    flesh_.n_thin_layer = from.n_thin_layer, flesh_.follows_only = from.follows_only, flesh_.warnings = from.warnings;
    flesh_.softness = std::move(carried.softness);
    flesh_.alike = from.alike;
    carry_trailing();
    const std::vector<double> softness = flesh_.softness;
    hold(flesh_.softness);
    if (flesh_.alike) BothSides(*in_.cage, in_.skin, mirror_, skeleton_, leader_).hold_alike(softness, flesh_.softness);
    finish();
    carry_regions(from, from_cage, *in_.cage, flesh_);
  }
  Flesh take() { return std::move(flesh_); }

 private:
  void check_options() const {
    const auto n_skin = in_.skin.vertices.size();
    if (!options_.painted.empty() && options_.painted.size() != n_skin) {
      throw InputError({"", 0, 0, "key attach.soft"},
                       "the painted map has " + std::to_string(options_.painted.size()) + " values for " +
                           std::to_string(n_skin) + " skin vertices",
                       "paint the mesh that is simulated");
    }
    for (const double p : options_.painted) {
      if (std::isinf(p)) {
        throw InputError({"", 0, 0, "key attach.soft"}, "the painted map has a value that is not finite",
                         "paint 1 where there is flesh and 0 where skin follows exactly");
      }
    }
    for (const auto* list : {&options_.held, &options_.tracked, &options_.tied}) {
      for (const int v : *list) {
        if (v >= 0 && v < in_.cage->n_vertices()) continue;
        throw InputError({"", 0, 0, "key attach.vertices"}, "there is no tet vertex " + std::to_string(v),
                         "vertices are numbered from 0 to " + std::to_string(in_.cage->n_vertices() - 1));
      }
    }
    if (!(options_.radius >= 0)) {
      throw InputError({"", 0, 0, "key attach.radius"}, "the radius is not a number from 0 on", "give it in metres");
    }
  }

  void prepare_points() {
    skin_ = skin_points(*in_.drawn, in_.skin_source);
    flesh_.height = body_height(in_.skin.vertices, in_.up);
    graph_ = make_graph(*in_.cage);
    mirror_ = find_mirror(in_.skin, in_.up.normalized(), skin_.skin);
    skeleton_ = find_skeleton(*in_.drawn, in_.skin, in_.skin_source, mirror_);
    extension_.emplace(*in_.cage, in_.skin, *in_.blend);
    find_morphed();
    std::optional<Extension> bends;
    if (morphs_carry_) bends.emplace(*in_.cage, in_.skin, *in_.blend, Extend::bends);
    flesh_.points = extend_to_cage(skin_, in_.cage->vertices, *extension_, bends ? &*bends : nullptr);
    leader_ = leaders(flesh_.points.skin, skeleton_);
  }

  // Where morph targets move most of the body they are its motion, and no face that speaks.
  void find_morphed() {
    morphed_ = both_sides(morphed_skin(skin_, *in_.poses, flesh_.height));
    const std::vector<double> areas = vertex_areas(in_.skin);
    double moved = 0, all = 0;
    for (size_t i = 0; i < areas.size(); ++i) {
      moved += morphed_[i] ? areas[i] : 0;
      all += areas[i];
    }
    morphs_carry_ = in_.morphs_carry || moved > kMostOfIt * all;
  }

  void find_thickness() {
    const BodyThickness body(in_.skin, *in_.cage, graph_.mean_edge);
    // Which bones a tet vertex may take thickness from: its own and those next to them, so that a hand beside the hip
    // stays thin.
    const size_t n_bones = skeleton_.bones.size();
    const SkinWeights& w = flesh_.points.skin;
    std::vector<char> near(static_cast<size_t>(in_.cage->n_vertices()) * n_bones, 0);
    for (int v = 0; v < in_.cage->n_vertices(); ++v) {
      for (int k = w.first[v]; k < w.first[v + 1]; ++k) {
        const int b = skeleton_.index[w.bone[k]];
        if (b < 0 || w.weight[k] < 0.1) continue;
        for (size_t c = 0; c < n_bones; ++c) {
          if (skeleton_.related(b, static_cast<int>(c))) near[static_cast<size_t>(v) * n_bones + c] = 1;
        }
      }
    }
    thickness_ = body.measure(in_.cage->vertices, 0.3 * graph_.mean_edge, [&](int v, int ball) {
      const int b = skeleton_.leader[in_.skin.triangles[body.balls()[ball].triangle][0]];
      return b < 0 || near[static_cast<size_t>(v) * n_bones + static_cast<size_t>(b)];
    });
    smooth(graph_, thickness_.half, 2);
    sides_->make_alike(thickness_.half);
    sides_->make_alike(thickness_.depth);
    flesh_.half_thickness = thickness_.half;
  }

  void find_hard_skin() {
    planted_ = both_sides(planted_skin(skin_, *in_.poses, in_.clips, in_.up, flesh_.height));
    const auto beside = both_sides(
        skin_beside_rigid(*in_.drawn, *in_.pieces, in_.skin.vertices, in_.skin_source, kBesideRigid * flesh_.height));
    hard_.assign(in_.skin.vertices.size(), 0);
    for (size_t i = 0; i < hard_.size(); ++i) {
      flesh_.n_planted += planted_[i];
      flesh_.n_morphed += morphed_[i];
      flesh_.n_beside_rigid += beside[i];
      const bool said = !options_.painted.empty() && !std::isnan(options_.painted[i]);
      // Who paints flesh where morph targets move the skin wants both.
      hard_[i] =
          planted_[i] || (morphed_[i] && !said && !morphs_carry_) || beside[i] || (said && options_.painted[i] <= 0);
    }
  }

  // What is so on one side is so on the other.
  std::vector<char> both_sides(std::vector<char> skin) const {
    const std::vector<char> one = skin;
    for (size_t i = 0; i < mirror_.image.size(); ++i) {
      if (one[i] && mirror_.image[i] >= 0) skin[mirror_.image[i]] = 1;
      if (mirror_.image[i] >= 0 && one[mirror_.image[i]]) skin[i] = 1;
    }
    return skin;
  }

  CoreField find_core() {
    BoneKindInput kinds;
    kinds.drawn = in_.drawn;
    kinds.pieces = in_.pieces;
    kinds.source = &in_.skin_source;
    kinds.skin = &in_.skin;
    kinds.planted = &planted_;
    const std::vector<double> bone_half = thickness_of_bones();
    kinds.half_thickness = &bone_half;
    kinds.height = flesh_.height;
    kinds.up = in_.up.normalized();
    kinds.bottom = std::numeric_limits<double>::infinity();
    for (const Vec3& x : in_.skin.vertices) kinds.bottom = std::min(kinds.bottom, kinds.up.dot(x));
    kinds_ = find_bone_kinds(skeleton_, kinds);
    const std::vector<double> painted = painted_inside();
    const bool by_hand = !options_.joints.empty() || options_.by_hand;
    find_parts(kinds, by_hand);
    const TrailingField trailing = trailing_field(*in_.cage, graph_, skeleton_, flesh_.points.skin, parts_, painted);
    CoreInput core;
    core.cage = in_.cage;
    core.graph = &graph_;
    core.skeleton = &skeleton_;
    core.kinds = &kinds_;
    core.weights = &flesh_.points.skin;
    core.thickness = &thickness_;
    core.height = flesh_.height;
    core.up = kinds.up;
    CoreField field;
    if (by_hand) {
      field = core_by_bones(core, bones_named(options_.joints, "key attach.joints"), options_.radius);
    } else {
      field = core_by_rule(core, painted);
      // Who paints means the sides that are painted.
      if (painted.empty()) sides_->make_alike(field.beyond);
    }
    free_trailing(graph_, trailing, field);
    return field;
  }

  void find_parts(const BoneKindInput& input, bool by_hand) {
    if (!options_.trailing) return;
    TrailingWishes wishes;
    wishes.by_shape = !by_hand;
    wishes.trail = bones_named(options_.trail, "key attach.trail");
    wishes.hold = bones_named(options_.hold, "key attach.hold");
    parts_ = find_trailing(skeleton_, input, kinds_, wishes);
    flesh_.trails.assign(in_.drawn->bones.size(), -1);
    for (size_t b = 0; b < parts_.size(); ++b) {
      flesh_.trails[skeleton_.bones[b].bone] = parts_[b];
      if (parts_[b] >= 0) kinds_.solid[b] = 0;
    }
  }

  // In another cage the parts that trail are rooted anew: a ring that is whole there.
  void carry_trailing() {
    for (const BoneShape& b : skeleton_.bones) parts_.push_back(flesh_.trails.empty() ? -1 : flesh_.trails[b.bone]);
    const TrailingField trailing = trailing_field(*in_.cage, graph_, skeleton_, flesh_.points.skin, parts_, {});
    if (!trailing.any()) return;
    CoreField core;
    const auto n = static_cast<size_t>(in_.cage->n_vertices());
    core.beyond.assign(n, 0), core.width.assign(n, 0), core.swings.assign(n, 0);
    free_trailing(graph_, trailing, core);
    const std::vector<double> softness = softness_of(graph_, core);
    for (size_t v = 0; v < n; ++v) {
      if (trailing.part[v] >= 0) flesh_.softness[v] = softness[v];
    }
  }

  // Mean over the cage of what each bone leads; a bone that leads nothing there has none.
  std::vector<double> thickness_of_bones() const {
    std::vector<double> sum(skeleton_.bones.size(), 0), count(skeleton_.bones.size(), 0);
    for (size_t v = 0; v < leader_.size(); ++v) {
      if (leader_[v] < 0) continue;
      sum[leader_[v]] += thickness_.half[v];
      count[leader_[v]] += 1;
    }
    for (size_t b = 0; b < sum.size(); ++b) sum[b] = count[b] > 0 ? sum[b] / count[b] : 0;
    return sum;
  }

  std::vector<int> bones_named(const std::vector<std::string>& patterns, const char* key) const {
    std::vector<int> result;
    for (const std::string& pattern : patterns) {
      bool found = false;
      for (size_t b = 0; b < skeleton_.bones.size(); ++b) {
        if (!matches(pattern, skeleton_.name(*in_.drawn, static_cast<int>(b)))) continue;
        found = true;
        result.push_back(static_cast<int>(b));
      }
      if (found) continue;
      std::string known;
      for (size_t b = 0; b < skeleton_.bones.size(); ++b) {
        known += (b ? ", " : "") + skeleton_.name(*in_.drawn, static_cast<int>(b));
      }
      throw InputError({"", 0, 0, key}, "no bone with skin is named \"" + pattern + "\"",
                       "the bones with skin are: " + known);
    }
    return result;
  }

  std::vector<double> painted_inside() const {
    if (options_.painted.empty()) return {};
    // What is said, and where: inside it is known as far as most of the skin around says something.
    MatX known = MatX::Zero(static_cast<Eigen::Index>(options_.painted.size()), 2);
    for (Eigen::Index i = 0; i < known.rows(); ++i) {
      const double p = options_.painted[static_cast<size_t>(i)];
      if (!std::isnan(p)) known.row(i) << std::clamp(p, 0.0, 1.0), 1.0;
    }
    const bool everywhere = (known.col(1).array() == 1).all();
    const MatX spread = (*extension_)(known);
    std::vector<double> inside(flesh_.points.rest.size(), std::numeric_limits<double>::quiet_NaN());
    for (size_t v = 0; v < inside.size(); ++v) {
      const auto row = static_cast<Eigen::Index>(v);
      const double share = everywhere ? 1 : spread(row, 1);
      if (share > 0.5) inside[v] = std::clamp(spread(row, 0) / share, 0.0, 1.0);
    }
    return inside;
  }

  // What must be hard is: every tet vertex behind such skin, and those held. 0 in values.
  void hold(std::vector<double>& values) const {
    for (size_t i = 0; i < hard_.size(); ++i) {
      if (!hard_[i]) continue;
      for (int k = in_.blend->first[i]; k < in_.blend->first[i + 1]; ++k) values[in_.blend->vertex[k]] = 0;
    }
    for (const int v : options_.held) values[v] = 0;
  }

  void keep_layers(CoreField& core) {
    const ThinLayers thin = thin_layers(graph_, *in_.blend, skeleton_, core);
    for (const int b : thin.worth_telling) flesh_.follows_only.push_back(skeleton_.name(*in_.drawn, b));
    flesh_.n_thin_layer = thin.n_skin;
    for (size_t v = 0; v < leader_.size(); ++v) {
      if (leader_[v] >= 0 && thin.follows[leader_[v]] && !core.swings[v]) core.beyond[v] = 0;
    }
  }

  // A part with nothing driven would drift away: its deepest vertices hold it.
  void anchor(CoreField& core) {
    std::vector<int> component;
    const int n = connected_components(*in_.cage, component);
    std::vector<char> held(n, 0);
    std::vector<double> deepest(n, 0);
    for (size_t v = 0; v < component.size(); ++v) {
      if (component[v] < 0) continue;
      if (core.beyond[v] <= 0) held[component[v]] = 1;
      deepest[component[v]] = std::max(deepest[component[v]], thickness_.depth[v]);
    }
    for (const auto* list : {&options_.tracked, &options_.tied}) {
      for (const int v : *list) {
        if (component[v] >= 0) held[component[v]] = 1;
      }
    }
    const auto loose = std::count(held.begin(), held.end(), 0);
    if (loose == 0) return;
    for (size_t v = 0; v < component.size(); ++v) {
      const int c = component[v];
      if (c >= 0 && !held[c] && thickness_.depth[v] >= 0.8 * deepest[c]) core.beyond[v] = 0;
    }
    flesh_.warnings.push_back(std::to_string(loose) +
                              " loose part(s) of the flesh had no core and are held at their deepest points");
  }

  void finish() {
    drop_hidden(graph_, *in_.blend, flesh_.softness);
    drop_crumbs(graph_, flesh_.softness);
    flesh_.skin_softness.assign(hard_.size(), 0);
    std::vector<char> tracked(flesh_.softness.size(), 0);
    for (const int v : options_.tracked) tracked[v] = 1;
    for (size_t i = 0; i < hard_.size(); ++i) {
      flesh_.skin_softness[i] = on_skin(*in_.blend, flesh_.softness, i);
      // Such skin does not follow its bones, and may go elsewhere.
      for (int k = in_.blend->first[i]; k < in_.blend->first[i + 1]; ++k) {
        if (tracked[in_.blend->vertex[k]]) flesh_.skin_softness[i] = std::max(flesh_.skin_softness[i], kBarelySoft);
      }
    }
    flesh_.hard_skin = hard_;
    for (const double s : flesh_.skin_softness) flesh_.still_skin.push_back(s == 0);
    if (flesh_.alike) flesh_.still_skin = both_sides(flesh_.still_skin);
  }

  const FleshOptions nothing_;  // for flesh that is carried
  const FleshInput& in_;
  const FleshOptions& options_;
  Flesh flesh_;
  SkinnedPoints skin_;
  CageGraph graph_;
  Mirror mirror_;
  Skeleton skeleton_;
  std::optional<BothSides> sides_;
  BoneKinds kinds_;
  std::vector<int> parts_;  // per bone of the skeleton: number of the trailing part it is of, -1
  std::optional<Extension> extension_;
  Thickness thickness_;
  std::vector<int> leader_;              // per tet vertex
  std::vector<char> planted_, morphed_;  // per skin vertex
  bool morphs_carry_ = false;
  std::vector<char> hard_;  // per skin vertex: must have softness 0
};

}  // namespace

Flesh find_flesh(const FleshInput& input, const FleshOptions& options) { return FleshFinder(input, options).take(); }

Flesh carry_flesh(const FleshInput& input, const Flesh& from, const TetMesh& from_cage) {
  return FleshFinder(input, from, from_cage).take();
}

Points softness_colors(const std::vector<double>& skin_softness) {
  const Vec3 stops[] = {{0.22, 0.29, 0.38}, {0.62, 0.52, 0.36}, {0.90, 0.36, 0.06}, {0.72, 0.03, 0.02}};
  Points colors;
  for (const double s : skin_softness) {
    const double t = std::isfinite(s) ? std::clamp(s, 0.0, 1.0) * 3 : 0;
    const int k = std::min(2, static_cast<int>(t));
    colors.push_back(stops[k] + (t - k) * (stops[k + 1] - stops[k]));
  }
  return colors;
}

}  // namespace supple
