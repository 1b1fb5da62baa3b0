#include "supple/pipeline/curves/rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include "supple/anim/frame_count.h"
#include "supple/anim/loop_track.h"
#include "supple/base/error.h"
#include "supple/io/gltf/gltf_read.h"
#include "supple/io/gltf/surface_file.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/pipeline/character/cached_character.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/curves/choice.h"
#include "supple/pipeline/curves/keys.h"
#include "supple/pipeline/setup/start_plan.h"
#include "supple/rigs/pipe_rig.h"
#include "supple/scene/spelling.h"

namespace supple::pipeline::curves {

namespace fs = std::filesystem;

namespace {

constexpr int kUnmovedFrames = 49;
constexpr size_t kSeamPoints = 400;  // of the surface that a loop is judged by
constexpr size_t kListed = 60;       // names in a message
constexpr int kFewestForJumps = 4;   // frames
constexpr double kRigidJump = 0.1;   // what a teleport may leave of its way as a change of shape

void require_file(const SceneConfig& config, const FilePath& file, const std::string& key) {
  if (!fs::exists(file.path))
    throw InputError(config.locate(key), fmt::format("there is no file {}", file.path),
                     config.file.empty() ? "Check the name." : "Relative paths start at the scene file.");
}

// Evaluations alone, as a black box gives them.
class WithoutDerivatives : public RigMap {
 public:
  explicit WithoutDerivatives(std::shared_ptr<const RigMap> rig) : rig_(std::move(rig)) {}
  const std::vector<RigParameter>& parameters() const override { return rig_->parameters(); }
  int n_points() const override { return rig_->n_points(); }
  VecX evaluate(const VecX& p, double t) const override { return rig_->evaluate(p, t); }
  VecX keyed(double t) const override { return rig_->keyed(t); }
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override {
    auto some = rig_->for_points(points);
    return some ? std::make_shared<WithoutDerivatives>(std::move(some)) : nullptr;
  }
  int at_once() const override { return rig_->at_once(); }

 private:
  std::shared_ptr<const RigMap> rig_;
};

// Of a rig that knows no teleports: while one is under way it stands still.
class StillOverJumps : public RigMap {
 public:
  StillOverJumps(std::shared_ptr<const RigMap> rig, CurvesTimeline time)
      : rig_(std::move(rig)), time_(std::move(time)) {}
  const std::vector<RigParameter>& parameters() const override { return rig_->parameters(); }
  int n_points() const override { return rig_->n_points(); }
  VecX evaluate(const VecX& p, double t) const override { return rig_->evaluate(p, held(t)); }
  VecX keyed(double t) const override { return rig_->keyed(held(t)); }
  bool has_derivatives() const override { return rig_->has_derivatives(); }
  MatX jacobian(const VecX& p, double t, const std::vector<int>& which) const override {
    return rig_->jacobian(p, held(t), which);
  }
  MatX curvature(const VecX& p, double t, const std::vector<int>& which, const VecX& f) const override {
    return rig_->curvature(p, held(t), which, f);
  }
  std::shared_ptr<const RigMap> for_points(const std::vector<int>& points) const override {
    auto some = rig_->for_points(points);
    return some ? std::make_shared<StillOverJumps>(std::move(some), time_) : nullptr;
  }
  int at_once() const override { return rig_->at_once(); }

 private:
  double held(double t) const {
    const double frame = std::floor(t * time_.fps + 1e-9);
    const bool jumps = std::find(time_.jumps.begin(), time_.jumps.end(), static_cast<int>(frame)) != time_.jumps.end();
    return jumps ? frame / time_.fps : t;
  }
  std::shared_ptr<const RigMap> rig_;
  CurvesTimeline time_;
};

class RigMaker {
 public:
  RigMaker(const SceneConfig& config, bool everything) : config_(config), everything_(everything) {}

  CurvesRig make() {
    read_keys();
    if (!config_.curves.rig.empty())
      other_program();
    else
      surface();
    plan_time();
    plans_ = layer_plans(config_);
    if (!out_.rig) choose_joints();
    if (!out_.rig) build(false);
    if (out_.rig->parameters().empty() && !out_.character)
      throw InputError(config_.locate("surface.file"), "the surface has no rig: no joints, morph targets or deformers",
                       "Add [[curves.deformer]], or give an animated character.");
    free_ones();
    if (!everything_) plan_jumps();
    if (!everything_) plan_loop();
    if (!out_.still) out_.still = out_.rig;
    if (config_.curves.derivatives == "differences") {
      out_.rig = std::make_shared<WithoutDerivatives>(out_.rig);
      out_.still = std::make_shared<WithoutDerivatives>(out_.still);
    }
    return std::move(out_);
  }

