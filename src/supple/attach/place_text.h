// A place on one body written so that another body has it too: how much of each stretch of each part it is. Looks carry
// regions in this way.
#pragma once
#include <string>
#include <vector>

#include "supple/attach/body_plan.h"
#include "supple/base/error.h"

namespace supple {

// One text a part that it touches: "trunk 00000000 00033000 ...": twelve rows from the part's beginning to its end, of
// eight digits around it from the front on; 0 nothing to 9 all. skin: as the plan was found on.
std::vector<std::string> place_text(const BodyPlan& plan, const std::vector<char>& on_skin, const TriMesh& skin);

// Per skin vertex of a body, where it has these parts; all 0: it has none. mirrored: left is right. InputError: a text
// that is not of that form.
std::vector<char> skin_of_place(const BodyPlan& plan, const std::vector<std::string>& texts, bool mirrored,
                                const Location& where);

}  // namespace supple
