// Tests of a suite set up the same characters: what takes time is made once for all of them.
#pragma once
#include "supple/pipeline/setup/stage_cache.h"
#include "tests/scene/scene_files.h"

namespace supple {

class SharedStages : public SceneFiles {
 protected:
  static void SetUpTestSuite() {
    const std::string suite = ::testing::UnitTest::GetInstance()->current_test_suite()->name();
    pipeline::stage_cache().open(
        (std::filesystem::temp_directory_path() / ("supple_" + std::to_string(getpid()) + "_" + suite + "_stages"))
            .string());
  }
  static void TearDownTestSuite() {
    std::filesystem::remove_all(pipeline::stage_cache().folder());
    pipeline::stage_cache().open("");
  }
};

}  // namespace supple
