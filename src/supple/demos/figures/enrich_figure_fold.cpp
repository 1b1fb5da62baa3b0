// The fold between two rolls of belly: half of the physics shown by blending leaves a gap where flesh has met flesh,
// half of it by adjusted physics does not.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "supple/contact/broad_phase.h"
#include "supple/contact/pair_distance.h"
#include "supple/demos/drawn/fold.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/job/contact_setup.h"

namespace supple::demos {

using namespace pipeline;

namespace {

struct FoldScene {
  std::string file;
  std::vector<Tri> upper, lower;  // the sides of the slit
};

std::vector<Tri> triangles_among(const TriMesh& mesh, const std::vector<int>& vertices) {
  std::vector<char> in(mesh.vertices.size(), 0);
  for (int v : vertices) in[static_cast<size_t>(v)] = 1;
  std::vector<Tri> list;
  for (const Tri& t : mesh.triangles)
    if (std::all_of(t.begin(), t.end(), [&](int v) { return in[static_cast<size_t>(v)]; })) list.push_back(t);
  return list;
}

// The upper roll is the softer one, or both would go down together.
FoldScene write_fold(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "fold");
  const bool quick = stage.options().quick;
  const DrawnAnimation fold = make_fold({.edge = quick ? 0.018 : 0.010});
  write_obj(directory + "/fold.obj", fold.neutral);
  Pc2Writer cache(directory + "/fold.pc2", fold.neutral.n_vertices());
  for (const Points& x : fold.frames) cache.append(flatten(x));
  cache.finish();
  write_index_list(directory + "/lower.txt", fold.parts.at("lower"));
  FoldScene scene{directory + "/fold.toml", triangles_among(fold.neutral, fold.parts.at("upper face")),
                  triangles_among(fold.neutral, fold.parts.at("lower face"))};
  write_text(scene.file,
             fmt::format(
                 R"(# A torso with two rolls of belly that falls and lands: the upper roll is thrown onto the lower one.
[surface]
file = "fold.obj"
cache = "fold.pc2"

[timeline]
fps = {}

[tets]
count = {}

[material]
youngs_modulus = 6e3
half_life_s = 0.15

[[region]]
name = "lower"
vertices = "lower.txt"
youngs_modulus = 4e4

[enrich]
soft = "COLOR_0.r"

[contact]
self = true
thickness = 0.002
)",
                 kFoldFps, quick ? 1500 : 6000));
  return scene;
}

std::vector<double> in_millimetres(std::vector<double> x) {
  for (double& v : x) v *= 1e3;
  return x;
}

// Skin that is soft in its own color, what follows in gray.
RenderMesh fold_look(const FoldGaps& gaps, const Points& x) {
  const TriMesh& mesh = gaps.take.job.surface.mesh;
  RenderMesh m;
  m.vertices = x, m.triangles = mesh.triangles;
  for (const Vec3& c : mesh.colors) m.colors.push_back(Vec3(0.42, 0.45, 0.50) + c[0] * Vec3(0.33, 0.05, -0.12));
  return m;
}

// The torso as a whole above, its middle cut open below.
Image fold_pictures(const FoldGaps& gaps) {
  const auto frame = static_cast<size_t>(gaps.closing);
  const Points input = gaps.take.input(gaps.closing);
  const Vec3 middle = input.empty() ? Vec3::Zero() : Vec3(0, bounding_box(input).low.y() + 0.25, 0.085);
  std::vector<Image> above, below;
  for (const Points* x :
       {&input, &gaps.full_frames[frame], &gaps.blended_frames[frame], &gaps.adjusted_frames[frame]}) {
    const RenderMesh body = fold_look(gaps, *x);
    const Camera whole = fit_camera(bounding_box(input), {-0.65, -0.1, -1}, 0.9);
    above.push_back(render({body}, whole, {.width = 360, .height = 400}));
    const CutBody cut = cut_open(body, 0, 2.5e-4);
    const Camera near{.eye = middle + Vec3(1, 0.12, 0.25), .target = middle, .perspective = false, .view_height = 0.24};
    below.push_back(render({cut.shell, cut.face}, near, {.width = 360, .height = 360, .shadows = false}));
  }
  above.insert(above.end(), below.begin(), below.end());
  return film_strip(above, 4);
}

}  // namespace

double surface_distance(const Points& x, const std::vector<Tri>& one, const std::vector<Tri>& other) {
  std::vector<Tri> both = one;
  both.insert(both.end(), other.begin(), other.end());
  ContactShape shape = make_contact_shape(x, both);
  // Each set is a part, connected or not, and parts meet only each other.
  shape.within_parts = false;
  std::fill(shape.part.begin(), shape.part.end(), 0);
  for (const Tri& t : other)
    for (int v : t) shape.part[static_cast<size_t>(v)] = 1;
  BroadPhase broad(shape);
  const double size = longest_side(x);
  for (double reach = shape.mean_edge; reach < 4 * size; reach *= 2) {
    double least = std::numeric_limits<double>::infinity();
    for (const ContactPair& pair : broad.near(x, reach)) least = std::min(least, distance(pair, x).distance);
    if (least <= reach) return least;
  }
  return std::numeric_limits<double>::infinity();
}

