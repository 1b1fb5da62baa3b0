// An animated character in, the same character with soft flesh out: soft_character fox.glb take
#include <cstdio>

#include "supple/pipeline/pipeline.h"
#include "supple/scene/read_scene.h"

int main(int argc, char** argv) {
  if (argc != 3) return std::puts("soft_character CHARACTER.glb FOLDER"), 2;
  const supple::SceneConfig scene = supple::load_character_scene(argv[1], {"tets.preset=preview"});
  const supple::Outcome done =
      supple::run_scene(scene, {.directory = argv[2], .product = supple::Product::soft_character});
  for (const std::string& line : done.lines) std::puts(line.c_str());
  return done.status == supple::RunStatus::done ? 0 : 1;
}
