// The shape without stress that a scene gives for a character, in place of the bound one.
#pragma once
#include "supple/pipeline/character/character.h"

namespace supple::pipeline {

// Where surface.rest says that what is drawn is at rest: of a file [m]. InputError: other vertices.
Points drawn_at_rest(const SceneConfig& config, const CharacterSetup& c);

// flesh.at_rest for a cage: tet vertices go with the bones of the pose of a frame, or as the skin around them is
// displaced from how it is bound; tets of flesh that this folds are put right. poses: frames of the clip; at_rest:
// drawn_at_rest. InputError: a frame that is not there; how many tets stay folded, and where.
void put_rest_shape(const SceneConfig& config, const CharacterSetup& c, const TetMesh& cage, const VertexBlend& blend,
                    const std::vector<Pose>& poses, const Points& at_rest, Flesh& flesh);

}  // namespace supple::pipeline
