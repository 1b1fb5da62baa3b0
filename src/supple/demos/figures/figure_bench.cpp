#include "supple/demos/figures/figure_bench.h"
#include "supple/pipeline/trials/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "supple/base/error.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/run/run.h"
#include "supple/scene/read_scene.h"

namespace supple::demos {

using namespace pipeline;

namespace fs = std::filesystem;

namespace {

Job build(const FigureOptions& options, const Watch& watch, const std::string& label, const std::string& example,
          const ExampleOptions& size, const std::vector<std::string>& overrides) {
  watch.note("building " + label);
  const fs::path dir = fs::path(options.directory) / "scenes" / label;
  SceneConfig config = load_scene(write_example(example, dir.string(), size), overrides);
  config.timeline.substeps.reset();
  config.solver.integrator = "tr-bdf2";
  return build_job(config);
}

}  // namespace

double FigureTake::peak(double from_s, double to_s) const {
  double most = 0;
  for (size_t i = 0; i < time.size(); ++i)
    if (time[i] >= from_s && time[i] <= to_s) most = std::max(most, std::abs(along[i]));
  return most;
}

RingEstimate FigureTake::ring(double from_s) const {
  std::vector<double> y;
  for (size_t i = 0; i < time.size(); ++i)
    if (time[i] >= from_s) y.push_back(along[i]);
  return estimate_ring(y, time.size() > 1 ? time[1] - time[0] : 1);
}

FigureScene::FigureScene(const FigureOptions& options, const Watch& watch, const std::string& label,
                         const std::string& example, const ExampleOptions& size,
                         const std::vector<std::string>& overrides)
    : watch_(watch),
      label_(label),
      job_(build(options, watch, label, example, size, overrides)),
      experiment_(job_, nullptr),
      vertex_(highest_vertex()) {
  experiment_.watch.cancelled = watch.cancelled;
}

int FigureScene::highest_vertex() const {
  const Points& x = job_.body->model->mesh().vertices;
  return static_cast<int>(
      std::max_element(x.begin(), x.end(), [](const Vec3& a, const Vec3& b) { return a.y() < b.y(); }) - x.begin());
}

const FigureTake& FigureScene::take(const Scalings& s, const std::vector<int>& keep, int last_frame) {
  const std::string key = fmt::format("{} {}", key_of(s), last_frame);
  const auto known = takes_.find(key);
  if (known != takes_.end() &&
      std::all_of(keep.begin(), keep.end(), [&](int frame) { return known->second.frames.count(frame) > 0; }))
    return known->second;
  watch_.note(
      fmt::format("{}: chi {:.4g}, mu {:.4g}, ck {:.4g}, epsilon {:.4g}", label_, s.chi, s.mu, s.ck, s.epsilon));
  FigureTake& take = takes_[key] = run(s, keep, last_frame);
  if (last_frame == 0) experiment_.runs[key_of(s)].motion = take.motion;
  return take;
}

FigureTake FigureScene::run(const Scalings& s, const std::vector<int>& keep, int last_frame) {
  const Job job = with_scalings(job_, s);
  FigureTake out;
  Simulation sim(*job.body->model, simulation_spec(job));
  begin(sim, job);
  const auto follow = [&](double time) {
    const VecX q = sim.q();
    const Vec3 point = q.segment<3>(3 * vertex_);
    out.time.push_back(time);
    out.along.push_back(point.dot(axis_));
    out.length.push_back(point.norm());
    out.rms.push_back(sim.amplitude().rms);
  };
  const auto keep_frame = [&](int frame) {
    if (std::find(keep.begin(), keep.end(), frame) == keep.end()) return;
    out.frames[frame] = sim.state().u;
    out.statics[frame] = sim.p();
  };
  follow(0);
  keep_frame(0);
  const int frames = last_frame > 0 ? std::min(last_frame + 1, job.shot.n_frames()) : job.shot.n_frames();
  for (int frame = 1; frame < frames; ++frame) {
    for (int k = 0; k < job.body->substeps; ++k) {
      if (watch_.cancelled()) throw Cancelled();
      sim.step();
      follow(sim.state().t - job.shot.start_time());
    }
    keep_frame(frame);
  }
  out.motion = motion_of(sim);
  return out;
}

FigureScene& FigureStage::scene(const std::string& label, const std::string& example, const ExampleOptions& size,
                                const std::vector<std::string>& overrides) {
  std::unique_ptr<FigureScene>& scene = scenes_[label];
  if (!scene) scene = std::make_unique<FigureScene>(options_, watch_, label, example, size, overrides);
  return *scene;
}

FigureScene& FigureStage::short_sunflower() {
  return scene("short-sunflower", "sunflower-linear", {.edge = 0.085, .short_shot = true});
}

FigureScene& FigureStage::short_jellyfish() { return scene("short-jellyfish", "jellyfish", {.short_shot = true}); }

RenderMesh solid_at(const Job& job, const VecX& u) {
  RenderMesh m = to_render(job.surface.mesh);
  m.vertices = job.drawing()->displaced(u);
  m.normals.clear();
  return m;
}

RenderMesh wire_at(const Job& job, const VecX& u) {
  RenderMesh m = solid_at(job, u);
  m.fill = false;
  // Thin: a fine mesh is to stay a net.
  m.line_width = 0.3;
  m.line_color = {0.01, 0.03, 0.2};
  return m;
}

void Columns::add(const std::string& name, const std::vector<double>& column) {
  names.push_back(name);
  values.push_back(column);
}

void write_figure_csv(const FigureStage& stage, Figure& f, const std::string& name, const Columns& columns) {
  std::string text = fmt::format("{}\n", fmt::join(columns.names, ","));
  size_t rows = 0;
  for (const auto& c : columns.values) rows = std::max(rows, c.size());
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < columns.values.size(); ++c) {
      const std::vector<double>& column = columns.values[c];
      text += c > 0 ? "," : "";
      if (r < column.size() && std::isfinite(column[r])) text += fmt::format("{:.8g}", column[r]);
    }
    text += "\n";
  }
  write_text((fs::path(stage.options().directory) / name).string(), text);
  f.files.push_back(name);
}

void write_figure_plots(const FigureStage& stage, Figure& f, const std::string& name, const std::vector<Plot>& panels,
                        int columns) {
  write_text((fs::path(stage.options().directory) / name).string(), to_svg(panels, columns));
  f.files.push_back(name);
}

void write_figure_picture(const FigureStage& stage, Figure& f, const std::string& name, const Image& image) {
  write_png((fs::path(stage.options().directory) / name).string(), image);
  f.files.push_back(name);
}

std::string percent(double got, double asked) { return fmt::format("{:+.2f} %", 100 * (got / asked - 1)); }

std::string number(double x, int digits) { return std::isfinite(x) ? fmt::format("{:.{}g}", x, digits) : "-"; }

}  // namespace supple::demos
