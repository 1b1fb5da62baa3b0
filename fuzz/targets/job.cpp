// A scene made ready to run, with the files that it names: those of write_scene_files and no others. Of characters and
// of what is enriched, whose flesh takes longer than a target may, all that is read and fitted before it.
#include "supple/pipeline/job/job.h"
#include "fuzz/small_files.h"
#include "fuzz/target.h"
#include "supple/pipeline/character/scale.h"
#include "supple/pipeline/deliver/result_folder.h"
#include "supple/pipeline/enriched/input.h"
#include "supple/scene/read_scene.h"

namespace supple::fuzz {
namespace {

bool lies_here(const std::string& file) {
  const std::filesystem::path inside = std::filesystem::path(file).lexically_relative(folder().path(""));
  return !inside.empty() && *inside.begin() != "..";
}

// Much to do is no fault of the scene, and no finding.
void make_small(SceneConfig& scene) {
  scene.tets.edge.reset();
  scene.tets.count = 200;
  scene.timeline.pre_roll = 0;
  scene.timeline.frames = 4;
  scene.timeline.range.reset();
  scene.solver.threads = 1;
}

}  // namespace
}  // namespace supple::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace supple;
  static const bool there = (fuzz::write_scene_files(fuzz::folder().path("")), true);
  if (!there) return 0;
  fuzz::attempt([&] {
    SceneConfig scene = load_scene_text(std::string(fuzz::text_of(data, size)), fuzz::folder().path("in.toml"));
    for (const std::string& file : pipeline::files_of(scene))
      if (!fuzz::lies_here(file)) return;
    fuzz::make_small(scene);
    if (scene.enrich.present)
      pipeline::read_enrich_input(scene);
    else if (scene.has_character())
      pipeline::drawn_character(scene);
    else
      pipeline::build_job(scene);
  });
  return 0;
}
