// Flesh that can turn without being bent: held at a single vertex or along an edge, or joined to the rest so. Its
// lowest frequency is nothing but rounding (1e-8 Hz), which tells nobody why.
#pragma once
#include <string>
#include <vector>

#include "supple/sim/model.h"

namespace supple {

struct Hinge {
  std::vector<int> vertices;  // of the flesh that turns, ascending
  std::vector<int> axis;      // vertices that it turns about: one, or those of a line; empty: points that are tied, or
                              // flesh that turns itself
};

// Tets that share a face cannot turn against each other; these blocks are rigid pieces, joined where they share
// vertices and held where something of them is. Found are the blocks that can move a little, all at rest otherwise.
// Parts that nothing holds at all are not among them (Model::loose_parts).
std::vector<Hinge> find_hinges(const Model& model);

// "12 vertices of 'tail' (around vertex 7) are held at a single vertex, 3: ..."
std::string text_of(const Hinge& hinge, const std::string& part);

}  // namespace supple
