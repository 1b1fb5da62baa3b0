// The drawn mesh of a finished run, one file (or series) per format of [output].
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "supple/io/point_cache.h"
#include "supple/pipeline/deliver/other_meshes.h"
#include "supple/pipeline/deliver/soft_clip.h"
#include "supple/pipeline/job/job.h"

namespace supple::pipeline {

// What is drawn over the run. Of a character: in the units and the vertex order of its file.
struct DrawnFrames {
  TriMesh mesh;                      // at rest
  PointCache frames;                 // every frame
  PointCache input;                  // where the animation has them; empty where it has none
  PointCache tets;                   // positions of the tet vertices
  PointCache authored;               // of the equilibrium that departures count from; empty: that of the run
  SoftClip soft;                     // of a character
  DrawnFlesh flesh;                  // of the mesh
  std::optional<MotionCheck> check;  // where there is flesh to judge it by
  std::vector<Companion> others;     // what is drawn besides, in metres
  double evened_share = 0;           // of the departure, taken from it to keep it even
  int busiest = -1;                  // the frame in which most touches; -1: none does
};
DrawnFrames drawn_surface(const Job& job, const DeliveredRun& run);  // without tets and check
DrawnFrames drawn_shapes(const Job& job, const DeliveredRun& run);   // and without the soft clip
// Of a run that has just been simulated.
// tets, statics: positions of all tet vertices and of their equilibrium, one sample a frame.
DrawnFrames drawn_surface(const Job& job, PointCache tets, const PointCache& statics);
// The first with a position that is not finite; -1: there is none.
int first_not_finite(const PointCache& frames);

inline constexpr const char* kAuthoredFile = "tets.authored.pc2";

// Returns the files written, relative to the directory; notes gets sizes and errors worth telling.
std::vector<std::string> write_surface_files(const OutputRequest& out, const DrawnFrames& drawn,
                                             const std::string& directory, std::vector<std::string>& notes);

}  // namespace supple::pipeline
