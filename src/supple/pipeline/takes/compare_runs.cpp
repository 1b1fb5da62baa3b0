#include "supple/pipeline/takes/compare_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "supple/base/hash.h"
#include "supple/base/parallel.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/deliver/page_motion.h"
#include "supple/pipeline/deliver/portrait.h"
#include "supple/pipeline/run/report.h"
#include "supple/pipeline/run/response_card.h"
#include "supple/pipeline/takes/delivered_surface.h"
#include "supple/scene/write_scene.h"

namespace supple::pipeline {

namespace {

constexpr double kGap = 0.3;  // between the two, of the wider one

// A take with all that it delivered.
struct Shown : DeliveredSurface {
  explicit Shown(const std::string& directory) : DeliveredSurface(directory) {
    const auto n = static_cast<size_t>(n_frames());
    departure.resize(n);
    parallel_for(n, 1, [&](size_t begin, size_t end) {
      for (size_t f = begin; f < end; ++f)
        departure[f] = distance(base(static_cast<int>(f)), points(static_cast<int>(f)));
    });
  }
  static FrameDistance distance(const Points& a, const Points& b) {
    FrameDistance d;
    double sum = 0;
    for (size_t v = 0; v < a.size(); ++v) {
      const double squared = (a[v] - b[v]).squaredNorm();
      sum += squared;
      d.largest = std::max(d.largest, std::sqrt(squared));
    }
    d.rms = a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
    return d;
  }

  std::vector<FrameDistance> departure;  // from the input, or from where the flesh would rest
};

std::vector<KeyDifference> differences(const Shown& a, const Shown& b) {
  return scene_differences(to_toml(a.take.job.config, "."), to_toml(b.take.job.config, "."));
}

double root_mean(const std::vector<FrameDistance>& list) {
  double sum = 0;
  for (const FrameDistance& d : list) sum += d.rms * d.rms;
  return list.empty() ? 0 : std::sqrt(sum / static_cast<double>(list.size()));
}
double most(const std::vector<FrameDistance>& list) {
  double largest = 0;
  for (const FrameDistance& d : list) largest = std::max(largest, d.largest);
  return largest;
}

// Over the vertices of each region of a, all frames together.
std::vector<RegionDistance> by_region(const Shown& a, const Shown& b, size_t n_frames) {
  const DrawnFlesh& flesh = a.drawn.flesh;
  std::vector<RegionDistance> out;
  for (const std::string& name : flesh.names) out.push_back({name, {}});
  std::vector<double> count(out.size(), 0);
  for (size_t f = 0; f < n_frames; ++f) {
    const Points of_a = a.points(static_cast<int>(f)), of_b = b.points(static_cast<int>(f));
    for (size_t v = 0; v < flesh.region.size(); ++v) {
      if (flesh.region[v] < 0) continue;
      const auto k = static_cast<size_t>(flesh.region[v]);
      const double d = (of_a[v] - of_b[v]).norm();
      out[k].over_all.rms += d * d, count[k] += 1;
      out[k].over_all.largest = std::max(out[k].over_all.largest, d);
    }
  }
  for (size_t k = 0; k < out.size(); ++k)
    out[k].over_all.rms = std::sqrt(out[k].over_all.rms / std::max(1.0, count[k]));
  for (size_t k = out.size(); k-- > 0;)
    if (count[k] == 0) out.erase(out.begin() + static_cast<long>(k));
  return out;
}

void lay_over(const Shown& a, const Shown& b, CompareResult& r) {
  const TriMesh &of_a = a.drawn.mesh, &of_b = b.drawn.mesh;
  r.size_m = longest_side(of_a.vertices) * a.metres();
  if (of_a.n_vertices() != of_b.n_vertices())
    r.why_not = fmt::format("the meshes differ: {} and {} vertices", of_a.n_vertices(), of_b.n_vertices());
  else if (of_a.triangles != of_b.triangles)
    r.why_not = "the meshes differ in their triangles";
  else if (a.take.job.shot.fps != b.take.job.shot.fps)
    r.why_not = fmt::format("the takes have {:g} and {:g} frames a second", a.take.job.shot.fps, b.take.job.shot.fps);
  r.same_mesh = r.why_not.empty();
  if (!r.same_mesh) return;
  const auto n = static_cast<size_t>(std::min(a.run.n_frames(), b.run.n_frames()));
  r.distance.resize(n);
  parallel_for(n, 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f)
      r.distance[f] = Shown::distance(a.points(static_cast<int>(f)), b.points(static_cast<int>(f)));
  });
  r.rms_m = root_mean(r.distance), r.largest_m = most(r.distance);
  r.regions = by_region(a, b, n);
  for (size_t f = 0; f < n; ++f)
    if (r.distance[f].largest == r.largest_m) {
      r.worst_frame = static_cast<int>(f);
      break;
    }
}