 private:
  void read_keys() {
    const FilePath& file = config_.curves.keys;
    if (file.empty()) return;
    require_file(config_, file, "curves.keys");
    out_.keys = read_curves(file.path);
  }

  void other_program() {
    if (!config_.may_run)
      throw InputError(config_.locate("curves.rig"),
                       fmt::format("the scene asks to start a program: {}", config_.curves.rig),
                       "If you trust it, say so with --allow-run.");
    PipeRigSpec spec;
    spec.command = config_.curves.rig;
    spec.processes = config_.curves.processes;
    spec.timeout_s = config_.curves.timeout_s;
    spec.directory = fs::path(config_.file).parent_path().string();
    auto rig = std::make_shared<PipeRig>(spec);
    out_.rest = unflatten(rig->evaluate(rig->rest(), 0));
    out_.triangles = rig->triangles();
    if (out_.triangles.empty() && !config_.surface.file.empty()) {
      const TriMesh mesh = read_surface(config_.surface.file.path, out_.warnings);
      if (mesh.vertices.size() != out_.rest.size())
        throw InputError(
            config_.locate("surface.file"),
            fmt::format("it has {} vertices, the rig moves {} points", mesh.vertices.size(), out_.rest.size()),
            "Give the mesh that the rig moves, without splitting or merging vertices.");
      out_.triangles = mesh.triangles;
    }
    if (out_.triangles.empty() && config_.tets.file.empty())
      throw InputError(config_.locate("curves.rig"),
                       "the rig tells no triangles, so there is nothing to fill with tets",
                       "Let it tell them, or give surface.file or tets.file.");
    out_.rig = std::move(rig);
  }

  void surface() {
    if (config_.surface.is_character()) {
      require_file(config_, config_.surface.file, "surface.file");
      auto c = std::make_shared<CharacterSetup>();
      c->character = read_gltf(config_.surface.file.path);
      c->warnings = c->character.warnings;
      c->scale = scale_of(config_, c->character);
      c->drawn = lay_out(c->character, c->scale);
      c->warnings.insert(c->warnings.end(), c->drawn.warnings.begin(), c->drawn.warnings.end());
      out_.warnings = c->warnings;
      out_.rest = c->drawn.vertices.rest;
      out_.triangles = c->drawn.triangles;
      scale_ = c->scale;
      out_.character = std::move(c);
      return;
    }
    if (!config_.surface.file.empty()) {
      require_file(config_, config_.surface.file, "surface.file");
      TriMesh mesh = read_surface(config_.surface.file.path, out_.warnings);
      scale_ = config_.surface.scale.value_or(1);
      for (Vec3& x : mesh.vertices) x *= scale_;
      out_.rest = std::move(mesh.vertices);
      out_.triangles = std::move(mesh.triangles);
      if (out_.triangles.empty()) throw InputError({.file = config_.surface.file.text}, "the surface has no faces");
      return;
    }
    require_file(config_, config_.tets.file, "tets.file");
    TetMesh tets = read_tet_mesh(config_.tets.file.path);
    for (Vec3& x : tets.vertices) x *= config_.tets.scale;
    TriMesh mesh = boundary_surface(tets);
    out_.rest = std::move(mesh.vertices);
    out_.triangles = std::move(mesh.triangles);
    out_.boundary = true;
    scale_ = config_.tets.scale;
  }

