// What was made of a character: in words, in JSON and as a picture of where it is soft.
#pragma once
#include <string>
#include <vector>

#include "supple/pipeline/character/character.h"
#include "supple/render/image.h"
#include "supple/report/html.h"

namespace supple::pipeline {

Json character_json(const CharacterSetup& character);
std::vector<std::string> character_lines(const CharacterSetup& character);  // the table of pieces, tets, flesh
PageTable piece_table(const CharacterSetup& character);
// Front and side, as bound: warm where it is soft, grey-blue where it follows, pale what is not flesh.
Image softness_picture(const CharacterSetup& character);

}  // namespace supple::pipeline
