// The steps of write_soft_glb, each in its own source. Files with live and baked modes are made of the same steps.
// Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/io/gltf/glb_document.h"
#include "supple/io/gltf/soft_glb.h"

namespace supple {

// InputError when anything does not fit the file: counts, nodes, times, numbers that are not finite.
void require_clips(const GlbDocument& doc, const std::vector<SoftClip>& clips, const SoftGlbOptions& options);

// Positions of a primitive as a viewer has them.
std::vector<float> base_positions(const GlbDocument& doc, int mesh, int primitive);

// How far a clip departs as delivered (the 99th percentile of what moves), and what that allows.
struct SoftMeasure {
  double size = 0, departure = 0, tolerance = 0;
};
SoftMeasure measure(const GlbDocument& doc, const SoftClip& clip, double accuracy);

// One a mesh that appears in the clips.
std::vector<SoftShapes> fit_soft_meshes(const GlbDocument& doc, const std::vector<SoftClip>& clips,
                                        const std::vector<SoftMeasure>& measures, const SoftGlbOptions& options);
// The least slack by which all fit the bytes; the most there is when none does.
double slack_within(const std::vector<SoftShapes>& shapes, double bytes);

// Targets, weights at rest and names of one mesh.
void add_targets(GlbDocument& doc, const SoftBasis& basis);

// Weights of animations that the file has, for meshes that have more targets now.
void widen_animations(GlbDocument& doc, const std::vector<SoftBasis>& bases, std::vector<std::string>& warnings);
// How new clips are called: NAME.suffix, or NAME itself, and then the sources become NAME.rigid.
struct ClipNames {
  std::string suffix = "soft";
  bool replace = false;
};
// A new clip: of which one of ours, and which animation of the file.
struct AddedClip {
  int clip = -1;
  std::string name;
  size_t animation = 0;
};
// The new clips themselves; widen_animations must have run.
std::vector<AddedClip> add_animations(GlbDocument& doc, const std::vector<SoftClip>& clips,
                                      const std::vector<SoftBasis>& bases, const ClipNames& names,
                                      std::vector<std::string>& warnings);

// What a viewer makes of the document, in single precision, against the frames of the clips: the largest error of each
// clip as delivered.
std::vector<double> errors_in(const GlbDocument& doc, const std::vector<SoftBasis>& bases,
                              const std::vector<SoftClip>& clips, const std::vector<AddedClip>& added);

}  // namespace supple