  void plan_time() {
    const TimelineConfig& t = config_.timeline;
    CurvesTimeline& time = out_.time;
    int frames = kUnmovedFrames, begin = 0;
    time.fps = t.fps.value_or(!out_.keys.names.empty() && out_.keys.fps > 0 ? out_.keys.fps : 24);
    const bool keyed = !out_.keys.names.empty();
    if (keyed && (std::abs(out_.keys.frames.front()) > kMostFrames || std::abs(out_.keys.frames.back()) > kMostFrames))
      throw InputError({.file = config_.curves.keys.path},
                       fmt::format("its keys lie at frames {:g} to {:g}, beyond frame {}", out_.keys.frames.front(),
                                   out_.keys.frames.back(), kMostFrames),
                       "Count frames from the beginning of the motion.");
    if (keyed) frames = std::max(1, static_cast<int>(std::floor(out_.keys.frames.back())) + 1);
    // What moves of itself has a frame 0 of its own.
    const bool moves = !config_.curves.rig.empty() || (out_.character && !out_.character->character.clips.empty());
    if (keyed && !moves) {
      begin = static_cast<int>(std::floor(out_.keys.frames.front()));
      frames = static_cast<int>(std::floor(out_.keys.frames.back())) + 1 - begin;
      if (begin != 0 && !t.range)
        out_.warnings.push_back(fmt::format(
            "the first key is at frame {}, and the take begins there: timeline.range says otherwise", begin));
    } else if (keyed && out_.keys.frames.back() < 0) {
      throw InputError({.file = config_.curves.keys.text}, "all keys are before frame 0, where the motion begins",
                       "Count their frames from the beginning of the motion.");
    }
    if (out_.character) {
      const Character& c = out_.character->character;
      if (!c.clips.empty()) {
        clip_ = find_clip(c, config_.surface.clip);
        out_.clip = clip_.name;
        out_.clip_sources = clip_.sources;
        time.fps = rate_of(config_, clip_);
        frames = frames_up_to(clip_.end - clip_.start, time.fps, {c.file, 0, 0, "clip '" + clip_.name + "'"});
      } else if (!config_.surface.clip.empty()) {
        throw InputError(config_.locate("surface.clip"), "the character has no animation", "Leave it out.");
      }
    }
    frames = t.frames.value_or(frames);
    time.first = t.range ? (*t.range)[0] : begin;
    const int last = t.range ? (*t.range)[1] : begin + frames - 1;
    if (last > begin + frames - 1)
      throw InputError(config_.locate("timeline.range"),
                       fmt::format("frame {} is past the last frame {}", last, begin + frames - 1),
                       "shorten the range, or set timeline.frames to hold the end");
    time.n_frames = last - time.first + 1;
    time.clip_start = clip_.start + (moves ? time.first : std::max(0, time.first - begin)) / time.fps;
  }

  void choose_joints() {
    if (!out_.character) return;
    const Character& c = out_.character->character;
    if (everything_) {
      choice_ = everything_of(c, out_.character->drawn);
      return;
    }
    std::vector<PatternChoice> all;
    for (const LayerPlan& plan : plans_)
      for (const std::string& pattern : plan.patterns)
        all.push_back(choose(config_, &c, &out_.character->drawn, pattern, plan.key));
    for (const std::string& name : out_.keys.names)
      all.push_back(choose(config_, &c, &out_.character->drawn, name, "curves.keys"));
    choice_ = joined(all);
  }

  std::shared_ptr<const RigMap> piled(const Clip& clip, bool loop, std::shared_ptr<const SkeletonDeformer>& skeleton) {
    std::vector<std::shared_ptr<const Deformer>> pile = make_deformers(config_, "rest", out_.rest, scale_);
    if (out_.character) {
      SkeletonSpec spec;
      spec.rotations =
          config_.curves.rotations == "euler" ? RotationParameters::euler : RotationParameters::exponential;
      spec.joints = choice_.joints;
      spec.morphs = choice_.morphs;
      spec.clip = clip;
      spec.start = out_.time.clip_start;
      spec.fps = out_.time.fps;
      spec.frames = out_.time.n_frames;
      spec.loop = loop;
      if (!clip.channels.empty()) spec.jumps = out_.time.jumps, spec.bridged = out_.time.found.bridged();
      // Both live as long as the character.
      const std::shared_ptr<const Character> character(out_.character, &out_.character->character);
      const std::shared_ptr<const Drawn> drawn(out_.character, &out_.character->drawn);
      out_.skeleton_first = 0;
      for (const auto& d : pile) out_.skeleton_first += static_cast<int>(d->parameters().size());
      skeleton = std::make_shared<SkeletonDeformer>(character, drawn, std::move(spec));
      pile.push_back(skeleton);
    }
    for (auto& d : make_deformers(config_, "world", out_.rest, scale_)) pile.push_back(std::move(d));
    return std::make_shared<DeformerStack>(out_.rest, std::move(pile));
  }

