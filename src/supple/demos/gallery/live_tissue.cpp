#include "supple/demos/gallery/live_tissue.h"

#include "supple/anim/key_clip.h"
#include "supple/demos/gallery/live_man_plan.h"
#include "supple/demos/gallery/live_spline.h"
#include "supple/demos/shapes/rig.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace {

constexpr int kFrames = 121;  // four seconds, both ends

double bladder(const Vec3& p) { return round_cone(p, {-0.022, 0.018, 0.07}, {-0.008, 0.016, 0.1}, 0.012, 0.016); }

double organ(const Vec3& p) {
  double d = ellipsoid(p, {-0.045, 0.012, 0.0}, {0.085, 0.067, 0.1});              // the large lobe
  d = join(d, ellipsoid(p, {0.058, 0.010, -0.012}, {0.078, 0.043, 0.07}), 0.045);  // the small one
  d = join(d, ellipsoid(p, {-0.075, 0.008, 0.045}, {0.05, 0.035, 0.05}), 0.03);    // a corner in front
  // A furrow between both.
  d = cut(d, -round_cone(p, {0.022, 0.075, 0.06}, {0.028, 0.076, -0.08}, 0.022, 0.018), 0.02);
  d = join(d, bladder(p), 0.008);
  return cut(d, -p[1], 0.009);
}

double fineness(const Vec3& p) { return 1 - 0.3 * smooth_ramp(p[1], 0.008, 0.03); }

}  // namespace

Character make_live_tissue(const LiveTissueOptions& o) {
  Rig rig;
  rig.add("root", "", {0, 0, 0}, {0, 0.01, 0}, 0.01, 0);
  rig.add("base", "root", {0, 0.002, 0}, {0, 0.02, 0}, 0.1, 1);
  RiggedSkin skin;
  skin.surface = skin_surface(organ, {{-0.2, -0.03, -0.15}, {0.2, 0.12, 0.17}},
                              {.edge = o.edge,
                               .lattice = 0.8 * o.edge,
                               .finer = fineness,
                               .paints = {{"gall", [](const Vec3& p) { return bladder(p) - 0.0015; }}},
                               .material = "tissue"});
  skin.weights = MatX::Zero(skin.surface.mesh.n_vertices(), rig.size());
  skin.weights.col(rig["base"]).setOnes();
  RiggedCharacter r =
      assemble("live_tissue", rig, skin, {}, [](const Vec3& x) { return smooth_ramp(x[1], 0.004, 0.028); });
  Clip clip = bake_clip(r.character, "sway", kFrames, kLiveTissueFps, [&](double f, std::vector<Placement>& nodes) {
    const double a = 2 * M_PI * f / (kFrames - 1);
    Placement& base = nodes[rig["base"]];
    // Breathing in is quicker than out.
    base.translation += Vec3(0.004 * std::sin(a), 0.008 * (1 - std::cos(a + 0.35 * std::sin(a))), 0);
    base.rotation = turned({2.5 * std::sin(a), 0, 3 * std::sin(a + 0.6)});
  });
  smooth_tracks(clip, SplineEnds::loop);
  clip.sources = {0};
  r.character.clips.push_back(std::move(clip));
  return std::move(r.character);
}

std::vector<LivePlan> live_tissue_plan() {
  return {{"tissue", "base", {.centre = {0, 0.04, 0}, .radii = {0.19, 0.06, 0.16}}}};
}

std::map<std::string, Vec3> live_tissue_colors() {
  return {{"tissue", {0.62, 0.20, 0.19}}, {"gall", {0.12, 0.17, 0.05}}};
}

}  // namespace supple::demos
