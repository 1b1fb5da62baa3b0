// The checkpoint in the directory of a run: who may go on from it, and how.
#pragma once
#include <string>

#include "supple/scene/config.h"
#include "supple/sim/checkpoint.h"

namespace supple::pipeline {

inline constexpr int kCheckpointEvery = 10;  // frames

class CheckpointFile {
 public:
  // fingerprint: of all that the run depends on.
  CheckpointFile(const std::string& directory, std::string fingerprint);

  // InputError: the folder cannot be made.
  void prepare() const;
  bool exists() const;
  void write(Checkpoint c) const;
  // InputError: there is none, it is damaged, or it belongs to another scene or version.
  Checkpoint read() const;
  void remove() const;  // and the folder, where nothing else is in it

 private:
  std::string folder_, file_, fingerprint_;
};

// "go on with: supple simulate scene.toml -o take1 --resume"
std::string how_to_go_on(const std::string& command, const SceneConfig& scene, const std::string& directory);

}  // namespace supple::pipeline
