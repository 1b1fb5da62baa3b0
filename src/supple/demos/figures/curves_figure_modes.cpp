// Modes of the elephant's belly: what they are (figure 4), that six stand for all its parameters (7), and edits by one
// of them (9).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "supple/demos/examples/examples_curves.h"
#include "supple/demos/figures/curves_figure_bench.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/curve_files.h"
#include "supple/io/output_file.h"

namespace supple::demos {

using namespace pipeline::curves;

namespace {

constexpr int kFewModes = 6;
const Vec3 kFromTheSide(-1, -0.1, -0.45), kFromTheFront(-0.35, 0.12, -1);

std::string elephant_directory(const FigureStage& stage) {
  std::string directory = scene_directory(stage, "elephant");
  write_text(directory + "/walk.toml", rig_elephant_example(directory, {.short_shot = stage.options().quick}));
  return directory;
}

Points points_of(const VecX& x) {
  Points list;
  for (Eigen::Index i = 0; i < x.size(); i += 3) list.push_back(x.segment<3>(i));
  return list;
}

Image elephant_picture(const std::vector<RenderMesh>& meshes, const Points& all, const Vec3& direction) {
  return render(meshes, fit_camera(bounding_box(all), direction, 1.05, false, 0.02), {.width = 320, .height = 305});
}

// Amplitude of a mode that moves the point it moves most by so much [m].
double amplitude_for(const BellyModes& belly, int mode, double distance) {
  VecX r = VecX::Zero(belly.modes.n_modes());
  const Points rest = belly.at(r);
  r[mode] = 1e-3;
  const Points moved = belly.at(r);
  double most = 0;
  for (size_t v = 0; v < rest.size(); ++v) most = std::max(most, (moved[v] - rest[v]).norm());
  return most > 0 ? 1e-3 * distance / most : 0;
}

}  // namespace

Points BellyModes::at(const VecX& r) const {
  const RigMap& rig = *take.setup->rig.still;
  VecX p = rig.rest();
  const VecX d = modes.U * r;
  for (size_t a = 0; a < take.layer().free.size(); ++a) p[take.layer().free[a]] += d[static_cast<Eigen::Index>(a)];
  return points_of(rig.evaluate(p, 0));
}

std::vector<Points> BellyModes::scaled(const std::vector<double>& scale) const {
  const MatX edited = scale_modes(modes, samples, scale);
  const RigMap& rig = *take.setup->rig.rig;
  const KeyedParameters keyed = keyed_with(take.setup->rig.rig, take.setup->keys);
  const VecX rest = rig.rest();
  std::vector<Points> frames;
  for (double t : take.seconds()) {
    VecX p = keyed(t);
    const auto f = static_cast<Eigen::Index>(frames.size());
    for (size_t a = 0; a < take.layer().free.size(); ++a) {
      const int i = take.layer().free[a];
      p[i] = rest[i] + edited(f, static_cast<Eigen::Index>(a));
    }
    frames.push_back(points_of(rig.evaluate(p, t)));
  }
  return frames;
}

BellyModes measure_belly(const FigureStage& stage) {
  BellyModes out;
  out.take = take_curves(stage, "belly", elephant_directory(stage) + "/belly.toml");
  const LayerResult& layer = out.take.layer();
  const auto& all = out.take.setup->rig.rig->parameters();
  out.samples = layer.curves;
  VecX units(layer.curves.cols());
  for (size_t a = 0; a < layer.free.size(); ++a) {
    const RigParameter& p = all[static_cast<size_t>(layer.free[a])];
    out.samples.col(static_cast<Eigen::Index>(a)).array() -= p.rest;
    units[static_cast<Eigen::Index>(a)] = p.unit;
  }
  out.modes = learn_modes(layer.names, out.samples, units, kFewModes);
  for (int k = 0; k < out.modes.n_modes(); ++k) {
    VecX r = VecX::Zero(out.modes.n_modes());
    const Points rest = out.at(r);
    r[k] = 1e-3;
    const Points moved = out.at(r);
    Vec3 sum = Vec3::Zero();
    for (size_t v = 0; v < rest.size(); ++v) sum += (moved[v] - rest[v]).cwiseAbs2();
    out.along.push_back(sum / sum.sum());
  }
  return out;
}

Figure figure_belly_modes(FigureStage& stage) {
  Figure f{.number = 4, .title = "Modes of the belly"};
  const BellyModes belly = measure_belly(stage);
  const VecX none = VecX::Zero(belly.modes.n_modes());
  const Points rest = belly.at(none);
  std::vector<Image> strip;
  std::vector<std::vector<Points>> shapes(2);
  Points all = rest;
  for (int k = 0; k < 2; ++k)
    for (double sign : {-1.0, 1.0}) {
      VecX r = none;
      r[k] = sign * amplitude_for(belly, k, 0.12);
      shapes[static_cast<size_t>(k)].push_back(belly.at(r));
      all = together({&all, &shapes[static_cast<size_t>(k)].back()});
    }
  RenderMesh net;
  net.vertices = rest, net.triangles = belly.take.setup->rig.triangles;
  net.fill = false, net.line_width = 0.3, net.line_color = {0.01, 0.03, 0.2};
  for (const auto& pair : shapes)
    for (const Points& x : pair) strip.push_back(elephant_picture({belly.take.drawn(x), net}, all, kFromTheFront));
  write_figure_picture(stage, f, "curves-modes.png", film_strip(strip));
  PageTable table{.title = "Modes of the curves of the walk",
                  .note =
                      "Share of the curves' squares, and of the surface's motion along each axis (x sideways, y up, "
                      "z forwards).",
                  .head = {"mode", "share [%]", "x [%]", "y [%]", "z [%]"},
                  .rows = {}};
  for (int k = 0; k < belly.modes.n_modes(); ++k) {
    const Vec3& along = belly.along[static_cast<size_t>(k)];
    table.rows.push_back({fmt::format("{}", k + 1), fmt::format("{:.2f}", 100 * belly.modes.energy[k]),
                          fmt::format("{:.0f}", 100 * along.x()), fmt::format("{:.0f}", 100 * along.y()),
                          fmt::format("{:.0f}", 100 * along.z())});
  }
  f.tables.push_back(table);
  f.caption = fmt::format(
      "The first two modes of {} belly parameters over the walk, each both ways, 12 cm where it moves most; rest as a "
      "net. The first has {:.0f} % of the curves and {:.0f} % of its motion is vertical; the second has {:.0f} %, and "
      "{:.0f} % is horizontal.",
      belly.samples.cols(), 100 * belly.modes.energy[0], 100 * belly.along[0].y(), 100 * belly.modes.energy[1],
      100 * (1 - belly.along[1].y()));
  return f;
}

FewModes measure_few_modes(const FigureStage& stage) {
  const std::string directory = elephant_directory(stage);
  const std::vector<std::pair<std::string, std::string>> clips = {{"walk", "belly"}, {"dance", "dance"}};
  std::vector<CurvesTake> full;
  for (const auto& [clip, scene] : clips) {
    full.push_back(take_curves(stage, fmt::format("belly, {}", clip), fmt::format("{}/{}.toml", directory, scene)));
    const CurvesTake& take = full.back();
    CurveTable table{.names = take.layer().names, .frames = {}, .values = take.layer().curves};
    for (int k = 0; k < take.n_frames(); ++k) table.frames.push_back(k);
    write_curves(fmt::format("{}/{}.csv", directory, clip), table);
  }
  FewModes out;
  for (size_t learnt = 0; learnt < clips.size(); ++learnt)
    for (size_t used = 0; used < clips.size(); ++used) {
      const CurvesTake& whole = full[used];
      // The same flesh: fewer parameters swing faster, and would be given another modulus for the same frequency.
      const LayerNumbers& flesh = whole.layer().numbers;
      CurvesTake few =
          take_curves(stage, fmt::format("belly, {} by modes of the {}", clips[used].first, clips[learnt].first),
                      fmt::format("{}/{}.toml", directory, clips[used].second),
                      {fmt::format("curves.modes={}", kFewModes),
                       fmt::format("curves.modes_from=\"{}/{}.csv\"", directory, clips[learnt].first),
                       fmt::format("material.youngs_modulus={:.17g}", flesh.youngs_modulus),
                       fmt::format("material.stiffness_damping={:.17g}", flesh.stiffness_damping)});
      out.cases.push_back({.learnt = clips[learnt].first,
                           .used = clips[used].first,
                           .difference = rms_of_moved(few.found, whole.found, whole.share),
                           .motion = whole.motion(),
                           .full_s = whole.layer().totals.seconds_a_frame(),
                           .few_s = few.layer().totals.seconds_a_frame()});
      if (learnt == 0 && used == 1) out.few = std::move(few);
    }
  out.full = std::move(full[1]);
  return out;
}

Figure figure_few_modes(FigureStage& stage) {
  Figure f{.number = 7, .title = "Six modes for 36 parameters"};
  const FewModes m = measure_few_modes(stage);
  const int n = m.full.n_frames(), busy = m.full.busiest();
  std::vector<Image> strip;
  for (int frame : {n / 4, busy, 3 * n / 4}) {
    const auto k = static_cast<size_t>(frame);
    RenderMesh blue = m.full.drawn(m.full.found[k]), grey = m.few.drawn(m.few.found[k]);
    blue.colors.clear(), grey.colors.clear();
    blue.color = {0.06, 0.18, 0.65}, grey.color = {0.6, 0.6, 0.58};
    strip.push_back(elephant_picture({blue, grey}, together({&blue.vertices, &grey.vertices}), kFromTheFront));
  }
  write_figure_picture(stage, f, "curves-few-modes.png", film_strip(strip));
  PageTable table{.title = "Six modes against 36 parameters",
                  .note = "rms over all frames and what the belly's parameters move; motion: against the clip.",
                  .head = {"modes learnt on", "used on", "motion [mm]", "difference [mm]", "of the motion [%]",
                           "s a frame, 36", "s a frame, 6"},
                  .rows = {}};
  double worst = 0;
  for (const FewModes::Case& c : m.cases) {
    worst = std::max(worst, c.share());
    table.rows.push_back({c.learnt, c.used, fmt::format("{:.2f}", 1e3 * c.motion),
                          fmt::format("{:.3f}", 1e3 * c.difference), fmt::format("{:.2f}", 100 * c.share()),
                          fmt::format("{:.3f}", c.full_s), fmt::format("{:.3f}", c.few_s)});
  }
  f.tables.push_back(table);
  f.caption = fmt::format(
      "The dance with 36 belly parameters (blue) and with six modes that were learnt on the walk (grey), one over the "
      "other. Over both clips and both sets of modes the surface differs by at most {:.1f} % of its motion (rms).",
      100 * worst);
  return f;
}

Figure figure_scaled_mode(FigureStage& stage) {
  Figure f{.number = 9, .title = "A mode scaled by 1.5"};
  const BellyModes belly = measure_belly(stage);
  const std::vector<double> scales = {1 / 1.5, 1, 1.5};
  const MatX r = mode_amplitudes(belly.modes, belly.samples);
  Eigen::Index most = 0;
  r.col(0).cwiseAbs().maxCoeff(&most);
  std::vector<std::vector<Points>> shots;
  Points all;
  PageTable table{.title = "Motion of the belly by the scale of its first mode",
                  .note = "rms over all frames, against the clip.",
                  .head = {"scale", "motion [mm]", "of that as simulated"},
                  .rows = {}};
  for (double s : scales) {
    shots.push_back(belly.scaled({s}));
    all = together({&all, &shots.back()[static_cast<size_t>(most)]});
    const double motion = rms_of_moved(shots.back(), belly.take.keyed, belly.take.share);
    table.rows.push_back({fmt::format("{:.3f}", s), fmt::format("{:.2f}", 1e3 * motion),
                          fmt::format("{:.3f}", motion / belly.take.motion())});
  }
  RenderMesh net;
  net.vertices = belly.take.keyed[static_cast<size_t>(most)], net.triangles = belly.take.setup->rig.triangles;
  net.fill = false, net.line_width = 0.3, net.line_color = {0.01, 0.03, 0.2};
  std::vector<Image> strip;
  for (const auto& shot : shots)
    strip.push_back(elephant_picture({belly.take.drawn(shot[static_cast<size_t>(most)]), net}, all, kFromTheFront));
  write_figure_picture(stage, f, "curves-scaled-mode.png", film_strip(strip));
  f.tables.push_back(table);
  f.caption = fmt::format(
      "Frame {} of the walk, where the first mode of the belly is largest: that mode over 1.5, as simulated, and times "
      "1.5; what is keyed as a net.",
      most);
  return f;
}

}  // namespace supple::demos