PlotLine line(const std::string& label, const std::vector<FrameDistance>& list, double FrameDistance::*value,
              double fps) {
  PlotLine out{.label = label, .x = {}, .y = {}};
  for (size_t f = 0; f < list.size(); ++f)
    out.x.push_back(static_cast<double>(f) / fps), out.y.push_back(1e3 * list[f].*value);
  return out;
}

std::vector<Plot> plots_of(const Shown& a, const Shown& b, const CompareResult& r) {
  const double fps_a = a.take.job.shot.fps, fps_b = b.take.job.shot.fps;
  std::vector<Plot> plots;
  const auto add = [&](const char* title, double FrameDistance::*value) {
    Plot p{.title = title, .x_label = "time [s]", .y_label = "mm"};
    p.lines = {line("A", a.departure, value, fps_a), line("B", b.departure, value, fps_b)};
    p.y_from_zero = true;
    plots.push_back(std::move(p));
  };
  add("Amplitude: departure of what is drawn, rms", &FrameDistance::rms);
  add("Largest departure", &FrameDistance::largest);
  if (r.same_mesh) {
    Plot p{.title = "Distance between A and B", .x_label = "time [s]", .y_label = "mm"};
    p.lines = {line("rms", r.distance, &FrameDistance::rms, fps_a),
               line("largest", r.distance, &FrameDistance::largest, fps_a)};
    p.y_from_zero = true;
    plots.push_back(std::move(p));
  }
  int room = 0;
  for (const Plot& p : plots) room = std::max(room, label_room(p));
  for (Plot& p : plots) p.label_room = room;
  return plots;
}

std::string with_share(double metres, double size) {
  return fmt::format("{:.3g} mm, {:.3g} % of the size", 1e3 * metres, size > 0 ? 100 * metres / size : 0);
}

std::vector<PageTable> tables_of(const Shown& a, const Shown& b, const CompareResult& r) {
  const auto said = [](const std::string& text) { return text.empty() ? std::string("\u2013") : text; };
  std::vector<PageTable> tables;
  PageTable keys{.title = "What differs in the scenes", .note = "", .head = {"Key", "A", "B"}, .rows = {}};
  for (const KeyDifference& d : differences(a, b)) keys.rows.push_back({d.key, said(d.a), said(d.b)});
  if (keys.rows.empty()) keys.note = "Nothing.";
  tables.push_back(std::move(keys));

  PageTable card{.title = "Asked / got", .note = "", .head = {"", "A asked", "A got", "B asked", "B got"}, .rows = {}};
  const std::vector<AskedGot> of_a = asked_and_got(a.take.report), of_b = asked_and_got(b.take.report);
  for (size_t i = 0; i < of_a.size(); ++i)
    card.rows.push_back({of_a[i].what, said(of_a[i].asked), said(of_a[i].got), said(of_b[i].asked), said(of_b[i].got)});
  card.note = "Of the simulations, before finishing.";
  tables.push_back(std::move(card));

  PageTable drawn{.title = "What is drawn", .note = "", .head = {"", "rms", "largest"}, .rows = {}};
  for (const auto& [name, s] : {std::pair{"departure of A", &a}, std::pair{"departure of B", &b}}) {
    const double size = longest_side(s->drawn.mesh.vertices) * s->metres();
    drawn.rows.push_back({name, with_share(root_mean(s->departure), size), with_share(most(s->departure), size)});
  }
  drawn.note = fmt::format("As delivered: A of {}, B of {}.", a.source, b.source);
  if (r.preview)
    drawn.rows.push_back(
        {"preview against final, departures",
         fmt::format("{}, {:.3g} % of the swing", length_text(r.preview->rms_m), 100 * r.preview->rms_share()),
         fmt::format("99th percentile {}, {:.3g} % of that of the swing", length_text(r.preview->percentile99_m),
                     100 * r.preview->percentile99_share())});
  if (r.same_mesh) {
    drawn.rows.push_back({"distance between A and B", with_share(r.rms_m, r.size_m),
                          fmt::format("{}, at frame {}", with_share(r.largest_m, r.size_m), r.worst_frame)});
  } else {
    drawn.note += " Only these numbers can be compared: " + r.why_not + ".";
  }
  tables.push_back(std::move(drawn));
  if (!r.regions.empty()) {
    PageTable regions{.title = "Distance by region", .note = "", .head = {"", "rms", "largest"}, .rows = {}};
    for (const RegionDistance& d : r.regions)
      regions.rows.push_back({d.name, with_share(d.over_all.rms, r.size_m), with_share(d.over_all.largest, r.size_m)});
    regions.note = "Regions of A.";
    tables.push_back(std::move(regions));
  }
  return tables;
}

