// The command line: arguments in, exit status out (0 done, 1 failed, 2 wrong input or call, 3 some clips failed,
// 128 and the signal: interrupted).
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>

#include "call.h"
#include "commands.h"
#include "error_json.h"
#include "interrupt.h"
#include "ranges.h"
#include "reading.h"
#include "supple/base/child_process.h"
#include "supple/base/error.h"
#include "supple/base/hash.h"
#include "supple/base/last_words.h"
#include "supple/base/memory.h"
#include "supple/base/parallel.h"
#include "supple/base/part_file.h"
#include "supple/pipeline/setup/stage_cache.h"

namespace supple {

using namespace pipeline;

namespace {

constexpr int kFailed = 1, kWrongInput = 2;
constexpr char kOutOfMemory[] =
    "out of memory: take fewer tets (tets.preset, tets.edge), fewer frames or fewer --threads";
constexpr char kResume[] = "Go on with what was stopped in the directory named; what is done is kept";
constexpr char kFrom[] =
    "Make the run in the directory named anew from this frame on, or the last kept before it, with other dials "
    "(frequency, amplitude, half-life); the frames before stay";
constexpr char kAllowRun[] = "The program that the scene names as its rig may be started";

struct GlobalOptions {
  bool json = false, quiet = false, no_cache = false;
  int threads = 0;
  std::vector<std::string> allow_read;
};

// What the program was asked to do: the command that ran its callback while parsing.
using Action = std::function<int(const Console&)>;

void add_global_options(CLI::App& app, GlobalOptions& g) {
  app.add_flag("--json", g.json, "Print one JSON object on stdout and nothing else");
  app.add_flag("--quiet,-q", g.quiet, "No messages, no progress; errors only");
  app.add_option("--threads", g.threads, "Threads; 0: all cores. Results do not depend on it")
      ->check(whole_number_within(0, 4096));
  app.add_flag("--no-cache", g.no_cache, "Make everything anew. Results do not depend on it (SUPPLE_CACHE=off)");
  app.add_option("--allow-read", g.allow_read,
                 "Files below this folder may be read by scenes and .gltf that name them; otherwise only what is below "
                 "their own folder, and what you name. Again for each of several (SUPPLE_ALLOW_READ=DIR:DIR)")
      ->allow_extra_args(false)
      ->option_text("DIR");
}

template <class Options>
CLI::App* add_command(CLI::App& app, Action& action, const char* name, const char* description, Options& options,
                      int (*run)(const Options&, const Console&)) {
  CLI::App* command = app.add_subcommand(name, description);
  command->callback(
      [&action, &options, run] { action = [&](const Console& console) { return run(options, console); }; });
  return command;
}

struct AllOptions {
  GlobalOptions global;
  SimulateOptions simulate;
  RunCommand run;
  RegionsCommand regions;
  EnrichCommand enrich;
  CurvesCommand curves;
  LiveCommand live;
  LookCommand look_save, look_apply;
  DemoOptions demo;
  TuneCommand tune;
  FinishCommand finish;
  CompareCommand compare;
  VerifyRequest verify;
  AnalyzeCommand analyze;
  SchemaOptions schema;
  ConvertOptions convert;
  MeshOptions mesh;
  CheckOptions check;
};

void add_commands(CLI::App& app, AllOptions& o, Action& action) {
  CLI::App* demo =
      add_command(app, action, "demo", "Run an embedded example; without NAME, list them", o.demo, run_demo);
  demo->add_option("name", o.demo.name, "Which example, or figures: those of the paper, made anew");
  demo->add_option("--only", o.demo.only, "figures: which, as 2,8")
      ->delimiter(',')
      ->check(whole_number_within(1, 1000));
  demo->add_flag("--quick", o.demo.quick, "figures: fewer points");
  demo->add_option("-o,--output", o.demo.out, "Directory for the results; default takes/NNN");
  demo->add_option("--set", o.demo.set, "Override a scene key: table.key=value")->allow_extra_args(false);

  CLI::App* run =
      add_command(app, action, "run", "An animated character in, the same with soft tissue out", o.run, run_run);
  run->add_option("character", o.run.file, "The character: .glb or .gltf with a skeleton and clips")->required();
  run->add_option("-o,--output", o.run.out, "The result; default NAME_soft.glb in this folder");
  run->add_option("--take", o.run.directory, "Directory for scene, report and caches; default takes/NNN");
  run->add_option("--clip", o.run.clip,
                  "Which clip, by name or number, or all; default the first. A file without any plays a "
                  "test motion: hop, stop, twist, lean, shake");
  run->add_flag("--list-clips", o.run.list_clips, "List the clips and do nothing else");
  run->add_option("--height", o.run.height, "Its real height [m]; default: person-sized")
      ->check(above_zero("in metres: a person is about 1.8"));
  run->add_flag("--preview", o.run.preview, "Few tets: soon done, and moves as the final one will");
  run->add_option("--look", o.run.look, "What the flesh is like: jelly, fat, muscle, rubber, cartilage, antenna");
  run->add_option("--trail", o.run.trail,
                  "Bones that trail as tails do, with all below them: flesh in new clips, as physics moves it. "
                  "(curves --free writes keys on the bones themselves.) * and ?; again for each of several")
      ->allow_extra_args(false);
  run->add_option("--only", o.run.only,
                  "Nothing but this stays soft: bones with * and ?, regions, pairs, or words such as belly, thighs "
                  "(supple regions lists them). Again for each of several")
      ->allow_extra_args(false);
  run->add_option("--hold", o.run.hold, "This follows exactly; names likewise")->allow_extra_args(false);
  run->add_option("--region", o.run.region,
                  "Dials of a place: belly:amplitude=2,frequency=0.7; names likewise, keys of [[region]]. Again for "
                  "each of several")
      ->allow_extra_args(false);
  run->add_option("--soft", o.run.soft, "Painted softness: COLOR_0.r, or an attribute such as _SOFT; white is flesh");
  run->add_option("--trailing", o.run.trailing, "How tails and ears trail: drag, bounce, off");
  run->add_option("--frequency", o.run.frequency, "Speed: times as fast")->check(above_zero());
  run->add_option("--amplitude", o.run.amplitude, "Amount: times as far")->check(zero_or_more());
  run->add_option("--sag", o.run.sag, "Sag: times as much")->check(zero_or_more());
  run->add_option("--half-life", o.run.half_life, "Settle: times as long")->check(above_zero());
  run->add_flag("--replace", o.run.replace, "The soft clip takes the clip's name; the artist's becomes NAME.rigid");
  run->add_option("--max-size", o.run.max_size, "The result is at most so large [MB]; accuracy gives way")
      ->check(above_zero());
  run->add_option("--set", o.run.set, "Set a scene key: table.key=value")->allow_extra_args(false);
  run->add_flag("--overwrite", o.run.overwrite, "Replace files that are there");
  run->add_flag("--resume", o.run.resume, kResume);
  run->add_option("--from", o.run.from, kFrom)->check(whole_number_within(1, 1000000));
  run->add_flag("--strict", o.run.strict, "Best-effort frames count as failure");

  CLI::App* regions = add_command(app, action, "regions", "What of a character is soft: names, sizes, frequencies",
                                  o.regions, run_regions);
  regions->add_option("file", o.regions.file, "Character (.glb, .gltf), a scene of one, or the folder of a take")
      ->required();
  regions->add_option("-o,--output", o.regions.out, "A picture of it, with the names beside their colours: .svg");
  regions->add_flag("--preview", o.regions.preview, "With the few tets of a preview: sooner done");
  regions->add_option("--set", o.regions.set, "Set a scene key: table.key=value")->allow_extra_args(false);
  regions->add_flag("--overwrite", o.regions.overwrite, "Replace a picture that is there");

  CLI::App* enrich = add_command(app, action, "enrich", "Physics mixed into any mesh animation by painted weights",
                                 o.enrich, run_enrich);
  enrich->add_option("file", o.enrich.file, "A scene, or the neutral mesh: .obj, .glb, .gltf");
  enrich->add_option("--cache", o.enrich.cache, "Of a mesh: where its vertices go: .pc2, .mdd, or one .obj a frame");
  enrich->add_option("--soft", o.enrich.soft, "Of a mesh: painted softness, an attribute, color channel or file");
  enrich->add_option("--fixed", o.enrich.fixed, "Of a mesh: a file of vertices that follow exactly");
  enrich->add_option("--softness", o.enrich.softness, "How soft what is soft is: 0 follows, 1 goes its own way")
      ->check(number_within(0, 1));
  enrich->add_option("--reblend", o.enrich.reblend, "A finished run, shown again with another --blend: not simulated");
  enrich->add_option("--blend", o.enrich.blend, "How much of the physics is shown: 0 the animation, 1 all of it")
      ->check(number_within(0, 1));
  enrich->add_option("-o,--output", o.enrich.out, "Directory for the results; default takes/NNN");
  enrich->add_option("--set", o.enrich.set, "Set a scene key: table.key=value")->allow_extra_args(false);
  enrich->add_flag("--overwrite", o.enrich.overwrite, "Replace a run that is there");
  enrich->add_flag("--resume", o.enrich.resume, kResume);
  enrich->add_option("--from", o.enrich.from, kFrom)->check(whole_number_within(1, 1000000));
  enrich->add_flag("--strict", o.enrich.strict, "Best-effort frames count as failure");

  CLI::App* curves = add_command(app, action, "curves", "Rig-space physics: animation curves of a rig out", o.curves,
                                 run_curves_command);
  curves->add_option("file", o.curves.file, "A scene, or a character: .glb, .gltf, .vrm")->required();
  curves
      ->add_option("--free", o.curves.free,
                   "What physics fills in: joints, morph targets, parameters; * and ?. Again for each of several. "
                   "Keys come out; to let flesh trail under the kept keys say: run --trail")
      ->allow_extra_args(false)
      ->option_text("TEXT");
  curves->add_option("--clip", o.curves.clip, "Which animation of the character");
  curves->add_option("--keys", o.curves.keys, "Values of parameters: .csv or .json");
  curves->add_option("--frequency-hz", o.curves.frequency_hz, "Of the slowest swing")->check(above_zero());
  curves->add_flag("--list", o.curves.list, "Print all parameters that the rig offers");
  curves->add_flag("--serve", o.curves.serve, "Answer as a rig on standard input and output");
  curves->add_option("-o,--output", o.curves.out, "Directory for the results; default takes/NNN");
  curves->add_option("--set", o.curves.set, "Set a scene key: table.key=value")->allow_extra_args(false);
  curves->add_flag("--overwrite", o.curves.overwrite, "Replace a run that is there");
  curves->add_flag("--resume", o.curves.resume, kResume);
  curves->add_flag("--allow-run", o.curves.allow_run, kAllowRun);

  CLI::App* live =
      add_command(app, action, "live", "Jiggle of a few modes that runs in real time, in a .glb", o.live, run_live);
  live->add_option("file", o.live.file, "Character (.glb, .gltf) or a scene of one")->required();
  live->add_option("-o,--output", o.live.out, "Directory for the results; default takes/NNN");
  live->add_option("--deliver", o.live.deliver, "live, baked, bones, springs: any of them; default live,baked")
      ->delimiter(',');
  live->add_option("--clip", o.live.clips, "Only these clips count and are baked; default all")
      ->allow_extra_args(false);
  live->add_option("--modes", o.live.modes, "Most modes a part")->check(whole_number_within(1, 200));
  live->add_option("--set", o.live.set, "Set a scene key: table.key=value")->allow_extra_args(false);
  live->add_flag("--overwrite", o.live.overwrite, "Replace a result that is there");
  live->add_flag("--resume", o.live.resume, kResume);

  CLI::App* look = app.add_subcommand("look", "Take what flesh is like from one character to another");
  look->require_subcommand(1);
  CLI::App* save = add_command(*look, action, "save", "Dials and regions of a scene or take, without its size",
                               o.look_save, run_look_save);
  save->add_option("scene", o.look_save.file, "Scene, folder of a take, or character")->required();
  save->add_option("-o,--output", o.look_save.out, "The look; default look.toml");
  CLI::App* apply = add_command(*look, action, "apply", "A look on a character, region by region; lists what matched",
                                o.look_apply, run_look_apply);
  apply->add_option("look", o.look_apply.file, "A look as saved")->required();
  apply->add_option("character", o.look_apply.onto, "Character, scene or folder of a take")->required();
  apply->add_option("-o,--output", o.look_apply.out, "The scene; default NAME_look.toml");
  for (auto [command, options] : {std::pair(save, &o.look_save), std::pair(apply, &o.look_apply)}) {
    command->add_option("--set", options->set, "Set a scene key: table.key=value")->allow_extra_args(false);
    command->add_flag("--overwrite", options->overwrite, "Replace a file that is there");
  }

  CLI::App* simulate = add_command(app, action, "simulate", "Run a scene as written", o.simulate, run_simulate);
  simulate->add_option("scene", o.simulate.scene, "The scene file")->required();
  simulate->add_option("-o,--output", o.simulate.out, "Directory for the results; default takes/NNN");
  simulate->add_option("--set", o.simulate.set, "Override a scene key: table.key=value")->allow_extra_args(false);
  simulate->add_flag("--overwrite", o.simulate.overwrite, "Replace a run that is there");
  simulate->add_flag("--resume", o.simulate.resume, kResume);
  simulate->add_option("--from", o.simulate.from, kFrom)->check(whole_number_within(1, 1000000));
  simulate->add_flag("--strict", o.simulate.strict, "Best-effort frames count as failure");
  simulate->add_flag("--allow-run", o.simulate.allow_run, kAllowRun);

  CLI::App* tune =
      add_command(app, action, "tune", "Meet dials by measuring: what is asked is what is got", o.tune, run_tune);
  tune->add_option("scene", o.tune.scene, "The scene file; its [controls] are asked for where no option says otherwise")
      ->required();
  TuneRequest& r = o.tune.request;
  auto* frequency = tune->add_option("--frequency", r.frequency, "Times the frequency without dials");
  auto* amplitude = tune->add_option("--amplitude", r.amplitude, "Times the amplitude without dials");
  auto* sag = tune->add_option("--sag", r.sag, "Times the sag without dials");
  auto* half_life = tune->add_option("--half-life", r.half_life, "Times the half-life without dials");
  auto* hz = tune->add_option("--frequency-hz", r.frequency_hz, "Frequency [Hz]");
  auto* seconds = tune->add_option("--half-life-s", r.half_life_s, "Half-life [s]");
  auto* metres = tune->add_option("--sag-m", r.sag_m, "Sag [m]");
  auto* bounce = tune->add_option("--frames-per-bounce", r.frames_per_bounce, "Frames of one whole swing");
  auto* settle = tune->add_option("--settle-by", r.settle_by, "Frame at which 5 % of the jiggle is left");
  tune->add_option("--low-at", r.low_at, "Frame at which the flesh is lowest")->check(above_zero());
  tune->add_option("--like", r.like,
                   "Meet the numbers of a run's directory, a .pc2/.mdd cache or a tracked point's .csv");
  for (CLI::Option* x : {frequency, half_life, hz, seconds, bounce, settle}) x->check(above_zero());
  for (CLI::Option* x : {amplitude, sag, metres}) x->check(zero_or_more());
  frequency->excludes(hz)->excludes(bounce);
  hz->excludes(bounce);
  half_life->excludes(seconds)->excludes(settle);
  seconds->excludes(settle);
  sag->excludes(metres);
  tune->add_option("--tolerance", r.tolerance, "Of the amplitude")->check(number_within(1e-4, 0.5));
  tune->add_option("--max-runs", r.max_runs, "Whole motions at most, that without dials aside")
      ->check(whole_number_within(1, 100));
  tune->add_option("-o,--output", o.tune.out, "Directory for scene, trials and result; default takes/NNN");
  tune->add_option("--set", o.tune.set, "Override a scene key: table.key=value")->allow_extra_args(false);
  tune->add_flag("--overwrite", o.tune.overwrite, "Replace a run that is there; its run without dials is used again");
  tune->add_flag("--resume", r.resume, kResume);
  tune->add_flag("--strict", o.tune.strict, "As ever: a dial that is not met is exit status 1");

  CLI::App* finish = add_command(
      app, action, "finish", "Another take of a run, finished otherwise: nothing is simulated", o.finish, run_finish);
  finish->add_option("take", o.finish.directory, "The folder of a finished run")->required();
  finish->add_option("--mix", o.finish.mix, "How much of the motion is shown: 0 the input, 1 all, more exaggerates")
      ->check(zero_or_more());
  finish->add_option("--limit", o.finish.limit, "No departure is longer than this: 3cm, 25mm or 0.03 [m]");
  finish->add_option("--axis", o.finish.axis, "Times as much along the local x,y,z, as 1,0.3,1");
  finish->add_option("--smooth", o.finish.smooth, "Passes that smooth over the surface")
      ->check(whole_number_within(0, 1000));
  finish->add_option("--smooth-frames", o.finish.smooth_frames, "Frames to smooth over")->check(zero_or_more());
  finish->add_option("--set", o.finish.set, "Set a finishing key: output.mix=0.5, region.NAME.mix=0.5")
      ->allow_extra_args(false);
  finish->add_option("-o,--output", o.finish.out,
                     "A folder for the new take (default takes/NNN), or the .glb of a character");

  CLI::App* compare = add_command(app, action, "compare", "Two takes in one page: what differs, and both moving",
                                  o.compare, run_compare);
  compare->add_option("a", o.compare.a, "The folder of a finished run")->required();
  compare->add_option("b", o.compare.b, "That of another")->required();
  compare->add_option("-o,--output", o.compare.out, "The page; default compare_A_B.html in this folder");

  CLI::App* verify =
      add_command(app, action, "verify", "Make a take again and say whether the same comes out", o.verify, run_verify);
  verify->add_option("take", o.verify.take, "The folder of a run: of simulate, run, enrich or curves")->required();
  verify
      ->add_option("--tolerance", o.verify.tolerance,
                   "How far apart positions may be, as a share of the size, where another processor, compiler or "
                   "version made the take; default 0.001")
      ->check(CLI::NonNegativeNumber);
  verify->add_flag("--allow-run", o.verify.allow_run, kAllowRun);

  CLI::App* analyze = add_command(
      app, action, "analyze", "Frequencies, sag, half-life, element quality, time-step advice", o.analyze, run_analyze);
  analyze->add_option("file", o.analyze.file, "A scene or a tet mesh")->required();
  analyze->add_option("--modes", o.analyze.modes, "How many modes")->check(whole_number_within(1, 1000));
  analyze->add_option("--shapes", o.analyze.shapes, "Write the mode shapes as animated .glb files into this directory");
  analyze->add_flag("--no-refine", o.analyze.no_refine, "Do not compare with the mesh refined once");
  analyze->add_option("--set", o.analyze.set, "Override a scene key: table.key=value")->allow_extra_args(false);

  CLI::App* mesh = add_command(app, action, "mesh", "Put tets around any surface, closed or not", o.mesh, run_mesh);
  mesh->add_option("surface", o.mesh.surface, "An .obj, or a character (.glb, .gltf): all that is drawn")->required();
  mesh->add_option("-o,--output", o.mesh.out, "Tets to write; the extension chooses the format")->required();
  auto* edge = mesh->add_option("--edge", o.mesh.edge, "Of the largest tets [m]")->check(above_zero("in metres"));
  auto* count =
      mesh->add_option("--count", o.mesh.count, "How many tets, about")->check(whole_number_within(1, 2000000));
  auto* preset = mesh->add_option("--preset", o.mesh.preset, "preview: 3000 tets, final: 10000 (default), fine: 30000")
                     ->check(one_of_words({"preview", "final", "fine"}));
  edge->excludes(count)->excludes(preset);
  count->excludes(preset);
  mesh->add_option("--edges-across", o.mesh.edges_across, "Tets across thin parts, about")->check(above_zero());
  mesh->add_option("--sheet-thickness", o.mesh.sheet_thickness, "Of open sheets [m]; default: half an edge")
      ->check(above_zero());
  mesh->add_flag("--no-grading", o.mesh.no_grading, "Tets of one size, in thin parts too");
  mesh->add_flag("--together", o.mesh.together, "Close things share tets: fingers are glued to each other");

  CLI::App* convert = add_command(app, action, "convert", "Convert between file formats", o.convert, run_convert);
  convert->add_option("in", o.convert.in, "File to read")->required();
  convert->add_option("out", o.convert.out, "File to write; its extension chooses the format")->required();
  convert->add_flag("--repair", o.convert.repair, "Tets: mend inverted, flat and double elements");
  convert->add_option("--fps", o.convert.fps, "Caches: frames a second, where the file does not say")
      ->check(above_zero());

  CLI::App* check =
      add_command(app, action, "check", "Validate any input; say what is wrong and where", o.check, run_check);
  check->add_option("file", o.check.file, "A scene, tets, a surface or a cache")->required();
  check->add_option("--set", o.check.set, "Override a scene key: table.key=value")->allow_extra_args(false);

  CLI::App* schema =
      add_command(app, action, "schema", "The scene keys: types, defaults, units, ranges", o.schema, run_schema);
  schema->add_flag("--markdown", o.schema.markdown, "As the reference page");
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const CLI::App* sub : app.get_subcommands()) {
    const std::vector<std::string> more = option_names(*sub);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

// Its arguments and options are wrong: the command that was named last.
const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  return named.empty() ? app : innermost(*named[0]);
}

// "supple mesh surface"
std::string full_name(const CLI::App& command) {
  return (command.get_parent() ? full_name(*command.get_parent()) + " " : "") + command.get_name();
}

InputError unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = command_names(app);
  const std::string near = nearest_word(word, commands.data(), commands.data() + commands.size());
  const std::string all = fmt::format("Commands: {}.", fmt::join(commands, ", "));
  if (word.empty()) return InputError({}, "the command is empty", all);
  return InputError({}, fmt::format("there is no command {}", word),
                    near.empty() ? all : fmt::format("Did you mean {}?", near));
}

// What CLI11 says of one option or argument, in our words.
std::string fault_of(const CLI::App& command, const CLI::ParseError& e) {
  const std::string said = e.what(), name = said.substr(0, said.find_first_of(": "));
  if (dynamic_cast<const CLI::RequiredError*>(&e)) {
    std::string call = full_name(command);
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional()) call += " " + option->get_name(true);
    return fmt::format("{} is missing: {}", name, call);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&e))
    return said.ends_with("missing") ? name + " needs a value" : name + " is given more than once";
  if (const size_t at = said.find(" excludes "); at != std::string::npos)
    return fmt::format("{} and {} exclude one another: give one of them", said.substr(0, at), said.substr(at + 10));
  return said;
}

