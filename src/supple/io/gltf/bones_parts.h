// Steps that write_bones_glb and write_vrm_springs share. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/drawn.h"
#include "supple/io/gltf/bones_glb.h"
#include "supple/io/gltf/glb_document.h"

namespace supple {

// A joint to be: under the node of a bone, turned as it.
struct NewJoint {
  std::string name;
  int bone = -1;             // of Drawn
  Vec3 head = Vec3::Zero();  // bound world [m]
  int node = -1;             // once it is there
};

// Throws unless the document has the nodes, meshes and vertices of `drawn`.
void require_same_file(const GlbDocument& doc, const Drawn& drawn);

// bound world -> the bone's own space; InputError where it is stretched unevenly, as then turns are none there.
const Affine& even_frame(const GlbDocument& doc, const Drawn& drawn, int bone, const std::string& what);

// A name that no node has.
std::string free_node_name(const GlbDocument& doc, const std::string& wish);
// A node under another at a place of that one's own space; returns its index.
int add_node(GlbDocument& doc, int parent, const std::string& name, const Vec3& at);
// Nodes for all joints.
void add_joints(GlbDocument& doc, const Drawn& drawn, std::vector<NewJoint>& joints);

// Gives vertices of `drawn` new joints and weights, those that have any on a new joint; skin: one entry a vertex of the
// list, bone n_bones + j being joint j. The skins get the joints they need.
void reskin(GlbDocument& doc, const Drawn& drawn, const std::vector<int>& vertices, const SkinWeights& skin,
            const std::vector<NewJoint>& joints);

// The clips with their keys.
void add_bone_clips(GlbDocument& doc, const Drawn& drawn, const SkinDecomposition& skin,
                    const std::vector<NewJoint>& joints, const std::vector<BonesClip>& clips,
                    const BonesOptions& options, BonesReport& report);

}  // namespace supple
