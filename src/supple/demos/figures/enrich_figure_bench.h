// What the figures of enriched animations are made with: takes of a scene, bodies cut open, and what is measured, for
// the tests of what the figures say. Inside the figures room only.
#pragma once
#include <string>
#include <vector>

#include "supple/demos/figures/figure_bench.h"
#include "supple/enrich/fit.h"
#include "supple/io/point_cache.h"
#include "supple/pipeline/enriched/enriched_subject.h"
#include "supple/pipeline/job/job.h"
#include "supple/render/render.h"

namespace supple::demos {

// A scene that was run.
struct EnrichTake {
  std::shared_ptr<const pipeline::EnrichedSubject> subject;
  pipeline::Job job;
  PointCache tets, statics;  // positions of the tet vertices, and of their equilibrium, one sample a frame

  int n_frames() const { return tets.n_samples; }
  double seconds_at(int frame) const { return frame / job.shot.fps; }
  // The drawn surface frame by frame, with this much of the physics shown.
  std::vector<Points> drawn(double blend = 1, bool detail = true);
  // Where the input has it, completed by the fit.
  Points input(int frame) const;
};

// fit: of the same surface and tets, from an earlier take; null: it is made. SimulationFailure and Cancelled as from
// steps.
EnrichTake take_enriched(const FigureStage& stage, const std::string& label, const std::string& scene,
                         const std::vector<std::string>& overrides = {}, const FittedAnimation* fit = nullptr);

// Where the scene of a figure is written.
std::string scene_directory(const FigureStage& stage, const std::string& label);

// A closed surface without what lies beyond x = at, and the face of the cut. Flesh is where the surface goes round a
// point once; where it goes round more often, or the wrong way, it passes through itself.
struct CutBody {
  RenderMesh shell, face;
  double flesh_area = 0, wrong_area = 0;  // [m^2] of the face
};
// The face is made of strips so high [m].
CutBody cut_open(const RenderMesh& mesh, double at, double strip);

// Root mean square over the points of the distance between two of them [m].
double rms_distance(const Points& a, const Points& b);

// The fold: how wide the slit between the rolls is [m], frame by frame.
struct FoldGaps {
  std::vector<double> full, blended, adjusted;  // all of the physics; half shown by blending; half by adjusted physics
  double drawn = 0;                             // in the input
  double closed = 0;                            // below it counts as closed
  int closing = 0;                              // frame in which adjusted physics has it narrowest
  std::vector<Points> full_frames, blended_frames, adjusted_frames;
  EnrichTake take;

  double closed_share(const std::vector<double>& gaps) const;
};
FoldGaps measure_fold(const FigureStage& stage);
// The least distance between two sets of triangles [m].
double surface_distance(const Points& x, const std::vector<Tri>& one, const std::vector<Tri>& other);

// Ripples of the plant's leaves: amplitude by waves along a leaf [m].
struct RippleSpectrum {
  std::vector<double> waves, amplitude;
  // Root mean square within a band around the waves that the ripples were made with.
  double band(double from, double to) const;
};
RippleSpectrum ripple_spectrum(const Points& plant);
struct PlantDetail {
  RippleSpectrum input, with_detail, without;               // at the last frame
  std::vector<double> input_band, with_band, without_band;  // frame by frame
  std::vector<Points> with_frames, without_frames, input_frames;
  EnrichTake take;
};
PlantDetail measure_plant(const FigureStage& stage);

// The head: how often the skin passes through itself, frame by frame.
struct HeadCrossings {
  std::vector<int> frames;           // of the shot
  std::vector<int> fitted, surface;  // completed by the fit; as rigidly as possible over the surface alone
  int neutral = 0;                   // in the neutral shape
  size_t worst = 0;                  // among the frames
  int settled = 0;                   // the surface there, after many more iterations
  Vec3 where = Vec3::Zero();         // the middle of what crosses there
  TriMesh skin;                      // neutral, without teeth, tongue and eyes
  Points fitted_worst, surface_worst;
};
HeadCrossings measure_head(const FigureStage& stage);

// The elephant: departure from the input by softness.
struct SoftnessSweep {
  std::vector<double> softness, rms, largest;  // [m] over all frames; of the vertex that departs most
  double size = 0;                             // [m] of the elephant
  int frame = 0;                               // in which the softest departs most
  TriMesh mesh;
  std::vector<Points> shapes;  // at that frame
  Points input;
};
SoftnessSweep measure_softness(const FigureStage& stage);

// enrich_figure_plant.cpp, ..._weights.cpp, ..._fold.cpp, ..._head.cpp
Figure figure_plant(FigureStage& stage);
Figure figure_weights(FigureStage& stage);
Figure figure_fold(FigureStage& stage);
Figure figure_head(FigureStage& stage);

}  // namespace supple::demos
