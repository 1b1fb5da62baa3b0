// A head of which only the outer face is known: completed by tets, and as rigidly as possible over its surface alone.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "supple/base/error.h"
#include "supple/contact/broad_phase.h"
#include "supple/contact/crossings.h"
#include "supple/demos/drawn/talking_head.h"
#include "supple/demos/examples/examples_enrich_plant_head.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/enrich/rigid_parts.h"
#include "supple/enrich/surface_arap.h"
#include "supple/io/index_list.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline;

namespace {

constexpr int kShotFrames = 960;                  // of the whole shot
constexpr int kEvery = 8;                         // one of so many is looked at
constexpr int kIterations = 15, kToSettle = 200;  // of the surface: from each frame to the next; at the worst one
constexpr int kQuick[] = {0, 252, 444, 456, 468, 636, 648};  // a yawn, lips pressed, a kiss

std::vector<int> frames_of_shot(bool quick) {
  if (quick) return {std::begin(kQuick), std::end(kQuick)};
  std::vector<int> frames;
  for (int f = 0; f < kShotFrames; f += kEvery) frames.push_back(f);
  return frames;
}

// The example, with some frames of the whole shot. A coarser skin would have no lips to press.
std::string write_head(const FigureStage& stage, const std::vector<int>& frames) {
  const std::string directory = scene_directory(stage, "head");
  std::string scene = directory + "/head.toml";
  write_text(scene, head_example(directory, {}));
  const TriMesh neutral = read_obj(directory + "/head.obj"), open = read_obj(directory + "/open.obj");
  Points places, places_open;
  for (int v : read_index_list(directory + "/tracked.txt", neutral.n_vertices())) {
    places.push_back(neutral.vertices[static_cast<size_t>(v)]);
    places_open.push_back(open.vertices[static_cast<size_t>(v)]);
  }
  const double fps = load_scene(scene).timeline.fps.value_or(30);
  Pc2Writer cache(directory + "/face.pc2", static_cast<int>(places.size()));
  for (int f : frames) cache.append(flatten(posed_face(places, places_open, speaking(f / fps))));
  cache.finish();
  return scene;
}

// The largest shell, with its own numbers.
struct HeadSkin {
  TriMesh mesh;
  std::vector<int> vertex;  // of the whole surface
  std::vector<int> own;     // the other way round; -1: of another shell
};
HeadSkin skin_of(const TriMesh& all) {
  const auto shells = surface_components(all.n_vertices(), all.triangles);
  HeadSkin skin;
  skin.vertex =
      *std::max_element(shells.begin(), shells.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  skin.own.assign(all.vertices.size(), -1);
  for (size_t k = 0; k < skin.vertex.size(); ++k) {
    const auto v = static_cast<size_t>(skin.vertex[k]);
    skin.own[v] = static_cast<int>(k);
    skin.mesh.vertices.push_back(all.vertices[v]);
    if (!all.colors.empty()) skin.mesh.colors.push_back(all.colors[v]);
  }
  for (const Tri& t : all.triangles)
    if (skin.own[static_cast<size_t>(t[0])] >= 0)
      skin.mesh.triangles.push_back({skin.own[static_cast<size_t>(t[0])], skin.own[static_cast<size_t>(t[1])],
                                     skin.own[static_cast<size_t>(t[2])]});
  return skin;
}

// From the front, and cut open where skin passes through skin, from the side.
std::vector<Image> head_pictures(const HeadCrossings& head, const Points& x) {
  RenderMesh m;
  m.vertices = x, m.triangles = head.skin.triangles, m.colors = head.skin.colors;
  const Vec3 middle(0, head.where.y(), head.where.z());
  const Camera front{.eye = middle + Vec3(0, 0.1, 1), .target = middle, .perspective = false, .view_height = 0.11};
  const Camera side{
      .eye = head.where + Vec3(1, 0.05, 0.15), .target = head.where, .perspective = false, .view_height = 0.03};
  const CutBody cut = cut_open(m, head.where.x(), 3e-5);
  return {render({m}, front, {.width = 480, .height = 420}),
          render({cut.shell, cut.face}, side, {.width = 480, .height = 420, .shadows = false})};
}

}  // namespace

HeadCrossings measure_head(const FigureStage& stage) {
  HeadCrossings out;
  const bool quick = stage.options().quick;
  out.frames = frames_of_shot(quick);
  const SceneConfig config = load_scene(
      write_head(stage, out.frames), quick ? std::vector<std::string>{"tets.count=5000"} : std::vector<std::string>{});
  stage.note("fitting head");
  const auto setup = set_up_enrich(config, true, stage.quiet());
  const HeadSkin skin = skin_of(setup->input.surface);
  out.skin = skin.mesh;
  const ContactShape shape = make_contact_shape(skin.mesh.vertices, skin.mesh.triangles);
  BroadPhase broad(shape);
  const auto crossings = [&](const Points& x) -> int {
    return static_cast<int>(find_crossings(shape, x, broad).size());
  };
  out.neutral = crossings(skin.mesh.vertices);

  std::vector<int> constrained;
  std::vector<size_t> source;
  for (size_t i = 0; i < setup->input.vertex.size(); ++i) {
    const int own = skin.own[static_cast<size_t>(setup->input.vertex[i])];
    if (own >= 0) constrained.push_back(own), source.push_back(i);
  }
  const SurfaceArap arap(skin.mesh, constrained);
  Points surface = skin.mesh.vertices, places_worst;
  stage.note("completing head over its surface");
  for (int f = 0; f < setup->input.frames.n_samples; ++f) {
    if (stage.watch().cancelled()) throw Cancelled();
    const Points all = setup->drawn(setup->fitted(f), f, config.enrich.detail), tracked = setup->input.frames.points(f);
    Points fitted, places;
    for (int v : skin.vertex) fitted.push_back(all[static_cast<size_t>(v)]);
    for (size_t i : source) places.push_back(tracked[i]);
    surface = arap.complete(places, surface, kIterations).positions;
    out.fitted.push_back(crossings(fitted));
    out.surface.push_back(crossings(surface));
    if (f > 0 && out.surface.back() <= out.surface[out.worst]) continue;
    out.worst = static_cast<size_t>(f), out.fitted_worst = fitted, out.surface_worst = surface, places_worst = places;
  }
  // Not for want of iterations.
  out.surface_worst = arap.complete(places_worst, out.surface_worst, kToSettle).positions;
  const std::vector<Crossing> left = find_crossings(shape, out.surface_worst, broad);
  out.settled = static_cast<int>(left.size());
  for (const Crossing& c : left)
    for (int v : shape.triangles[static_cast<size_t>(c.triangle)])
      out.where += out.surface_worst[static_cast<size_t>(v)] / (3.0 * static_cast<double>(left.size()));
  return out;
}

Figure figure_head(FigureStage& stage) {
  Figure f{.number = 8, .title = "A completed mouth, by volume and by surface"};
  const HeadCrossings head = measure_head(stage);
  std::vector<Image> pictures = head_pictures(head, head.fitted_worst);
  for (const Image& image : head_pictures(head, head.surface_worst)) pictures.push_back(image);
  write_figure_picture(stage, f, "head.png", film_strip(pictures, 2));
  const std::vector<double> frames(head.frames.begin(), head.frames.end()),
      fitted(head.fitted.begin(), head.fitted.end()), surface(head.surface.begin(), head.surface.end());
  const Plot plot{.title = "Edges of the skin that pass through its triangles",
                  .x_label = "frame",
                  .y_label = "crossings",
                  .lines = {{.label = "completed by tets", .x = frames, .y = fitted, .draw = PlotDraw::points},
                            {.label = "surface alone", .x = frames, .y = surface, .draw = PlotDraw::points}},
                  .marks = {{frames[head.worst], "shown"}},
                  .y_from_zero = true,
                  .height = 280};
  write_figure_plots(stage, f, "head.svg", {plot}, 1);
  Columns csv;
  csv.add("frame", frames);
  csv.add("crossings[tets]", fitted);
  csv.add("crossings[surface]", surface);
  write_figure_csv(stage, f, "head.csv", csv);
  PageTable table{.title = "Crossings of the skin with itself",
                  .note = "Without teeth, tongue and eyes.",
                  .head = {"completed by", "frames with crossings", "most in a frame", "at the frame shown"},
                  .rows = {}};
  for (const auto& [name, counts] : {std::pair("tets", &head.fitted), std::pair("surface alone", &head.surface)})
    table.rows.push_back(
        {name,
         fmt::format("{} of {}", std::count_if(counts->begin(), counts->end(), [](int n) { return n > 0; }),
                     counts->size()),
         fmt::format("{}", *std::max_element(counts->begin(), counts->end())),
         fmt::format("{}", (*counts)[head.worst])});
  f.tables.push_back(table);
  const auto crossing = [](const std::vector<int>& counts) {
    return std::count_if(counts.begin(), counts.end(), [](int n) { return n > 0; });
  };
  f.caption = fmt::format(
      "Of a speaking head only the outer face is tracked. Above, completed by the tets that are bent along with it; "
      "below, by its surface alone, as rigidly as possible with the tracked vertices held. From the front, and the "
      "lips "
      "cut open, at frame {} with lips pressed or drawn together; yellow is flesh that passes through flesh. Of {} "
      "frames, skin passes through itself in {} of the first and {} of the second. After {} more iterations there are "
      "{} crossings at the frame shown.",
      head.frames[head.worst], head.frames.size(), crossing(head.fitted), crossing(head.surface), kToSettle,
      head.settled);
  return f;
}

}  // namespace supple::demos
