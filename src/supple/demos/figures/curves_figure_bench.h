// What the figures of rig-space physics are made with: takes of a scene and what is measured, for the tests of what the
// figures say. Inside the figures room only.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "supple/demos/figures/figure_bench.h"
#include "supple/pipeline/curves/run.h"
#include "supple/render/render.h"

namespace supple::demos {

// A scene that was run.
struct CurvesTake {
  std::shared_ptr<const pipeline::curves::CurvesSetup> setup;
  pipeline::curves::CurvesResult result;
  std::vector<Points> found, keyed;  // the surface frame by frame: the result, and what is keyed alone
  std::vector<double> share;         // of each point: how much free parameters move it at rest, 0 to 1

  int n_frames() const { return static_cast<int>(found.size()); }
  std::vector<double> seconds() const;
  const pipeline::curves::LayerResult& layer() const { return result.layers.front(); }
  // Values of a parameter frame by frame. InputError: it has none of that name.
  std::vector<double> curve(const std::string& parameter) const;
  // The surface at given points, reddish where physics moves it.
  RenderMesh drawn(const Points& x) const;
  // rms of what free parameters move, against what is keyed, over all frames [m].
  double motion() const;
  // The frame in which that is largest.
  int busiest() const;
};
CurvesTake take_curves(const FigureStage& stage, const std::string& label, const std::string& scene,
                       const std::vector<std::string>& overrides = {});
// Of a setup that was changed in code.
CurvesTake take_curves(const FigureStage& stage, const std::string& label,
                       std::shared_ptr<const pipeline::curves::CurvesSetup> setup);

// rms distance of two surfaces over all frames and those points whose share is more than a hundredth [m].
double rms_of_moved(const std::vector<Points>& a, const std::vector<Points>& b, const std::vector<double>& share);
// All corners of several shapes, for a camera that shows them all.
Points together(const std::vector<const Points*>& shapes);
// A colour by stiffness: blue softer, red stiffer, full at ten times.
Vec3 field_color(double stiffness);
// Colours on the vertices of a mesh by the stiffness of the tets around them; rest: where they are among the tets.
void color_by_field(const Points& rest, const TetMesh& tets, const std::vector<double>& stiffness, RenderMesh& mesh);
// By that of a take; grey where it asks for none.
void color_by_field(const CurvesTake& take, RenderMesh& mesh);

struct SphereTakes {
  CurvesTake scaled, passive;      // the former has what is keyed too
  double lowest = 0, highest = 0;  // vertical scale of the keyed one
  double squashed = 0;             // of the passive one: the least
  double deepest = 0;              // [m] below the ground, of the passive one
};
SphereTakes measure_sphere(const FigureStage& stage);

// A bar that hangs on its middle: how far its ends are below it [m], and how far it is bent there [rad].
struct BarSide {
  double tip = 0;               // of the end
  double inner = 0, outer = 0;  // from the middle to two thirds of the way; from there to the end, beyond that
};
struct BarBend {
  std::string name;
  BarSide left, right;
  CurvesTake take;
};
// Alike, p3 and p4 stiff, p4 stiff.
std::vector<BarBend> measure_bar(const FigureStage& stage);

// The belly over the walk, and modes of its curves.
struct BellyModes {
  CurvesTake take;
  ParameterModes modes;
  MatX samples;             // curves as differences from rest
  std::vector<Vec3> along;  // of each mode: shares of x, y and z in the squared motion of the surface
  // The surface at rest with the modes at these amplitudes.
  Points at(const VecX& r) const;
  // The shot with the modes so much larger.
  std::vector<Points> scaled(const std::vector<double>& scale) const;
};
BellyModes measure_belly(const FigureStage& stage);

// Six modes against 36 parameters.
struct FewModes {
  struct Case {
    std::string learnt, used;
    double difference = 0, motion = 0;  // rms [m]
    double full_s = 0, few_s = 0;       // [s] a frame
    double share() const { return difference / motion; }
  };
  std::vector<Case> cases;  // walk on walk, walk on dance, dance on walk, dance on dance
  CurvesTake full, few;     // the dance, and by modes of the walk
};
FewModes measure_few_modes(const FigureStage& stage);

struct FlowerSwing {
  std::string name;
  double stem = 0, blossom = 0, leaves = 0;  // rms of angles that are filled in [rad]
  CurvesTake take;
};
// Soft, stiff, soft blossom, soft blossom and leaves.
std::vector<FlowerSwing> measure_flower(const FigureStage& stage);

struct WorkoutPulls {
  CurvesTake moving, posed;        // with inertia and without
  std::vector<std::string> names;  // of the handles
  std::vector<int> points;
  std::vector<Points> targets;                  // of the handles, frame by frame
  std::vector<double> moving_miss, posed_miss;  // rms of each [m]
  double travel = 0;                            // of the handle that goes farthest [m]
};
WorkoutPulls measure_workout(const FigureStage& stage);

// A bar whose joint is moved along it by a key: the stiffness that was fitted at rest, and fitted anew.
struct FittedAnew {
  struct Way {
    std::vector<double> misfit, felt;         // frame by frame; felt: of the joint, over that of equal tets
    std::vector<double> bend;                 // [rad]
    std::vector<std::vector<double>> fields;  // of the tets
    std::vector<Points> shapes;
    int refits = 0;
  };
  double asked = 0;  // of the joint
  Way once, anew;    // fitted at rest alone; and again where that is wrong
  Points rest;
  std::vector<Tri> triangles;
  TetMesh tets;
};
FittedAnew measure_fitted_anew(const FigureStage& stage);

// curves_figure_sphere.cpp, ..._bar.cpp, ..._modes.cpp, ..._walk.cpp, ..._flower.cpp, ..._refit.cpp
Figure figure_rigged_sphere(FigureStage& stage);
Figure figure_rigged_bar(FigureStage& stage);
Figure figure_belly_modes(FigureStage& stage);
Figure figure_rigged_walk(FigureStage& stage);
Figure figure_rigged_flower(FigureStage& stage);
Figure figure_few_modes(FigureStage& stage);
Figure figure_workout(FigureStage& stage);
Figure figure_scaled_mode(FigureStage& stage);
Figure figure_fitted_anew(FigureStage& stage);

}  // namespace supple::demos
