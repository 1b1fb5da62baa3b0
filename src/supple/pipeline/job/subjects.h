// The kinds of subject, and which of them a scene has.
#pragma once
#include <memory>
#include <string>

#include "supple/base/watch.h"
#include "supple/pipeline/setup/subject.h"

namespace supple::pipeline {

// Reads it. with_motion false: for what needs none.
std::shared_ptr<const Subject> make_subject(const SceneConfig& config, bool with_motion = true,
                                            const Watch& watch = {});
// That of a finished run, with what it left in its folder.
std::shared_ptr<const Subject> subject_of_run(const SceneConfig& config, const std::string& directory);

}  // namespace supple::pipeline
