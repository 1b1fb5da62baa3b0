// The part of check_file for scenes.
#pragma once
#include "supple/pipeline/files/check_file.h"

namespace supple::pipeline {

// Keys, then the files they name, then whether these fit together.
void check_scene(FileCheck& check, const Overrides& overrides);

}  // namespace supple::pipeline
