#include "supple/demos/gallery/live_man.h"

#include <algorithm>
#include <cmath>

#include "supple/demos/gallery/live_man_plan.h"
#include "supple/demos/gallery/live_man_shape.h"
#include "supple/demos/gallery/live_spline.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace live_man {

Rig skeleton() {
  Rig r;
  // On the ground and too thin to carry skin: what moves all of him.
  r.add("root", "", {0, 0, 0}, {0, 0.01, 0}, 1e-3, 0);
  r.add("hips", "root", kHips, kSpine, 0.19, 0.55);
  r.add("spine", "hips", kSpine, kChest, 0.2, 1);
  r.add("chest", "spine", kChest, kNeck, 0.19, 0.45);
  r.add("neck", "chest", kNeck, kHead, 0.08, 0);
  r.add("head", "neck", kHead, kHeadTop, 0.09, 0);
  r.add_pair("shoulder", "chest", kCollar, kShoulder, 0.09, 0.2);
  r.add_pair("upper_arm", "shoulder", kShoulder, kElbow, 0.07, 0.4);
  r.add_pair("forearm", "upper_arm", kElbow, kWrist, 0.045, 0);
  r.add_pair("hand", "forearm", kWrist, kFingers, 0.04, 0);
  r.add_pair("thigh", "hips", kThigh, kKnee, 0.115, 1);
  r.add_pair("shin", "thigh", kKnee, kAnkle, 0.06, 0);
  r.add_pair("foot", "shin", kAnkle, kToe, 0.045, 0);
  return r;
}

namespace {

double fineness(const Vec3& p) {
  Fineness fine{.over = 0.1};
  const Vec3 q(std::abs(p[0]), p[1], p[2]);
  // The face; hair is smooth.
  fine.towards(std::max(1.58 - p[1], 0.04 - p[2]), 0.32);
  fine.towards(1.58 - p[1], 0.6);
  fine.towards((q - 0.4 * kWrist - 0.6 * kFingers).norm() - 0.08, 0.55);
  fine.towards(p[1] - 0.08, 0.65);
  return fine.value;
}

RiggedSkin skin(const Rig& rig, double edge) {
  RiggedSkin s;
  s.surface = skin_surface(body, {{-0.72, -0.04, -0.25}, {0.72, 1.88, 0.34}},
                           {.edge = edge,
                            .lattice = 0.85 * edge,
                            .finer = fineness,
                            .paints = {{"shorts", shorts}, {"hair", hair}, {"brow", brows}, {"lips", mouth}}});
  const int foot_l = rig["foot_l"], foot_r = rig["foot_r"], head = rig["head"], spine = rig["spine"];
  const LivePlan belly = live_man_plan()[0];
  s.weights = rig_weights(rig, s.surface.mesh, static_cast<int>(std::lround(0.2 / edge)), [&](const Vec3& x, int j) {
    // Soles stand as one, all above the jaw turns as one, and the belly goes with one bone in front.
    if (j == (x[0] > 0 ? foot_l : foot_r)) return smooth_ramp(x[1], 0.12, 0.07);
    const double jaw = 0.04 * smooth_ramp(x[2], 0.0, 0.06);
    if (j == head) return smooth_ramp(x[1] + jaw, 1.555, 1.605);
    if (j == spine) return smooth_ramp(belly.region.distance(x), 0, -0.07) * smooth_ramp(x[2], -0.02, 0.12);
    return 0.0;
  });
  return s;
}

// How much of its joints' softness a place has: the back over the spine is hard, and so are the knees; ribs hold the
// chest.
double flesh(const Vec3& x) {
  const double back = smooth_ramp(x[2], 0.0, -0.1) * smooth_ramp(x[1], 0.93, 1.0);
  const double ribs = smooth_ramp(x[1], 1.2, 1.3) * smooth_ramp(std::abs(x[0]), 0.24, 0.18);
  return (1 - 0.9 * back) * (1 - 0.4 * ribs) * smooth_ramp(x[1], 0.49, 0.6);
}

// Well inside of its region a part is flesh throughout, whatever other joints take part in there.
void paint_parts(Character& c) {
  for (Primitive& p : c.meshes[0].primitives)
    for (size_t i = 0; i < p.positions.size(); ++i)
      for (const LivePlan& part : live_man_plan()) {
        const Vec3& x = p.positions[i];
        double& soft = p.maps["_SOFT"][i];
        soft = std::max(soft, flesh(x) * smooth_ramp(part.region.distance(x), 0, -0.025));
      }
}

std::vector<Ornament> eyes(const Rig& rig) {
  std::vector<Ornament> list;
  for (const double x : {0.032, -0.032}) {
    const auto put = [&](const char* material, double depth, double r) {
      list.push_back({material, rig["head"], egg({x, 1.686, depth}, {r, r, r})});
    };
    put("eyes", 0.0765, 0.0175);
    put("pupils", 0.0875, 0.0085);
  }
  return list;
}

}  // namespace
}  // namespace live_man

Character make_live_man(const LiveManOptions& o) {
  const Rig rig = live_man::skeleton();
  RiggedCharacter r = assemble("live_man", rig, live_man::skin(rig, o.edge), live_man::eyes(rig), live_man::flesh);
  live_man::paint_parts(r.character);
  for (const live_man::Motion& m : live_man::motions(rig)) {
    Clip clip = bake_clip(r.character, m.name, m.frames, kLiveManFps, m.pose);
    smooth_tracks(clip, m.loops ? SplineEnds::loop : SplineEnds::rest);
    clip.sources = {static_cast<int>(r.character.clips.size())};
    r.character.clips.push_back(std::move(clip));
  }
  return std::move(r.character);
}

std::map<std::string, Vec3> live_man_colors() {
  return {{"skin", {0.78, 0.47, 0.33}},   {"shorts", {0.03, 0.17, 0.30}}, {"hair", {0.06, 0.03, 0.015}},
          {"brow", {0.06, 0.03, 0.015}},  {"lips", {0.55, 0.20, 0.16}},   {"eyes", {0.85, 0.85, 0.83}},
          {"pupils", {0.02, 0.015, 0.01}}};
}

}  // namespace supple::demos
