// The checkpoint in a folder: whose it is, and what goes with it.
#include "supple/pipeline/deliver/checkpoint_file.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "tests/scene/scene_files.h"

namespace supple {

using namespace pipeline;
namespace {

using CheckpointFiles = SceneFiles;

TEST_F(CheckpointFiles, only_its_own_run_goes_on) {
  const CheckpointFile file(path("out"), "a"), other(path("out"), "b");
  EXPECT_FALSE(file.exists());
  EXPECT_THROW(file.read(), InputError);
  Checkpoint c;
  c.numbers["x"] = 0.1;
  file.write(c);
  EXPECT_TRUE(file.exists());
  EXPECT_EQ(file.read().numbers.at("x"), 0.1);
  EXPECT_THROW(other.read(), InputError);
  // Nor is it begun anew there unasked.
  EXPECT_THROW(require_free_names(path("out"), false), InputError);
  EXPECT_NO_THROW(require_free_names(path("out"), true));
  file.remove();
  EXPECT_FALSE(std::filesystem::exists(path("out/checkpoint")));
  EXPECT_NO_THROW(require_free_names(path("out"), false));
}

TEST_F(CheckpointFiles, what_is_somebody_elses_stays) {
  write("out/checkpoint/mine.bin", "mine");
  const CheckpointFile file(path("out"), "a");
  file.write({});
  file.remove();
  EXPECT_EQ(listing(), std::vector<std::string>{"out/checkpoint/mine.bin"});
  write("full", "");
  EXPECT_THROW(CheckpointFile(path("full"), "a").prepare(), InputError);
}

TEST_F(CheckpointFiles, it_says_how_to_go_on) {
  SceneConfig scene;
  EXPECT_EQ(how_to_go_on("curves", scene, "out"), "go on with the same call, -o out --resume");
  scene.file = "a.toml";
  EXPECT_EQ(how_to_go_on("curves", scene, "out"), "go on with: supple curves a.toml -o out --resume");
}

}  // namespace
}  // namespace supple