Json json_of(const Shown& s) {
  Json j;
  j["directory"] = s.take.directory;
  j["surface"] = s.source;
  j["frames"] = s.run.n_frames(), j["fps"] = s.take.job.shot.fps, j["vertices"] = s.drawn.mesh.n_vertices();
  j["departure"]["rms_m"] = root_mean(s.departure), j["departure"]["largest_m"] = most(s.departure);
  for (const AskedGot& row : asked_and_got(s.take.report)) {
    j["asked"][row.what] = row.asked;
    j["got"][row.what] = row.got;
  }
  return j;
}

Json json_of(const Shown& a, const Shown& b, const CompareResult& r) {
  Json j;
  j["version"] = version();
  j["a"] = json_of(a), j["b"] = json_of(b);
  j["differences"] = Json(Json::Array{});
  for (const KeyDifference& d : differences(a, b)) {
    Json one;
    one["key"] = d.key;
    one["a"] = d.a.empty() ? Json() : Json(d.a), one["b"] = d.b.empty() ? Json() : Json(d.b);
    j["differences"].push_back(one);
  }
  if (r.preview)
    j["preview_and_final"] = to_json(*r.preview, is_preview(a.take.report) ? b.take.directory : a.take.directory);
  j["same_mesh"] = r.same_mesh;
  if (!r.same_mesh) j["why_not"] = r.why_not;
  if (!r.same_mesh) return j;
  Json& d = j["distance"];
  d["size_m"] = r.size_m, d["rms_m"] = r.rms_m, d["largest_m"] = r.largest_m, d["worst_frame"] = r.worst_frame;
  d["rms_percent"] = r.size_m > 0 ? 100 * r.rms_m / r.size_m : 0;
  d["largest_percent"] = r.size_m > 0 ? 100 * r.largest_m / r.size_m : 0;
  for (const RegionDistance& region : r.regions) {
    Json& one = d["regions"][region.name];
    one["rms_m"] = region.over_all.rms, one["largest_m"] = region.over_all.largest;
  }
  d["frames"] = Json(Json::Array{});
  for (const FrameDistance& f : r.distance) {
    Json one;
    one["rms_mm"] = 1e3 * f.rms, one["largest_mm"] = 1e3 * f.largest;
    one["rms_percent"] = r.size_m > 0 ? 100 * f.rms / r.size_m : 0;
    one["largest_percent"] = r.size_m > 0 ? 100 * f.largest / r.size_m : 0;
    d["frames"].push_back(one);
  }
  return j;
}

