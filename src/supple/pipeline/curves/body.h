// The tets of a rigged surface: all of them, and those that a layer of curves needs.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/anim/track.h"
#include "supple/pipeline/curves/rig.h"
#include "supple/rigspace/rig_body.h"

namespace supple::pipeline::curves {

// Less than this share of the size, for a usual change of a parameter, is no motion.
inline constexpr double kLeastMotion = 1e-6;

struct CurvesTets {
  TriMesh surface;          // that they are around
  std::vector<int> source;  // a point of the rig behind each of its vertices
  std::vector<int> tet_of;  // that holds each of them, or the nearest
  TetMesh mesh;             // [m]
  std::vector<int> rigged;  // vertices on its boundary
  SurfaceMap map;           // from the points of the rig to these
  int coincident = 0;       // of them that are points of the rig
  double edge = 0;          // mean [m]
  std::vector<std::string> warnings;
};
// Read, or built around the surface: of a character around its soft pieces, which are found here and put into
// rig.character. InputError: nothing is soft, tets that are not around the surface, ...
CurvesTets make_curves_tets(const SceneConfig& config, CurvesRig& rig);

// Finer ones, as many again around what of the surface some tets hold. The rest of the surface is open there: what is
// not near it is not rigged.
CurvesTets finer_tets(const SceneConfig& config, const CurvesRig& rig, const CurvesTets& tets,
                      const std::vector<int>& kept);

// Some of the tets, those that matter for some parameters.
struct CroppedTets {
  TetMesh mesh;
  std::vector<int> vertex, tet;  // of the whole
  std::vector<int> rigged;       // of this mesh
  SurfaceMap map;
  std::vector<char> moved;  // per rigged vertex: whether a parameter moves it
};
// margin: rings of tets around what the parameters `free` move at rest and at some of the moments; 0: all tets.
// InputError: they move nothing of the tets.
CroppedTets crop_tets(const CurvesTets& tets, const RigMap& rig, const std::vector<int>& free, int margin,
                      const std::vector<std::pair<VecX, double>>& moments, const Location& where);

// Of the parameters `free`, those that others of them do not do as well: a joint that nothing hangs on turns what its
// child turns. One that is left out is the one that moves least by itself. All are in order.
struct IndependentParameters {
  std::vector<int> own;
  std::vector<int> alike;  // others do the same
  std::vector<int> idle;   // move nothing of the tets
};
IndependentParameters independent_parameters(const CroppedTets& tets, const RigMap& rig, const std::vector<int>& free,
                                             const std::vector<std::pair<VecX, double>>& moments);

// Material, gravity and what else a scene says of a model; Young's modulus 2e4 Pa where it says none.
ModelSpec curves_model(const SceneConfig& config, const CroppedTets& tets, std::vector<std::string>& warnings);

// The boundary as what touches, with planes and obstacles of the scene. obstacles: null where none moves; its time 0 is
// that of the rig.
struct CurvesContact {
  ContactSpec spec;  // thickness 0: nothing may touch
  std::shared_ptr<const Track> obstacles;
};
CurvesContact curves_contact(const SceneConfig& config, const CurvesRig& rig, const CurvesTets& all,
                             const CroppedTets& tets, std::vector<std::string>& warnings);

}  // namespace supple::pipeline::curves
