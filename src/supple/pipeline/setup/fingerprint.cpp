#include "supple/pipeline/setup/fingerprint.h"

#include "supple/base/hash.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

std::string fingerprint(const SceneConfig& config, const std::vector<std::pair<std::string, std::string>>& inputs) {
  SceneConfig scene = config;
  scene.solver.threads = 0;  // results do not depend on it
  std::string text = version() + to_toml(scene, "");
  for (const auto& [file, hash] : inputs) text += file + hash;
  return hash_text(hash_bytes(text.data(), text.size()));
}

}  // namespace supple::pipeline
