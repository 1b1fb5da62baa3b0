#include "supple/pipeline/run/analyze.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "supple/io/gltf/gltf_morph.h"
#include "supple/io/tets/tet_formats.h"
#include "supple/mesh/quality.h"
#include "supple/pipeline/run/matched_json.h"
#include "supple/render/render.h"
#include "supple/report/dials_json.h"
#include "supple/sim/analysis.h"

namespace supple::pipeline {

namespace {

// Refining once makes eight times the tets; past this many the eigen-solve is not worth the wait.
constexpr int kLargestRefined = 400000;
constexpr double kLockingWarning = 1.15;

Json quality_json(const QualityReport& q) {
  Json j;
  j["vertices"] = q.n_vertices, j["tets"] = q.n_tets;
  j["volume_m3"] = q.volume, j["min_volume_m3"] = q.min_volume;
  j["min_dihedral_deg"] = q.min_dihedral_deg, j["max_dihedral_deg"] = q.max_dihedral_deg;
  j["mean_edge_m"] = q.mean_edge;
  j["slivers"] = q.n_slivers, j["components"] = q.n_components, j["unused_vertices"] = q.unused_vertices.size();
  return j;
}

// The first frequency above zero.
double lowest_vibration(const Modes& m) {
  if (!m.ok) return 0;
  for (double f : m.frequencies_hz)
    if (f > 1e-3 * m.frequencies_hz[m.frequencies_hz.size() - 1]) return f;
  return 0;
}

// The shape at both ends of its swing, with the rest shape between them.
Image mode_picture(const Job& job, const VecX& swing) {
  std::vector<RenderMesh> shapes;
  Points all;
  const std::unique_ptr<Drawing> drawing = job.drawing();
  for (double side : {-1.0, 0.0, 1.0}) {
    RenderMesh m = to_render(job.surface.mesh);
    m.vertices = drawing->displaced(side * swing);
    m.normals.clear();
    all.insert(all.end(), m.vertices.begin(), m.vertices.end());
    shapes.push_back(std::move(m));
  }
  const bool z_up = job.config.world.up == "z";
  Camera camera = fit_camera(bounding_box(all), z_up ? Vec3(-0.3, 1, -0.15) : Vec3(-0.3, -0.15, -1), 0.9);
  if (z_up) camera.up = Vec3::UnitZ();
  std::vector<Image> strip;
  for (const RenderMesh& m : shapes) strip.push_back(render({m}, camera, {.width = 360, .height = 400}));
  return film_strip(strip);
}

std::string response_text(const Response& r) {
  return fmt::format("{:.4g} Hz, sag {}, half-life {}", r.frequency_hz,
                     std::isfinite(r.sag_m) ? fmt::format("{:.4g} mm", 1e3 * r.sag_m) : "unknown",
                     std::isfinite(r.half_life_s) ? fmt::format("{:.4g} s", r.half_life_s) : "infinite");
}

bool same(const Response& a, const Response& b) {
  const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return equal(a.frequency_hz, b.frequency_hz) && equal(a.sag_m, b.sag_m) && equal(a.half_life_s, b.half_life_s);
}

void describe_parts(const Job& job, AnalyzeResult& out) {
  Json& parts = out.report["parts"];
  parts = Json(Json::Array{});
  for (const PartNumbers& p : job.body->parts) {
    Json j;
    j["name"] = p.name;
    j["vertices"] = p.vertices.size();
    j["mass_kg"] = p.mass;
    j["baseline"] = json_of(p.baseline);
    j["adjusted"] = json_of(p.adjusted);
    j["adjustment"] = json_of(p.scalings);
    j["stiffness_damping_s"] = p.adjusted_damping;
    parts.push_back(std::move(j));
    if (job.body->parts.size() < 2) continue;
    std::string text = fmt::format("{} vertices around {}: {}", p.vertices.size(), p.vertices.at(p.vertices.size() / 2),
                                   response_text(p.adjusted));
    if (!same(p.baseline, p.adjusted)) text += fmt::format(" (without dials {})", response_text(p.baseline));
    out.lines.push_back(fmt::format("{:<18} {}", p.name, text));
  }
}

void write_shapes(const Job& job, const Modes& modes, const std::string& directory, AnalyzeResult& out) {
  std::filesystem::create_directories(directory);
  const double swing = 0.1 * job.body->model->size();
  const std::unique_ptr<Drawing> drawing = job.drawing();
  for (Eigen::Index k = 0; k < modes.shapes.cols(); ++k) {
    const VecX shape = modes.shapes.col(k);
    const double largest = std::max(shape.cwiseAbs().maxCoeff(), 1e-300);
    PointCache frames;
    for (int s = 0; s < 24; ++s)
      frames.add(flatten(drawing->displaced(swing / largest * std::sin(2 * M_PI * s / 24) * shape)));
    const std::string file = (std::filesystem::path(directory) / fmt::format("mode_{:02}.glb", k + 1)).string();
    write_glb(file, job.surface.mesh, frames, {.fps = 24, .name = fmt::format("mode {}", k + 1)});
    out.report["mode_files"].push_back(Json(file));
    const std::string picture = (std::filesystem::path(directory) / fmt::format("mode_{:02}.png", k + 1)).string();
    write_png(picture, mode_picture(job, swing / largest * shape));
    out.report["mode_pictures"].push_back(Json(picture));
  }
}

}  // namespace

AnalyzeResult analyze(const Job& job, const AnalyzeOptions& options) {
  AnalyzeResult out;
  const Model& model = *job.body->model;
  const bool free_body = !model.loose_parts().empty();
  const std::string& linear = job.config.solver.linear;
  out.warnings = job.notes.warnings;
  auto say = [&](const char* what, const std::string& value) {
    out.lines.push_back(fmt::format("{:<18} {}", what, value));
  };

  const QualityReport q = measure_quality(model.mesh());
  out.report["quality"] = quality_json(q);
  say("mesh", fmt::format("{} vertices, {} tets, {} parts, dihedral angles {:.1f} to {:.1f} degrees", q.n_vertices,
                          q.n_tets, q.n_components, q.min_dihedral_deg, q.max_dihedral_deg));
  if (q.n_slivers > 0)
    out.warnings.push_back(fmt::format("{} slivers (a dihedral angle under 5 or over 175 degrees)", q.n_slivers));

  const Modes modes = natural_modes(model, options.modes + (free_body ? 6 : 0), linear);
  if (!modes.ok) out.warnings.push_back("no modes: " + modes.message);
  const double f1 = lowest_vibration(modes);
  out.report["frequency_hz"] = f1;
  out.report["frequencies_hz"] =
      Json::list(std::vector<double>(modes.frequencies_hz.begin(), modes.frequencies_hz.end()));
  std::string list;
  for (double f : modes.frequencies_hz) list += fmt::format("{}{:.4g}", list.empty() ? "" : ", ", f);
  say("frequencies", list + " Hz");

  for (const MatchedShare& m : job.body->matched) {
    out.report["anti_locking"].push_back(matched_json(m));
    if (m.wanted_hz > 0)
      say("anti-locking", fmt::format("{:.4g} Hz as linear tets, {:.4g} as ten-node tets, {:.4g} with {:.0f} % of the "
                                      "shear left to the tets",
                                      m.plain_hz, m.wanted_hz, m.found_hz, 100 * m.share));
  }
  if (options.refine && f1 > 0) {
    if (8 * q.n_tets > kLargestRefined) {
      out.report["refined"] = Json();
      out.warnings.push_back(fmt::format("locking not measured: the refined mesh would have {} tets", 8 * q.n_tets));
    } else {
      const double fine = lowest_vibration(natural_modes(refined(model), free_body ? 8 : 1, linear));
      const double ratio = fine > 0 ? f1 / fine : 0;
      out.report["refined"]["frequency_hz"] = fine;
      out.report["refined"]["ratio"] = ratio;
      say("locking", fmt::format("{:.4g} Hz on the mesh refined once: this mesh is {:.3f} times that", fine, ratio));
      if (ratio > kLockingWarning)
        out.warnings.push_back(
            fmt::format("the mesh is too coarse to bend freely: its frequency is {:.0f} % above that of "
                        "the mesh refined once; refine it, lower poisson_ratio, or set "
                        "material.anti_locking = {}",
                        100 * (ratio - 1), job.config.tets.file.empty() ? "true" : "\"matched\""));
    }
  }

  if (free_body) {
    out.report["sag_m"] = Json();
    out.warnings.push_back("parts that nothing holds have no sag: they fall");
  } else {
    const Sag sag = gravity_sag(model, linear);
    out.report["sag_m"] = sag.converged ? Json(sag.sag_m) : Json();
    out.report["sag_peak_m"] = sag.converged ? Json(sag.peak_m) : Json();
    say("sag", sag.converged ? fmt::format("{:.4g} mm (mean), {:.4g} mm at most", 1e3 * sag.sag_m, 1e3 * sag.peak_m)
                             : "no equilibrium was found under gravity");
    if (!sag.converged) out.warnings.push_back("no equilibrium under gravity: the material is too soft for its weight");
    if (sag.converged && sag.peak_m > 0.5 * model.size())
      out.warnings.push_back("the body sags by more than half its size under its own weight");
  }
  const double settle = job.body->adjusted.half_life_s;
  out.report["half_life_s"] = settle;
  out.report["stiffness_damping_s"] = job.body->stiffness_damping;
  say("half-life", std::isfinite(settle) ? fmt::format("{:.4g} s at {} substeps (stiffness damping {:.4g} s)", settle,
                                                       job.body->substeps, job.body->stiffness_damping)
                                         : "no damping: it never settles");
  out.report["baseline"] = json_of(job.body->baseline);
  out.report["adjusted"] = json_of(job.body->adjusted);
  out.report["adjustment"] = json_of(job.body->scalings);
  if (!same(job.body->baseline, job.body->adjusted)) {
    say("without dials", response_text(job.body->baseline));
    say("with dials", response_text(job.body->adjusted));
  }
  describe_parts(job, out);
  const int advised = auto_substeps(*job.body);
  out.report["advice"]["substeps"] = advised;
  out.report["advice"]["steps_per_period"] = f1 > 0 ? Json(job.shot.fps * job.body->substeps / f1) : Json();
  say("time step",
      fmt::format("{} substeps at {:g} frames a second give {:.3g} steps a period{}", advised, job.shot.fps,
                  f1 > 0 ? job.shot.fps * advised / f1 : 0, job.body->parts.size() > 1 ? " of the slowest part" : ""));
  if (!options.shapes_directory.empty() && modes.ok) {
    write_shapes(job, modes, options.shapes_directory, out);
    say("mode shapes", options.shapes_directory);
  }
  out.report["warnings"] = out.warnings.empty() ? Json(Json::Array{}) : Json::list(out.warnings);
  return out;
}

SceneConfig scene_for_tets(const std::string& path) {
  SceneConfig config;
  config.tets.file = {path, path};
  const TetMesh mesh = read_tet_mesh(path);
  require_simulable(mesh, path);
  const Box box = bounding_box(mesh.vertices);
  int axis = 0;
  box.size().maxCoeff(&axis);
  std::vector<char> used(mesh.vertices.size(), 0);
  for (const Tet& t : mesh.tets)
    for (int v : t) used[v] = 1;
  for (int v = 0; v < mesh.n_vertices(); ++v)
    if (used[v] && mesh.vertices[v][axis] <= box.low[axis] + 0.1 * box.size()[axis])
      config.attach.vertices.indices.push_back(v);
  return config;
}

}  // namespace supple::pipeline
