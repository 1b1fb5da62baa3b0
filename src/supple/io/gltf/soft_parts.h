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

// Whether a list of the vertices that change is smaller than all of the primitive's.
bool is_sparse(const SoftField& field);

// One a mesh that appears in the clips.
std::vector<SoftBasis> fit_soft_meshes(const GlbDocument& doc, const std::vector<SoftClip>& clips,
                                       const SoftGlbOptions& options);
// Leaves out normals of the least important targets, then targets, until all fit the budget.
void keep_within_budget(std::vector<SoftBasis>& bases, const SoftGlbOptions& options,
                        std::vector<std::string>& warnings);
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

}  // namespace supple
