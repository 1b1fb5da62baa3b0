#include "supple/demos/figures/enrich_figure_bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/base/parallel.h"
#include "supple/pipeline/deliver/delivered_run.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline;

namespace fs = std::filesystem;

namespace {

std::shared_ptr<EnrichSetup> set_up(const FigureStage& stage, const SceneConfig& config, const FittedAnimation* fit) {
  std::shared_ptr<EnrichSetup> setup = set_up_enrich(config, fit == nullptr, stage.quiet());
  if (fit) setup->fit = *fit;
  return setup;
}

}  // namespace

std::string scene_directory(const FigureStage& stage, const std::string& label) {
  const fs::path directory = fs::path(stage.options().directory) / "scenes" / label;
  fs::create_directories(directory);
  return directory.string();
}

EnrichTake take_enriched(const FigureStage& stage, const std::string& label, const std::string& scene,
                         const std::vector<std::string>& overrides, const FittedAnimation* fit) {
  stage.note("running " + label);
  SceneConfig config = load_scene(scene, overrides);
  config.output.formats.clear();
  config.output.report = false;
  const auto subject = std::make_shared<const EnrichedSubject>(set_up(stage, config, fit));
  EnrichTake take{.subject = subject, .job = build_job(config, true, subject), .tets = {}, .statics = {}};
  RunOptions options;
  options.directory = (fs::path(stage.options().directory) / "runs" / label).string();
  options.overwrite = true;
  const RunResult result = run_job(take.job, options, stage.quiet());
  if (result.status == RunStatus::interrupted) throw Cancelled();
  if (result.status == RunStatus::failed) throw SimulationFailure(0, label, result.message);
  take.tets = read_pc2((fs::path(options.directory) / "tets.pc2").string());
  take.statics = read_pc2((fs::path(options.directory) / "static.pc2").string());
  return take;
}

std::vector<Points> EnrichTake::drawn(double blend, bool detail) {
  job.config.enrich.blend = blend;
  job.config.enrich.detail = detail;
  const DeliveredRun run(job, tets, [&](int f) { return sample_of(statics, f); });
  std::vector<Points> frames(static_cast<size_t>(n_frames()));
  parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) frames[f] = run.at(static_cast<int>(f));
  });
  return frames;
}

Points EnrichTake::input(int frame) const { return subject->setup().completed(job.shot.first_frame + frame); }

double rms_distance(const Points& a, const Points& b) {
  double sum = 0;
  for (size_t v = 0; v < a.size(); ++v) sum += (a[v] - b[v]).squaredNorm();
  return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace supple::demos
