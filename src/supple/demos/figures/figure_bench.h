// What the figures are made with: example scenes run under given scalings, and the files of a figure. Inside the scene
// room only.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "supple/demos/examples/examples.h"
#include "supple/demos/figures/figures.h"
#include "supple/pipeline/trials/experiment.h"
#include "supple/render/render.h"

namespace supple::demos {

// One run, followed at a point.
struct FigureTake {
  Motion motion;
  std::vector<double> time;     // of every step, from the first frame [s]
  std::vector<double> along;    // q of the point along the axis followed [m]
  std::vector<double> length;   // |q| of the point [m]
  std::vector<double> rms;      // sqrt(<Mq, q> / m) [m]
  std::map<int, VecX> frames;   // displacements u of the frames kept
  std::map<int, VecX> statics;  // p there

  // Largest |along| between two times.
  double peak(double from_s, double to_s) const;
  // The oscillation from a time on.
  RingEstimate ring(double from_s) const;
};

class FigureScene {
 public:
  // Substeps follow the adjusted frequency; the integrator is tr-bdf2.
  FigureScene(const FigureOptions& options, const Watch& watch, const std::string& label, const std::string& example,
              const ExampleOptions& size, const std::vector<std::string>& overrides = {});

  pipeline::Job& job() { return job_; }
  pipeline::SceneExperiment& experiment() { return experiment_; }
  // Where takes are measured.
  void follow(int vertex, const Vec3& axis) { vertex_ = vertex, axis_ = axis; }
  int highest_vertex() const;
  // Stops after the last frame, 0: runs to the end. What is known of the same scalings is not run again, here or in the
  // experiment.
  const FigureTake& take(const Scalings& s, const std::vector<int>& keep = {}, int last_frame = 0);
  Scalings formula(const Ratios& asked) { return pipeline::scalings_for(job_.config, *job_.body, asked); }

 private:
  FigureTake run(const Scalings& s, const std::vector<int>& keep, int last_frame);
  const Watch& watch_;
  std::string label_;
  pipeline::Job job_;
  pipeline::SceneExperiment experiment_;
  int vertex_ = 0;
  Vec3 axis_ = Vec3::UnitX();
  std::map<std::string, FigureTake> takes_;
};

// Scenes that figures share, made when first asked for.
class FigureStage {
 public:
  explicit FigureStage(const FigureOptions& options, const Watch& watch = {}) : options_(options), watch_(watch) {}
  const FigureOptions& options() const { return options_; }
  const Watch& watch() const { return watch_; }
  Watch quiet() const { return {.cancelled = watch_.cancelled}; }  // for runs whose own words nobody asked for
  void note(const std::string& text) const { watch_.note(text); }
  FigureScene& scene(const std::string& label, const std::string& example, const ExampleOptions& size,
                     const std::vector<std::string>& overrides = {});
  // The linear sunflower of 1500 tets and the jellyfish, 4 s each.
  FigureScene& short_sunflower();
  FigureScene& short_jellyfish();

 private:
  FigureOptions options_;
  Watch watch_;
  std::map<std::string, std::unique_ptr<FigureScene>> scenes_;
};

// The drawn surface at displacements u, as it is and as a net of lines.
RenderMesh solid_at(const pipeline::Job& job, const VecX& u);
RenderMesh wire_at(const pipeline::Job& job, const VecX& u);

// Columns of numbers under their names.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  void add(const std::string& name, const std::vector<double>& column);
};

// Files of figures, in their directory.
void write_figure_csv(const FigureStage& stage, Figure& f, const std::string& name, const Columns& columns);
void write_figure_plots(const FigureStage& stage, Figure& f, const std::string& name, const std::vector<Plot>& panels,
                        int columns);
void write_figure_picture(const FigureStage& stage, Figure& f, const std::string& name, const Image& image);

// Rows of a table; percent: signed, of a measured against a prescribed ratio.
std::string percent(double got, double asked);
std::string number(double x, int digits = 4);

// figure_bends.cpp, figure_sweeps.cpp, figure_spins.cpp
Figure figure_2(FigureStage& stage);
Figure figure_4(FigureStage& stage);
Figure figure_6(FigureStage& stage);
Figure figure_8(FigureStage& stage);
Figure figure_9(FigureStage& stage);
Figure figure_10(FigureStage& stage);
Figure figure_11(FigureStage& stage);

}  // namespace supple::demos