  void build(bool loop) {
    out_.still = out_.rig = piled(clip_, loop, out_.skeleton);
    std::shared_ptr<const SkeletonDeformer> unused;
    if (!clip_.channels.empty()) out_.still = piled(Clip(), false, unused);
  }

  void free_ones() {
    const std::vector<RigParameter>& all = out_.rig->parameters();
    const Character* character = out_.character ? &out_.character->character : nullptr;
    const Drawn* drawn = out_.character ? &out_.character->drawn : nullptr;
    const SkeletonDeformer* skeleton = out_.skeleton.get();
    for (const LayerPlan& plan : plans_) {
      std::vector<int> free;
      for (const std::string& pattern : plan.patterns) {
        const PatternChoice choice = choose(config_, character, drawn, pattern, plan.key);
        for (const std::string& name : choice.idle)
          out_.warnings.push_back(
              fmt::format("{} stays as keyed: it carries nothing but a joint that is free; name it to free it", name));
        const std::vector<int> some = parameters_of(config_, choice, all, skeleton, out_.skeleton_first);
        free.insert(free.end(), some.begin(), some.end());
      }
      std::sort(free.begin(), free.end());
      free.erase(std::unique(free.begin(), free.end()), free.end());
      if (free.empty() && !everything_) nothing_free();
      for (size_t k = 0; k < out_.free.size(); ++k)
        for (int i : free)
          if (std::binary_search(out_.free[k].begin(), out_.free[k].end(), i))
            throw InputError(config_.locate(plan.key),
                             fmt::format("{} is free in two layers", all[static_cast<size_t>(i)].name),
                             "Free every parameter in one layer.");
      out_.free.push_back(std::move(free));
    }
    for (const std::string& name : out_.keys.names) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const RigParameter& p) { return p.name == name; });
      if (known || everything_) continue;
      std::vector<std::string> names;
      for (const RigParameter& p : all) names.push_back(p.name);
      throw InputError({.file = config_.curves.keys.text}, fmt::format("the rig has no parameter {}", name),
                       suggestion(name, names, "Parameters") + " supple curves --list prints all of them.");
    }
  }

  [[noreturn]] void nothing_free() {
    std::vector<std::string> names;
    if (out_.character)
      for (const Bone& b : out_.character->drawn.bones) names.push_back(b.name);
    for (const RigParameter& p : out_.rig->parameters()) names.push_back(p.name);
    std::string list;
    for (size_t k = 0; k < std::min(kListed, names.size()); ++k) list += (k ? ", " : "") + names[k];
    if (names.size() > kListed) list += fmt::format(" and {} more", names.size() - kListed);
    throw InputError(config_.locate("curves.free"), "what shall physics fill in?",
                     "Give curves.free (--free \"Tail*\"). " +
                         (list.empty() ? "The rig has no parameters." : "There are: " + list + "."));
  }

  // Where points of the surface are at every frame, as keyed.
  std::vector<VecX> keyed_frames() const {
    const CurvesTimeline& time = out_.time;
    std::vector<int> some;
    const size_t every = std::max<size_t>(1, out_.rest.size() / kSeamPoints);
    for (size_t v = 0; v < out_.rest.size(); v += every) some.push_back(static_cast<int>(v));
    auto rig = out_.rig->for_points(some);
    CurveSamples samples(time.fps, time.n_frames, false);
    const auto& all = out_.rig->parameters();
    for (size_t c = 0; c < out_.keys.names.size(); ++c)
      for (size_t i = 0; i < all.size(); ++i)
        if (all[i].name == out_.keys.names[c])
          samples.set(static_cast<int>(i), resampled(out_.keys, static_cast<int>(c), time.first, time.n_frames));
    const KeyedParameters keyed = keyed_with(out_.rig, std::move(samples));
    std::vector<VecX> frames;
    for (int f = 0; f < time.n_frames; ++f) {
      const double t = f / time.fps;
      if (rig) {
        frames.push_back(rig->evaluate(keyed(t), t));
        continue;
      }
      const VecX x = out_.rig->evaluate(keyed(t), t);
      VecX few(3 * static_cast<Eigen::Index>(some.size()));
      for (size_t k = 0; k < some.size(); ++k)
        few.segment<3>(3 * static_cast<Eigen::Index>(k)) = x.segment<3>(3 * some[k]);
      frames.push_back(std::move(few));
    }
    return frames;
  }

  void plan_loop() {
    CurvesTimeline& time = out_.time;
    const std::string& asked = config_.timeline.loop;
    if (asked == "false" || config_.timeline.start != "auto" || config_.curves.motion == "static") return;
    const Seam seam = find_seam(keyed_frames(), 1 / time.fps);
    const bool stays = seam.carry.R.isIdentity(1e-6) && (seam.carry.to - seam.carry.from).norm() < 1e-6 * out_.size();
    time.why = stays || seam.kind != Seam::Kind::closed ? describe(seam) : "it travels from one cycle to the next";
    const bool closes = stays && seam.kind == Seam::Kind::closed;
    const bool can = stays && time.n_frames > 3 && (closes || seam.kind == Seam::Kind::different);
    if (asked == "true" && !can)
      throw InputError(config_.locate("timeline.loop"), "the motion cannot be repeated: " + time.why,
                       "Let it end in the pose it begins with, or leave timeline.loop out.");
    time.loop = asked == "true" || closes;
    if (time.loop && out_.skeleton) build(true);
  }

  // Where all of the surface jumps at once, and does so as one, unless the flesh begins anew there.
  void plan_jumps() {
    CurvesTimeline& time = out_.time;
    const std::string& mode = config_.timeline.cuts;
    if (mode == "off" || config_.curves.motion == "static" || time.n_frames < kFewestForJumps) return;
    const std::vector<VecX> frames = keyed_frames();
    for (const MotionCut& c : find_motion_cuts(frames, 1 / time.fps, {.drives_only = true}).list) {
      if (!c.is_leap()) {
        if (config_.curves.rig.empty()) time.found.list.push_back(c);  // another program is asked for every moment
        continue;
      }
      const auto k = static_cast<size_t>(c.frame - 1);
      const RigidMotion motion = fit_rigid_motion(frames[k], frames[k + 1]);
      double moved = 0, off = 0;
      for (Eigen::Index i = 0; i < frames[k].size(); i += 3) {
        moved += (frames[k + 1] - frames[k]).segment<3>(i).squaredNorm();
        off += (frames[k + 1].segment<3>(i) - motion(frames[k].segment<3>(i))).squaredNorm();
      }
      if (mode == "carry" && off > kRigidJump * kRigidJump * moved) continue;
      time.jumps.push_back(c.frame - 1);
      time.found.list.push_back(c);
    }
    if (time.found.list.empty()) return;
    for (const std::string& words : words_for(time.found, config_)) out_.warnings.push_back(words);
    if (out_.skeleton)
      build(false);
    else if (!config_.curves.rig.empty())
      out_.rig = std::make_shared<StillOverJumps>(out_.rig, time);
  }

  const SceneConfig& config_;
  bool everything_;
  CurvesRig out_;
  double scale_ = 1;
  Clip clip_;
  RigChoice choice_;
  std::vector<LayerPlan> plans_;
};

}  // namespace