// Both at the frame where they differ most.
std::string poster_of(const Shown& a, const Shown& b, int frame) {
  std::vector<Image> strip;
  for (const Shown* s : {&a, &b})
    strip.push_back(picture_of(s->take.job.output(), s->drawn, std::min(frame, s->n_frames() - 1)));
  const std::vector<uint8_t> bytes = encode_png(film_strip(strip));
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

MotionSource side_by_side(const MotionSource& a, const MotionSource& b) {
  MotionSource s = a;
  s.n_vertices += b.n_vertices;
  s.n_frames = std::max(a.n_frames, b.n_frames);
  for (const Tri& t : b.triangles)
    s.triangles.push_back({t[0] + a.n_vertices, t[1] + a.n_vertices, t[2] + a.n_vertices});
  for (MotionLook look : b.looks) {
    if (look.picture >= 0) look.picture += static_cast<int>(a.pictures.size());
    s.looks.push_back(look);
  }
  s.pictures.insert(s.pictures.end(), b.pictures.begin(), b.pictures.end());
  s.normals.insert(s.normals.end(), b.normals.begin(), b.normals.end());
  s.crease_deg = std::max(a.crease_deg, b.crease_deg);
  // Lists that one of them lacks are filled with what does not show.
  const auto join = [&](auto& list, const auto& of_b, const auto& filler) {
    if (list.empty() && of_b.empty()) return;
    list.resize(static_cast<size_t>(a.n_vertices), filler);
    list.insert(list.end(), of_b.begin(), of_b.end());
    list.resize(static_cast<size_t>(s.n_vertices), filler);
  };
  join(s.colors, b.colors, Vec3(Vec3::Ones()));
  join(s.uvs, b.uvs, Eigen::Vector2d(Eigen::Vector2d::Zero()));
  join(s.softness, b.softness, std::numeric_limits<double>::quiet_NaN());
  // Regions of one name have one colour.
  std::vector<int> regions_b = b.region;
  for (int& region : regions_b) {
    if (region < 0) continue;
    const std::string& name = b.region_names[static_cast<size_t>(region)];
    const auto known = std::find(s.region_names.begin(), s.region_names.end(), name);
    region = static_cast<int>(known - s.region_names.begin());
    if (known == s.region_names.end()) s.region_names.push_back(name);
  }
  join(s.region, regions_b, -1);
  s.size_m = std::max(a.size_m, b.size_m);

  // Apart sideways, by what both take over all frames.
  const double scale = b.metres / a.metres;
  const int side = a.up == 'x' ? 2 : 0;
  const auto span = [&](const MotionSource& m, double unit) {
    std::vector<float> input, result;
    std::pair<double, double> ends = {1e300, -1e300};
    for (int f = 0; f < m.n_frames; ++f) {
      m.frame(f, input, result);
      for (size_t i = static_cast<size_t>(side); i < result.size(); i += 3)
        for (const float x : {input[i], result[i]})
          ends = {std::min(ends.first, unit * x), std::max(ends.second, unit * x)};
    }
    return ends;
  };
  const auto of_a = span(a, 1), of_b = span(b, scale);
  const double wider = std::max(of_a.second - of_a.first, of_b.second - of_b.first);
  const auto shift = static_cast<float>(of_a.second - of_b.first + kGap * wider);
  s.frame = [a, b, scale, side, shift](int f, std::vector<float>& input, std::vector<float>& result) {
    a.frame(std::min(f, a.n_frames - 1), input, result);
    std::vector<float> input_b, result_b;
    b.frame(std::min(f, b.n_frames - 1), input_b, result_b);
    for (std::vector<float>* x : {&input_b, &result_b})
      for (size_t i = 0; i < x->size(); ++i)
        (*x)[i] = static_cast<float>(scale * (*x)[i]) + (static_cast<int>(i % 3) == side ? shift : 0.0f);
    input.insert(input.end(), input_b.begin(), input_b.end());
    result.insert(result.end(), result_b.begin(), result_b.end());
  };
  return s;
}

CompareResult compare_runs(const std::string& directory_a, const std::string& directory_b, const Watch& watch) {
  watch.note("opening both takes");
  const Shown a(directory_a), b(directory_b);
  CompareResult r;
  lay_over(a, b, r);
  if (preview_and_final(a.take.report, b.take.report))
    r.preview = is_preview(a.take.report) ? preview_difference(a, b) : preview_difference(b, a);
  r.json = json_of(a, b, r);
  const auto title_of = [](const Job& job) { return job.subject->appearance().title(job.config); };
  const std::string of_a = title_of(a.take.job), of_b = title_of(b.take.job);
  r.page.title = of_a == of_b ? of_a + ": two takes" : of_a + " and " + of_b;
  r.page.summary = fmt::format("A, on the left: {} ({} frames). B, on the right: {} ({} frames).", directory_a,
                               a.run.n_frames(), directory_b, b.run.n_frames());
  r.page.poster_png = poster_of(a, b, r.worst_frame);
  r.page.poster_alt = "A and B where they differ most";
  const OutputRequest out_a = a.take.job.output(), out_b = b.take.job.output();
  r.page.motion = pack_motion(side_by_side(motion_source(out_a, a.drawn, resting_frames(a.take.job, directory_a)),
                                           motion_source(out_b, b.drawn, resting_frames(b.take.job, directory_b))));
  for (const Shown* s : {&a, &b})
    if (!s->take.edited.empty())
      r.page.warnings.push_back(
          fmt::format("{}: its scene.toml was edited since the run; this is what the run delivered, without: {}",
                      s->take.directory, fmt::join(s->take.edited, ", ")));
  r.page.tables = tables_of(a, b, r);
  r.page.plots = plots_of(a, b, r);
  r.page.data = r.json;
  return r;
}

void write_comparison(const CompareResult& result, const std::string& page) { write_text(page, to_html(result.page)); }

}  // namespace supple::pipeline