// A wrong call in our words, with the nearest right one.
InputError wrong_call(const CLI::App& app, const CLI::ParseError& e) {
  const CLI::App& command = innermost(app);
  const std::vector<std::string> rest = app.remaining(true);
  const std::string help = fmt::format("See {} --help.", full_name(command));
  const bool wants_command = command.get_require_subcommand_min() > 0;
  if (!rest.empty()) {
    const std::string& word = rest[0];
    if (word.size() > 1 && word[0] == '-') {
      const std::vector<std::string> options = option_names(app);
      const std::string near =
          nearest_word(word.substr(0, word.find('=')), options.data(), options.data() + options.size());
      return InputError({}, "there is no option " + word, near.empty() ? help : fmt::format("Did you mean {}?", near));
    }
    if (!wants_command) return InputError({}, "too many arguments, from here on: " + word, help);
    return unknown_command(command, word);
  }
  if (wants_command)
    return InputError({}, &command == &app ? "which command?" : fmt::format("which {} command?", command.get_name()),
                      fmt::format("Commands: {}. {}", fmt::join(command_names(command), ", "), help));
  return InputError({}, fault_of(command, e), help);
}

// Told on stderr, and as {"error": ...} with --json.
int report(const Console& console, int status, const Json& error, const std::string& message) {
  console.error(message);
  Json object;
  object["error"] = error;
  console.result(object, "");
  return status;
}

