#include "supple/anim/skin_decomposition.h"

#include <fmt/format.h>

#include "supple/anim/skin_decomposition_region.h"
#include "supple/base/error.h"
#include "supple/base/index.h"
#include "supple/mesh/tri_mesh.h"

namespace supple {

namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw InputError({"", 0, 0, place}, "bones out of soft motion: " + what);
}

void require_motion(const SoftMotion& motion) {
  const size_t n = motion.rest.size(), n_frames = motion.targets.size();
  if (at(motion.skin.size()) != n) {
    refuse("skin", fmt::format("{} vertices have weights, but there are {}", motion.skin.size(), n));
  }
  if (motion.bones.size() != n_frames || (!motion.morphed.empty() && motion.morphed.size() != n_frames)) {
    refuse("frames", fmt::format("{} frames of targets, but {} of bones and {} of morphed rest positions", n_frames,
                                 motion.bones.size(), motion.morphed.size()));
  }
  const size_t n_bones = n_frames > 0 ? motion.bones[0].size() : 0;
  for (int b : motion.skin.bone) {
    if (n_frames > 0 && (b < 0 || at(b) >= n_bones)) refuse("skin", fmt::format("there is no bone {}", b));
  }
  auto finite = [&](const Points& points, const char* what, size_t frame) {
    if (points.size() != n) refuse(fmt::format("frame {}", frame), fmt::format("{} {} of {}", points.size(), what, n));
    for (size_t v = 0; v < n; ++v) {
      if (!points[v].allFinite()) {
        refuse(fmt::format("frame {}, vertex {}", frame, v), fmt::format("{} that are not finite", what));
      }
    }
  };
  finite(motion.rest, "rest positions", 0);
  for (size_t f = 0; f < n_frames; ++f) {
    finite(motion.targets[f], "targets", f);
    if (!motion.morphed.empty()) finite(motion.morphed[f], "morphed rest positions", f);
    if (motion.bones[f].size() != n_bones) refuse(fmt::format("frame {}", f), "its number of bones differs");
    for (const Affine& bone : motion.bones[f]) {
      if (!bone.matrix().allFinite()) refuse(fmt::format("frame {}", f), "a bone's map is not finite");
    }
  }
}

void require_regions(const SoftMotion& motion, const std::vector<SoftRegion>& regions) {
  std::vector<int> taken(motion.rest.size(), -1);
  for (size_t r = 0; r < regions.size(); ++r) {
    const std::string place = fmt::format("region '{}'", regions[r].name);
    if (regions[r].bones.empty()) refuse(place, "no bone carries it");
    if (regions[r].max_helpers < 0) refuse(place, "the number of helpers should be at least 0");
    for (int b : regions[r].bones) {
      if (b < 0 || (!motion.bones.empty() && at(b) >= motion.bones[0].size()))
        refuse(place, fmt::format("there is no bone {}", b));
    }
    for (int v : regions[r].vertices) {
      if (v < 0 || at(v) >= taken.size()) refuse(place, fmt::format("there is no vertex {}", v));
      if (taken[at(v)] >= 0) {
        refuse(place, fmt::format("vertex {} is in region '{}' too", v, regions[at(taken[at(v)])].name));
      }
      taken[at(v)] = static_cast<int>(r);
    }
  }
}

}  // namespace

SkinDecomposition decompose_skin(const SoftMotion& motion, const std::vector<SoftRegion>& regions,
                                 const DecompositionOptions& options) {
  require_motion(motion);
  require_regions(motion, regions);
  SkinDecomposition result;
  result.n_bones = motion.bones.empty() ? 0 : static_cast<int>(motion.bones[0].size());
  const double size = options.size > 0 ? options.size : longest_side(motion.rest);
  std::vector<std::vector<Influence>> changed(motion.rest.size());
  for (size_t r = 0; r < regions.size(); ++r) {
    const int first = result.n_bones + static_cast<int>(result.helpers.size());
    DecomposedRegion one = decompose_region(motion, regions[r], options, size, first);
    for (size_t i = 0; i < regions[r].vertices.size(); ++i)
      changed[at(regions[r].vertices[i])] = std::move(one.influences[i]);
    for (HelperJoint& h : one.helpers) {
      h.region = static_cast<int>(r);
      result.helpers.push_back(std::move(h));
    }
    result.regions.push_back(std::move(one.fit));
  }
  for (int v = 0; v < motion.skin.size(); ++v) {
    if (changed[at(v)].empty()) {
      for (int k = motion.skin.first[at(v)]; k < motion.skin.first[at(v) + 1]; ++k) {
        result.skin.bone.push_back(motion.skin.bone[at(k)]);
        result.skin.weight.push_back(motion.skin.weight[at(k)]);
      }
    }
    for (const Influence& o : changed[at(v)]) {
      result.skin.bone.push_back(o.bone);
      result.skin.weight.push_back(o.weight);
    }
    result.skin.first.push_back(static_cast<int>(result.skin.bone.size()));
  }
  return result;
}

Points decomposed(const SoftMotion& motion, const SkinDecomposition& result, int frame) {
  std::vector<Affine> bones = motion.bones[at(frame)];
  for (const HelperJoint& h : result.helpers) {
    const Affine own = Eigen::Translation3d(h.head + h.shifts[at(frame)]) * h.rotations[at(frame)] *
                       Eigen::Translation3d(Vec3(-h.head));
    bones.push_back(motion.bones[at(frame)][at(h.bone)] * own);
  }
  Points out;
  for (int v = 0; v < result.skin.size(); ++v) out.push_back(skinned(result.skin, bones, v, rest_at(motion, frame, v)));
  return out;
}

}  // namespace supple