double FoldGaps::closed_share(const std::vector<double>& gaps) const {
  const auto n = std::count_if(gaps.begin(), gaps.end(), [&](double g) { return g < closed; });
  return gaps.empty() ? 0 : static_cast<double>(n) / static_cast<double>(gaps.size());
}

FoldGaps measure_fold(const FigureStage& stage) {
  const FoldScene scene = write_fold(stage);
  FoldGaps out;
  out.take = take_enriched(stage, "fold", scene.file);
  EnrichTake adjusted =
      take_enriched(stage, "fold-adjusted", scene.file, {"controls.amplitude=0.5"}, &out.take.subject->setup().fit);
  const auto gaps = [&](const std::vector<Points>& frames) {
    std::vector<double> list;
    for (const Points& x : frames) list.push_back(surface_distance(x, scene.upper, scene.lower));
    return list;
  };
  out.full_frames = out.take.drawn(), out.blended_frames = out.take.drawn(0.5), out.adjusted_frames = adjusted.drawn();
  out.full = gaps(out.full_frames), out.blended = gaps(out.blended_frames), out.adjusted = gaps(out.adjusted_frames);
  out.drawn = surface_distance(out.take.input(0), scene.upper, scene.lower);
  out.closed = 2 * contact_thickness(out.take.job);
  out.closing = static_cast<int>(std::min_element(out.adjusted.begin(), out.adjusted.end()) - out.adjusted.begin());
  return out;
}

Figure figure_fold(FigureStage& stage) {
  Figure f{.number = 7, .title = "Less of the physics at a fold: blending and adjusted physics"};
  FoldGaps gaps = measure_fold(stage);
  write_figure_picture(stage, f, "fold.png", fold_pictures(gaps));
  std::vector<double> frames;
  for (size_t k = 0; k < gaps.full.size(); ++k) frames.push_back(static_cast<double>(k));
  Plot plot{.title = "The slit between the rolls",
            .x_label = "frame",
            .y_label = "narrowest place [mm]",
            .marks = {{static_cast<double>(gaps.closing), fmt::format("frame {}", gaps.closing)}},
            .y_from_zero = true,
            .height = 300};
  Columns csv;
  csv.add("frame", frames);
  PageTable table{
      .title = "The slit over the shot",
      .note = fmt::format("Closed: narrower than {:.3g} mm, twice the thickness of contact. As drawn it is "
                          "{:.3g} mm wide.",
                          1e3 * gaps.closed, 1e3 * gaps.drawn),
      .head = {"shown", fmt::format("at frame {} [mm]", gaps.closing), "least [mm]", "closed [% of frames]"},
      .rows = {}};
  const std::pair<const char*, const std::vector<double>*> lines[] = {{"all of the physics", &gaps.full},
                                                                      {"half by blending", &gaps.blended},
                                                                      {"half by adjusted physics", &gaps.adjusted}};
  for (const auto& [name, g] : lines) {
    const std::vector<double> mm = in_millimetres(*g);
    plot.lines.push_back({.label = name, .x = frames, .y = mm});
    csv.add(fmt::format("gap_mm[{}]", name), mm);
    table.rows.push_back({name, number(mm[static_cast<size_t>(gaps.closing)], 3),
                          number(*std::min_element(mm.begin(), mm.end()), 3),
                          fmt::format("{:.0f}", 100 * gaps.closed_share(*g))});
  }
  write_figure_plots(stage, f, "fold.svg", {plot}, 1);
  write_figure_csv(stage, f, "fold.csv", csv);
  f.tables.push_back(table);
  const auto at = static_cast<size_t>(gaps.closing);
  f.caption = fmt::format(
      "Figure 7 of the paper on adjustable dynamics. A torso falls and lands, which throws the upper roll of its belly "
      "onto the lower one; whole and cut open at frame {}. From the left: the input, with the slit as drawn; all of "
      "the "
      "physics, in contact; half of it by blending with the input after the simulation; half of it by adjusted physics "
      "(controls.amplitude = 0.5). Blending leaves {:.1f} mm of air where flesh has met flesh, and never less than "
      "{:.1f} mm; with adjusted physics the rolls meet ({:.1f} mm, at a thickness of contact of {:g} mm).",
      gaps.closing, 1e3 * gaps.blended[at], 1e3 * *std::min_element(gaps.blended.begin(), gaps.blended.end()),
      1e3 * gaps.adjusted[at], 1e3 * gaps.closed / 2);
  return f;
}

}  // namespace supple::demos
