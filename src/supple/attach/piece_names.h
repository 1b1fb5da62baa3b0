// Words in the names of meshes, nodes and materials that say hard. Inside the room only.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/pieces.h"

namespace supple {

// A hint for small pieces that move as one anyway: eyes, teeth, hooves; and what is worn or carried.
bool hard_part_by_name(const Piece& piece);
bool worn_by_name(const Piece& piece);

// Words of names, lower case, without a plural s: "LeftEyes_02" -> left, eye.
std::vector<std::string> name_words(const std::string& name);

}  // namespace supple
