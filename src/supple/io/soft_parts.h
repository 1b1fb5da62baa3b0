// The steps of write_soft_glb, each in its own source. Files with live and baked modes are made of the same steps.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "supple/io/glb_document.h"
#include "supple/io/morph_basis.h"
#include "supple/io/soft_glb.h"

namespace supple {

// One attribute of one primitive: the vertices that change, and their change in each target.
struct SoftField {
  int primitive = -1;
  bool normals = false;
  int first = 0;              // target of the basis that its first column is
  size_t n_vertices = 0;      // of the primitive
  std::vector<int> vertices;  // ascending
  Eigen::MatrixXf targets;    // 3 a vertex of `vertices` x targets
  bool sparse() const;        // whether a list of those vertices is smaller than all
};

// The frames of one node in one clip, as columns of the mesh's motion.
struct SoftSpan {
  int clip = -1, node = -1;
  const SoftMesh* motion = nullptr;
  Eigen::Index first = 0, count = 0;
};

// What one mesh gets: targets over all nodes that show it and all clips.
struct SoftBasis {
  int mesh = -1, n_old = 0;          // targets there were
  double size = 0;                   // longest side
  std::vector<SoftSpan> spans;       // rows of `weights`
  std::vector<int> primitives;       // that move in any span
  std::vector<SoftField> fields;     // none when nothing moves
  Eigen::MatrixXf weights;           // frames x targets
  std::vector<double> importance;    // of each target, descending: its share of the motion beside the size of the mesh
  int n_targets = 0, n_normals = 0;  // normals: of the first targets only
  bool lifted = false;               // the first target is on in all frames, and no weight is below 0
  std::vector<std::string> names;    // of the targets, none taken; empty: "soft 1" and so on
};

// InputError when anything does not fit the file: counts, nodes, times, numbers that are not finite.
void require_clips(const GlbDocument& doc, const std::vector<SoftClip>& clips, const SoftGlbOptions& options);

// Positions of a primitive as a viewer has them.
std::vector<float> base_positions(const GlbDocument& doc, int mesh, int primitive);

// One a mesh that appears in the clips.
std::vector<SoftBasis> fit_soft_meshes(const GlbDocument& doc, const std::vector<SoftClip>& clips,
                                       const SoftGlbOptions& options);
// Leaves out normals of the least important targets, then targets, until all fit the budget.
void keep_within_budget(std::vector<SoftBasis>& bases, const SoftGlbOptions& options,
                        std::vector<std::string>& warnings);
// Weights from below 0 into 0 .. 1 by one more target: the others then start from their low end. Importance is as
// before.
void lift_weights(SoftBasis& basis);
// Largest error of a vertex at a frame, from the targets in the document and added up in single precision.
double written_error(const GlbDocument& doc, const SoftBasis& basis);

// Targets, weights at rest and names of one mesh.
void add_targets(GlbDocument& doc, const SoftBasis& basis);

// Weights of animations that the file has, for meshes that have more targets now.
void widen_animations(GlbDocument& doc, const std::vector<SoftBasis>& bases, std::vector<std::string>& warnings);
// How new clips are called: NAME.suffix, or NAME itself, and then the sources become NAME.rigid.
struct ClipNames {
  std::string suffix = "soft";
  bool replace = false;
};
// The new clips themselves, of which names are returned; widen_animations must have run.
std::vector<std::string> add_animations(GlbDocument& doc, const std::vector<SoftClip>& clips,
                                        const std::vector<SoftBasis>& bases, const ClipNames& names,
                                        std::vector<std::string>& warnings);

// The weights of a node's own targets in an animation, or held when there is no channel.
struct WeightTrack {
  int width = 0;
  Interpolation interpolation = Interpolation::linear;
  std::vector<float> times, values;  // as in the file: cubic ones have three rows a key
  VecX at(double t) const;
  // Cubic ones only: rates of change just before (side < 0) or after t.
  VecX slope(double t, int side) const;
};
// Both kinds of weights as one channel.
struct JoinedTrack {
  bool cubic = false;
  std::vector<float> times, values;
};
// old: keys of the file, kept between keys as well. ours: frames x targets, straight between frames.
JoinedTrack join_tracks(const WeightTrack& old, const std::vector<float>& frames, const Eigen::MatrixXf& ours);

}  // namespace supple