int run(int argc, char** argv) {
  CLI::App app("Soft-tissue dynamics that an animator can direct.", "supple");
  app.require_subcommand(1);
  app.fallthrough();
  app.set_version_flag("--version", std::string("supple ") + version());
  AllOptions options;
  Action action;
  add_global_options(app, options.global);
  add_commands(app, options, action);

  // A wrong call is also told in JSON when JSON was asked for.
  bool json = false;
  for (int i = 1; i < argc; ++i) json = json || std::strcmp(argv[i], "--json") == 0;
  if (json) last_words_as_json();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    if (!json) return app.exit(e);
    Json object;
    if (dynamic_cast<const CLI::CallForVersion*>(&e)) {
      object["version"] = version();
    } else {
      object["help"] = app.help();
    }
    Console(true, true).result(object, "");
    return 0;
  } catch (const CLI::ParseError& e) {
    const InputError error = wrong_call(app, e);
    return report(Console(json, false), kWrongInput, error_json(error), error.what());
  }

  const Console console(options.global.json, options.global.quiet, options.global.threads);
  set_thread_count(options.global.threads);
  if (!options.global.no_cache) stage_cache().open(usual_cache_folder());
  install_interrupt_handler();
  stop_waiting_when([] { return interrupted().load(); });
  try {
    const ReadingOfCall reading({argv + 1, argv + argc}, options.global.allow_read);
    const int status = action(console);
    return status == 0 && !console.told() ? kFailed : status;
  } catch (const InputError& e) {
    return report(console, kWrongInput, error_json(e), e.what());
  } catch (const Cancelled& e) {
    const std::string message = e.what() + how_to_go_on();
    return report(console, interrupted_status(), error_json("interrupted", message), message);
  } catch (const OutputFailure& e) {
    const std::string message = e.what() + how_to_go_on();
    return report(console, kFailed, error_json("failure", message), message);
  } catch (const std::bad_alloc&) {
    return report(console, kFailed, error_json("failure", kOutOfMemory), kOutOfMemory);
  } catch (const std::exception& e) {
    return report(console, kFailed, error_json("failure", e.what()), e.what());
  }
}

}  // namespace
}  // namespace supple

int main(int argc, char** argv) {
  // A file that is opened must not become standard output because that was closed.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd) return supple::kFailed;
  supple::remember_call(argc, argv);
  supple::end_with_words();
  supple::keep_freed_memory();
  return supple::run(argc, argv);
}
