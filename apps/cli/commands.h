// What each command takes, and what does it. Each returns the exit status; errors are thrown.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "supple/pipeline/takes/refinish.h"
#include "supple/pipeline/trials/tune_scene.h"
#include "supple/pipeline/verify.h"

namespace supple {

struct SchemaOptions {
  bool markdown = false;
};
int run_schema(const SchemaOptions& options, const Console& console);

struct ConvertOptions {
  std::string in, out;
  bool repair = false;
  double fps = 0;  // 0: as the file says
};
int run_convert(const ConvertOptions& options, const Console& console);

struct MeshOptions {
  std::string surface, out, preset;
  double edge = 0, sheet_thickness = 0, edges_across = 1;
  int count = 0;
  bool no_grading = false, together = false;
};
int run_mesh(const MeshOptions& options, const Console& console);

struct SimulateOptions {
  std::string scene, out;
  std::vector<std::string> set;
  std::optional<int> from;
  bool overwrite = false, resume = false, strict = false, allow_run = false;
};
int run_simulate(const SimulateOptions& options, const Console& console);

struct RunCommand {
  std::string file, out, directory, clip, look, trailing, soft;
  std::vector<std::string> set, trail, only, hold, region;
  std::optional<double> height, frequency, amplitude, sag, half_life, max_size;
  std::optional<int> from;
  bool list_clips = false, overwrite = false, resume = false, replace = false, strict = false, preview = false;
};
int run_run(const RunCommand& options, const Console& console);

struct RegionsCommand {
  std::string file, out;
  std::vector<std::string> set;
  bool preview = false, overwrite = false;
};
int run_regions(const RegionsCommand& options, const Console& console);

struct EnrichCommand {
  std::string file, cache, soft, fixed, out, reblend;
  std::optional<double> softness, blend;
  std::optional<int> from;
  std::vector<std::string> set;
  bool overwrite = false, resume = false, strict = false;
};
int run_enrich(const EnrichCommand& options, const Console& console);

struct CurvesCommand {
  std::string file, clip, keys, out;
  std::vector<std::string> free, set;
  std::optional<double> frequency_hz;
  bool list = false, serve = false, overwrite = false, resume = false, allow_run = false;
};
int run_curves_command(const CurvesCommand& options, const Console& console);

struct LiveCommand {
  std::string file, out;
  std::vector<std::string> set, deliver, clips;
  std::optional<int> modes;
  bool overwrite = false, resume = false;
};
int run_live(const LiveCommand& options, const Console& console);

struct LookCommand {
  std::string file, onto, out;
  std::vector<std::string> set;
  bool overwrite = false;
};
int run_look_save(const LookCommand& options, const Console& console);
int run_look_apply(const LookCommand& options, const Console& console);

struct FinishCommand {
  std::string directory, out, limit, axis;
  std::vector<std::string> set;
  std::optional<double> mix, smooth_frames;
  std::optional<int> smooth;
};
int run_finish(const FinishCommand& options, const Console& console);
// out: a folder or a .glb.
int finish_and_tell(pipeline::FinishRequest request, const std::string& out, const Console& console);

struct CompareCommand {
  std::string a, b, out;
};
int run_compare(const CompareCommand& options, const Console& console);

int run_verify(const pipeline::VerifyRequest& request, const Console& console);

struct TuneCommand {
  std::string scene, out;
  std::vector<std::string> set;
  pipeline::TuneRequest request;
  bool overwrite = false, strict = false;
};
int run_tune(const TuneCommand& options, const Console& console);

struct DemoOptions {
  std::string name, out;
  std::vector<std::string> set;
  std::vector<int> only;  // figures
  bool quick = false;
};
int run_demo(const DemoOptions& options, const Console& console);
int run_live_demo(const DemoOptions& options, const Console& console);

struct AnalyzeCommand {
  std::string file, shapes;
  std::vector<std::string> set;
  int modes = 6;
  bool no_refine = false;
};
int run_analyze(const AnalyzeCommand& options, const Console& console);

struct CheckOptions {
  std::string file;
  std::vector<std::string> set;
};
int run_check(const CheckOptions& options, const Console& console);

}  // namespace supple
