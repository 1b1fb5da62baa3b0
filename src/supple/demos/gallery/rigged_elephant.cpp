#include "supple/demos/gallery/rigged_elephant.h"

#include <cmath>

#include "supple/demos/gallery/rigged_elephant_plan.h"
#include "supple/demos/shapes/conforming_tets.h"
#include "supple/demos/shapes/correctives.h"
#include "supple/demos/shapes/shapes.h"

namespace supple::demos {

namespace peanut {

Rig skeleton() {
  Rig r;
  r.add("pelvis", "", jellyphant::kPelvis, jellyphant::kPelvis + 0.8 * (jellyphant::kChest - jellyphant::kPelvis), 0.34,
        1);
  r.add("chest", "pelvis", jellyphant::kChest, jellyphant::kNeck, 0.34, 1);
  r.add("neck", "chest", jellyphant::kNeck, jellyphant::kHead, 0.25, 1);
  r.add("head", "neck", jellyphant::kHead, jellyphant::kHeadTip, 0.27, 1);
  // So thin that nothing goes with it but what is told to.
  r.add("shoulders", "chest", {0, 0.98, 0.17}, {0, 1.02, 0.17}, 0.01, 1);
  for (int k = 0; k < 5; ++k)
    r.add("trunk" + std::to_string(k + 1), k == 0 ? "head" : "trunk" + std::to_string(k), kTrunk[k], kTrunk[k + 1],
          0.11, 1);
  for (int k = 0; k < 4; ++k)
    r.add("tail" + std::to_string(k + 1), k == 0 ? "pelvis" : "tail" + std::to_string(k), kTail[k], kTail[k + 1], 0.08,
          1);
  r.add_pair("ear", "head", kEar, kEar + 0.40 * kEarOut, 0.05, 1);
  const auto leg = [&](const std::string& name, const std::string& parent, const Vec3(&at)[4]) {
    r.add_pair(name + "_leg", parent, at[0], at[1], 0.15, 1);
    r.add_pair(name + "_shin", name + "_leg", at[1], at[2], 0.125, 1);
    r.add_pair(name + "_foot", name + "_shin", at[2], at[3], 0.11, 1);
  };
  leg("fore", "chest", jellyphant::kFore);
  leg("hind", "pelvis", jellyphant::kHind);
  return r;
}

namespace {

constexpr int kBlendRings = 2;  // of a skin as coarse as this
constexpr double kPush = 0.1;   // [m] of a blend shape at weight 1

// 751 vertices on the surface and 1330 inside [rig-space physics, Table 1].
ConformingBody elephant_tets() {
  constexpr double edge = 0.1498;
  return conforming_tets(body, fat_body, {{-1.1, -0.15, -1.4}, {1.1, 1.85, 1.75}},
                         {.edge = edge, .shift = edge * Vec3(0, 0.3, 0.2), .interior = 1330});
}

RiggedSkin elephant_skin(const Rig& rig, const TriMesh& mesh) {
  RiggedSkin s;
  s.surface.mesh = mesh;
  s.surface.materials = {"cloth", "lining", "toes"};
  for (const Tri& t : mesh.triangles) {
    const Vec3 x = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3;
    s.surface.triangle_material.push_back(inner_ear(x) < 0 ? 1 : toes(x) < 0 ? 2 : 0);
  }
  const int ear[] = {rig["ear_l"], rig["ear_r"]}, shoulders = rig["shoulders"];
  s.weights = rig_weights(rig, mesh, kBlendRings, [&](const Vec3& x, int j) {
    if (j == ear[x[0] > 0 ? 0 : 1]) return ear_share(x);
    if (j == shoulders) return shoulder_share(x);
    const std::string foot = std::string(x[2] > -0.1 ? "fore" : "hind") + "_foot" + (x[0] > 0 ? "_l" : "_r");
    return rig.joints()[j].name == foot && std::abs(x[2] + 0.1) < 0.6 ? smooth_ramp(x[1], 0.20, 0.10) : 0.0;
  });
  return s;
}

std::vector<Ornament> eyes_and_tusks(const Rig& rig) {
  std::vector<Ornament> list;
  const SkinSurface one = skin_surface(jellyphant::tusk, {{0.0, 0.8, 0.6}, {0.3, 1.15, 1.2}}, {.edge = 0.03});
  for (const double x : {1.0, -1.0}) {
    const Vec3 eye(0.205 * x, 1.255, 0.745);
    list.push_back({"eyes", rig["head"], egg(eye, Vec3::Constant(0.045))});
    list.push_back(
        {"glint", rig["head"], egg(eye + Vec3(0.016 * x, 0.019, 0.031), Vec3::Constant(0.012), Mat3::Identity(), 6)});
    TriMesh m = one.mesh;
    for (Vec3& v : m.vertices) v += Vec3(0.03, 0, 0.02);
    if (x < 0) {
      for (Vec3& v : m.vertices) v = mirrored(v);
      for (Vec3& n : m.normals) n = mirrored(n);
      for (Tri& t : m.triangles) std::swap(t[1], t[2]);
    }
    list.push_back({"tusks", rig["head"], m});
  }
  return list;
}

// Twelve places on the belly that share what is near them: together they move it as one.
void add_belly(const RiggedSkin& skin, RiggedCharacter& character) {
  struct Place {
    std::string name;
    Vec3 at;
  };
  std::vector<Place> places;
  for (const double side : {1.0, -1.0})
    for (const bool low : {true, false})
      for (int k = 0; k < 3; ++k)
        places.push_back(
            {std::string("belly_") + (side > 0 ? "l_" : "r_") + (low ? "low_" : "high_") + std::to_string(k + 1),
             {0.26 * side, low ? 0.50 : 0.78, 0.16 - 0.25 * k}});
  const Points& x = skin.surface.mesh.vertices;
  MatX shares(static_cast<Eigen::Index>(x.size()), static_cast<Eigen::Index>(places.size()));
  for (Eigen::Index i = 0; i < shares.rows(); ++i) {
    for (Eigen::Index k = 0; k < shares.cols(); ++k)
      shares(i, k) = std::exp(-(x[i] - places[k].at).squaredNorm() / (2 * 0.15 * 0.15));
    shares.row(i) *= belly_share(x[i]) / shares.row(i).sum();
  }
  for (size_t k = 0; k < places.size(); ++k)
    for (int axis = 0; axis < 3; ++axis) {
      Points offsets;
      for (size_t i = 0; i < x.size(); ++i)
        offsets.push_back(kPush * shares(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) *
                          Vec3::Unit(axis));
      add_surface_shape(skin, places[k].name + "_" + "xyz"[axis], offsets, character);
    }
}

}  // namespace
}  // namespace peanut

RiggedElephant make_rigged_elephant(const RiggedElephantOptions& o) {
  const Rig rig = peanut::skeleton();
  ConformingBody body = peanut::elephant_tets();
  const RiggedSkin skin = peanut::elephant_skin(rig, body.surface);
  RiggedCharacter r = assemble("elephant", rig, skin, peanut::eyes_and_tusks(rig));
  peanut::add_belly(skin, r);
  Character& c = r.character;
  c.clips.push_back(bake_clip(c, "walk", o.walk_frames, kRiggedElephantFps, peanut::walking(rig)));
  c.clips.push_back(bake_clip(c, "dance", o.dance_frames, kRiggedElephantFps, peanut::dancing(rig)));
  for (size_t k = 0; k < c.clips.size(); ++k) c.clips[k].sources = {static_cast<int>(k)};
  const int n_surface = body.n_surface();
  return {std::move(c), std::move(body.tets), n_surface};
}

std::map<std::string, Vec3> rigged_elephant_colors() {
  return {{"cloth", {0.30, 0.38, 0.48}}, {"lining", {0.80, 0.36, 0.40}}, {"toes", {0.86, 0.80, 0.70}},
          {"tusks", {0.90, 0.86, 0.74}}, {"eyes", {0.01, 0.01, 0.015}},  {"glint", {0.95, 0.95, 0.95}}};
}

std::map<std::string, Vec3> rigged_elephant_grips() {
  const Vec3 ear = peanut::kEar + 0.48 * peanut::kEarOut, fore(0.235, 0.02, 0.23), hind(0.235, 0.02, -0.38);
  return {{"trunk", peanut::kTrunk[5] + Vec3(0, 0, 0.09)},
          {"foot_fore_l", fore},
          {"foot_fore_r", mirrored(fore)},
          {"foot_hind_l", hind},
          {"foot_hind_r", mirrored(hind)},
          {"ear_l", ear},
          {"ear_r", mirrored(ear)},
          {"back", Vec3(0, 1.22, -0.10)}};
}

}  // namespace supple::demos
