// A scene, and what is written of it, read again.
#include <cstdio>
#include <cstdlib>

#include "fuzz/target.h"
#include "supple/scene/read_scene.h"
#include "supple/scene/write_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  fuzz::attempt([&] {
    const SceneConfig scene = load_scene_text(std::string(fuzz::text_of(data, size)), "in.toml");
    const std::string text = to_toml(scene, "");
    try {
      load_scene_text(text, "in.toml");
    } catch (const InputError& e) {
      std::fprintf(stderr, "a scene that was read is not read again: %s\n%s\n", e.what(), text.c_str());
      std::abort();
    }
  });
  return 0;
}
