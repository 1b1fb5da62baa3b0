#include "supple/demos/drawn/walk_elephant.h"

#include <algorithm>
#include <cmath>

#include "supple/demos/gallery/jellyphant.h"
#include "supple/demos/gallery/jellyphant_gait.h"
#include "supple/demos/gallery/jellyphant_plan.h"
#include "supple/demos/shapes/draw_character.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace walk {

namespace {

bool is_ornament(const std::string& material) {
  return material == "eyes" || material == "glint" || material == "tusks";
}

// Shares of a place in its loose parts, 0 or 1 but for narrow borders.
double ears(const Vec3& x) { return smooth_ramp(jellyphant::ear_share(x), 0.25, 0.75); }
double trunk(const Vec3& x) {
  return smooth_ramp(x[2] - 0.35 * (x[1] - 0.95), 0.82, 0.90) * smooth_ramp(std::abs(x[0]), 0.30, 0.24);
}
double tail(const Vec3& x) { return smooth_ramp(x[2], -0.67, -0.73); }

// Belly and sides: what is neither back nor leg, between the shoulders and the rump. The ears lie close to it.
double belly(const Vec3& x) {
  const Vec3 q(std::abs(x[0]), x[1], x[2]);
  double leg = 1;
  for (const auto& at : {jellyphant::kFore, jellyphant::kHind})
    leg = std::min(leg, round_cone(q, at[0] - Vec3(0, 0.03, 0), at[2], 0.15, 0.15));
  const double back = round_cone(q, {0, 1.16, -0.60}, {0, 1.16, 0.30}, 0.17, 0.20);
  return smooth_ramp(leg, 0.02, 0.07) * smooth_ramp(back, -0.01, 0.05) * smooth_ramp(x[2], 0.33, 0.27) *
         smooth_ramp(x[2], -0.60, -0.54) * smooth_ramp(x[1], 0.44, 0.48) * (1 - ears(x)) *
         smooth_ramp(q[0], 0.56, 0.50);
}

Painting painting() {
  const auto of_skin = [](double (*share)(const Vec3&)) -> Paint {
    return [share](const Vec3& x, const std::string& material) { return is_ornament(material) ? 0.0 : share(x); };
  };
  const auto soft = [](const Vec3& x) { return std::max({ears(x), trunk(x), tail(x), belly(x)}); };
  return {.soft = of_skin(soft),
          .parts = {
              {"ears", of_skin(ears)}, {"trunk", of_skin(trunk)}, {"tail", of_skin(tail)}, {"belly", of_skin(belly)}}};
}

}  // namespace
}  // namespace walk

DrawnAnimation make_walking_elephant(const WalkOptions& o) {
  // One frame of its own clip: the shape is what is wanted.
  const Character elephant = reopen(make_jellyphant({.edge = o.edge, .frames = 1})).character.character;
  const Rig rig = jellyphant::skeleton();
  const Clip clip = bake_clip(elephant, "walk", o.frames, kWalkFps, walk::motion(rig));
  return draw_character(elephant, clip, o.frames, kWalkFps, walk::painting());
}

}  // namespace supple::demos
