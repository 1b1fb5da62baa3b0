// A character in, the same character with soft flesh out: soft_character fox.glb fox_soft.glb take
#include <cstdio>

#include "supple/scene/run_character.h"

int main(int argc, char** argv) {
  if (argc != 4) return std::puts("soft_character IN.glb OUT.glb FOLDER"), 2;
  const supple::SceneConfig scene = supple::character_scene({.file = argv[1], .set = {"tets.preset=preview"}});
  const supple::RunCharacterResult done = supple::run_character(scene, "", {.out = argv[2], .directory = argv[3]});
  for (const std::string& clip : done.glb.clips) std::printf("clip %s\n", clip.c_str());
  return done.status == supple::RunStatus::done ? 0 : 1;
}