double CurvesRig::size() const { return longest_side(rest); }

std::vector<int> CurvesRig::all_free() const {
  std::vector<int> all;
  for (const std::vector<int>& f : free) all.insert(all.end(), f.begin(), f.end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<LayerPlan> layer_plans(const SceneConfig& config) {
  const CurvesConfig& c = config.curves;
  if (config.curve_layers.empty())
    return {
        {.name = "all", .key = "curves.free", .patterns = c.free, .frequency_hz = c.frequency_hz, .modes = c.modes}};
  std::vector<LayerPlan> plans;
  for (size_t k = 0; k < config.curve_layers.size(); ++k) {
    const CurveLayerConfig& l = config.curve_layers[k];
    plans.push_back({.name = l.name.empty() ? std::to_string(k + 1) : l.name,
                     .key = fmt::format("curves.layer.{}.free", k),
                     .patterns = l.free,
                     .frequency_hz = l.frequency_hz.value_or(c.frequency_hz),
                     .modes = l.modes.value_or(c.modes)});
  }
  return plans;
}

std::vector<double> CurvesTimeline::cuts(int cycles) const {
  std::vector<double> times;
  for (int c = 0; c < cycles; ++c)
    for (int k : jumps) times.push_back((c * (n_frames - 1) + k + 1) / fps);
  return times;
}

CurvesRig make_curves_rig(const SceneConfig& config, bool everything) { return RigMaker(config, everything).make(); }

}  // namespace supple::pipeline::curves
