// The checkpoint in a folder: whose it is, and what goes with it.
#include "supple/pipeline/deliver/checkpoint_file.h"

#include <gtest/gtest.h>

#include "supple/base/error.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/deliver/stage_journal.h"
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

// Whatever a power cut left of the last one: there is one before it.
TEST_F(CheckpointFiles, two_are_kept) {
  const CheckpointFile file(path("out"), "a");
  Checkpoint c;
  for (const double x : {1, 2, 3}) c.numbers["x"] = x, file.write(c);
  EXPECT_EQ(file.read().numbers.at("x"), 3);
  const std::string last = read(path("out/checkpoint/state.bin"));
  for (const std::string& damaged : {last.substr(0, last.size() / 2), std::string(), "not " + last}) {
    write("out/checkpoint/state.bin", damaged);
    EXPECT_EQ(file.read().numbers.at("x"), 2);
  }
  // The moment between two renames.
  std::filesystem::remove(path("out/checkpoint/state.bin"));
  EXPECT_TRUE(file.exists());
  EXPECT_EQ(file.read().numbers.at("x"), 2);
  EXPECT_THROW(require_free_names(path("out"), false), InputError);
  write("out/checkpoint/before.bin", "");
  EXPECT_THROW(file.read(), InputError);
  file.remove();
  EXPECT_TRUE(listing().empty());
}

TEST_F(CheckpointFiles, the_journal_is_of_one_piece_of_work) {
  const StageJournal journal(path("out"), "take", "a"), other(path("out"), "take", "b");
  EXPECT_FALSE(journal.is_begun());
  EXPECT_FALSE(journal.has(kDelivered));
  journal.begin();
  journal.tell("simulated 3 frames");
  EXPECT_TRUE(journal.is_begun());
  EXPECT_FALSE(journal.has(kDelivered));
  journal.tell(kDelivered);
  EXPECT_TRUE(journal.has(kDelivered));
  EXPECT_EQ(journal.stages(), (std::vector<std::string>{"simulated 3 frames", kDelivered}));
  EXPECT_FALSE(other.has(kDelivered));
  EXPECT_TRUE(other.is_of_other());
  journal.begin();
  EXPECT_TRUE(journal.stages().empty());
}

}  // namespace
}  // namespace supple
