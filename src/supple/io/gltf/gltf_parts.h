// The steps of read_gltf, each in its own source. Warnings are one line each and start with the place.
// Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/anim/character.h"
#include "supple/io/gltf/gltf_data.h"

namespace supple {

// Vertices of one primitive, mended. n_joints: of the skin that the mesh is shown with, -1: of none.
Primitive read_primitive(GltfData& data, size_t mesh, size_t primitive, int n_joints,
                         std::vector<std::string>& warnings);

// Takes out triangles that repeat a vertex or another triangle or have no area. silent: strips repeat vertices by
// design.
void mend_triangles(Primitive& primitive, bool silent, const std::string& place, std::vector<std::string>& warnings);
// Weights to at least 0 and a sum of 1, joints to 0 .. n_joints - 1. rounding: error of one weight as it was stored.
// Vertices without any weight go to the first joint; without joints the primitive follows its node.
void mend_weights(Primitive& primitive, int n_joints, double rounding, const std::string& place,
                  std::vector<std::string>& warnings);

// Animations as clips, in the file's order, empty ones left out; names are those of the file and may be empty or
// repeat. Takes apart the matrix of a node that is animated after all.
std::vector<Clip> read_clips(GltfData& data, Character& character);
// Joins clips that were written per action; then every clip gets a name of its own.
void merge_actions(Character& character);
void name_clips(Character& character);

}  // namespace supple
