// What a rigged body can touch.
#include <algorithm>
#include <map>
#include <utility>

#include "supple/anim/track_views.h"
#include "supple/contact/contact_bodies.h"
#include "supple/pipeline/curves/body.h"
#include "supple/pipeline/job/contact_setup.h"
#include "supple/pipeline/setup/surroundings.h"

namespace supple::pipeline::curves {

namespace {

constexpr double kCurvesThickness = 0.002;  // of the size

// Of the boundary of all tets, what is there of it; faces of the cut touch nothing.
void add_skin(const CurvesTets& all, const CroppedTets& tets, ContactSpec& spec) {
  spec.bodies.emplace_back("the body");
  std::vector<int> number(all.mesh.vertices.size(), -1);
  for (size_t v = 0; v < tets.vertex.size(); ++v) number[tets.vertex[v]] = static_cast<int>(v);
  std::map<int, int> point_of;
  for (Tri t : boundary_triangles(all.mesh.tets)) {
    if (std::any_of(t.begin(), t.end(), [&](int v) { return number[v] < 0; })) continue;
    for (int& corner : t) {
      const auto [at, is_new] = point_of.try_emplace(number[corner], static_cast<int>(spec.anchors.size()));
      if (is_new) {
        spec.anchors.push_back(ContactAnchor::at(number[corner]));
        spec.body.push_back(0);
      }
      corner = at->second;
    }
    spec.triangles.push_back(t);
  }
}

}  // namespace

CurvesContact curves_contact(const SceneConfig& config, const CurvesRig& rig, const CurvesTets& all,
                             const CroppedTets& tets, std::vector<std::string>& warnings) {
  CurvesContact out;
  Notes notes;
  const std::shared_ptr<const Surroundings> around = load_surroundings(config, rig.time.fps, notes);
  warnings.insert(warnings.end(), notes.warnings.begin(), notes.warnings.end());
  if (!around) return out;
  out.spec.self = config.contact.self;
  out.spec.friction = config.contact.friction;
  out.spec.thickness = config.contact.thickness.value_or(kCurvesThickness * longest_side(all.mesh.vertices));
  out.spec.planes = around->planes;
  add_skin(all, tets, out.spec);
  for (const Obstacle& o : around->obstacles) add_obstacle(out.spec, o.mesh, o.name);
  out.obstacles = obstacle_motion(around);
  if (out.obstacles && rig.time.first != 0) out.obstacles = later(out.obstacles, -(rig.time.first / rig.time.fps));
  return out;
}

}  // namespace supple::pipeline::curves
