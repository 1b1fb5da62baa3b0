// Ripples that are finer than the tets: kept where detail is put back, lost where it is not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "supple/demos/drawn/plant.h"
#include "supple/demos/examples/examples_enrich_plant_head.h"
#include "supple/demos/figures/enrich_figure_bench.h"
#include "supple/io/obj.h"
#include "supple/io/output_file.h"
#include "supple/pipeline/enriched/enriched.h"

namespace supple::demos {

namespace {

constexpr int kDegree = 6;  // of the smooth part along a leaf
constexpr double kMostWaves = 14, kStep = 0.25;
constexpr double kBandFrom = kPlantRippleWaves - 2, kBandTo = kPlantRippleWaves + 2;

using LeafLine = Eigen::Matrix<double, kPlantLeafAlong, 3>;

double along_leaf(int i) { return static_cast<double>(i) / (kPlantLeafAlong - 1); }

// Chebyshev polynomials along a leaf, and what takes values to those nearest to them that are smooth.
const MatX& smoother() {
  static const MatX projection = [] {
    MatX basis(kPlantLeafAlong, kDegree + 1);
    for (int i = 0; i < kPlantLeafAlong; ++i)
      for (int k = 0; k <= kDegree; ++k) basis(i, k) = std::cos(k * std::acos(2 * along_leaf(i) - 1));
    const MatX q = basis.householderQr().householderQ() * MatX::Identity(kPlantLeafAlong, kDegree + 1);
    return MatX(q * q.transpose());
  }();
  return projection;
}

// How far each line of a leaf is off its own smooth part, along the normal of the smooth leaf.
std::array<VecX, kPlantLeafAcross> ripples_of(const Points& plant, int leaf) {
  std::array<LeafLine, kPlantLeafAcross> lines, smooth;
  for (int j = 0; j < kPlantLeafAcross; ++j) {
    LeafLine& line = lines[static_cast<size_t>(j)];
    for (int i = 0; i < kPlantLeafAlong; ++i)
      line.row(i) = plant[static_cast<size_t>(plant_vertex(leaf, i, j))].transpose();
    smooth[static_cast<size_t>(j)] = smoother() * line;
  }
  std::array<VecX, kPlantLeafAcross> ripples;
  for (int j = 0; j < kPlantLeafAcross; ++j) {
    const LeafLine& own = smooth[static_cast<size_t>(j)];
    const LeafLine &left = smooth[static_cast<size_t>(std::max(j - 1, 0))],
                   &right = smooth[static_cast<size_t>(std::min(j + 1, kPlantLeafAcross - 1))];
    VecX& ripple = ripples[static_cast<size_t>(j)];
    ripple.resize(kPlantLeafAlong);
    for (int i = 0; i < kPlantLeafAlong; ++i) {
      const Vec3 along = (own.row(std::min(i + 1, kPlantLeafAlong - 1)) - own.row(std::max(i - 1, 0))).transpose();
      const Vec3 across = (right.row(i) - left.row(i)).transpose();
      const Vec3 off = (lines[static_cast<size_t>(j)].row(i) - own.row(i)).transpose();
      ripple[i] = off.dot(across.cross(along).normalized());
    }
  }
  return ripples;
}

// Under a Hann window over the blade, so that what the ends do does not count as waves.
double amplitude_at(const VecX& ripple, double waves) {
  std::complex<double> sum = 0;
  double total = 0;
  for (int i = 0; i < ripple.size(); ++i) {
    const double u = along_leaf(i), window = std::pow(std::sin(std::numbers::pi * u), 2);
    sum += window * ripple[i] * std::polar(1.0, -2 * std::numbers::pi * waves * u);
    total += window;
  }
  return 2 * std::abs(sum) / total;
}

std::vector<double> bands(const std::vector<Points>& frames) {
  std::vector<double> list;
  for (const Points& x : frames) list.push_back(ripple_spectrum(x).band(kBandFrom, kBandTo));
  return list;
}

std::vector<double> scaled(std::vector<double> x, double factor) {
  for (double& v : x) v *= factor;
  return x;
}

}  // namespace

RippleSpectrum ripple_spectrum(const Points& plant) {
  RippleSpectrum out;
  for (double waves = 0; waves <= kMostWaves; waves += kStep) out.waves.push_back(waves);
  out.amplitude.assign(out.waves.size(), 0);
  for (int leaf = 0; leaf < kPlantLeaves; ++leaf)
    for (const VecX& ripple : ripples_of(plant, leaf))
      for (size_t k = 0; k < out.waves.size(); ++k)
        out.amplitude[k] += std::pow(amplitude_at(ripple, out.waves[k]), 2) / (kPlantLeaves * kPlantLeafAcross);
  for (double& a : out.amplitude) a = std::sqrt(a);
  return out;
}

double RippleSpectrum::band(double from, double to) const {
  double sum = 0, n = 0;
  for (size_t k = 0; k < waves.size(); ++k)
    if (waves[k] >= from && waves[k] <= to) sum += amplitude[k] * amplitude[k], n += 1;
  return n > 0 ? std::sqrt(sum / n) : 0;
}

PlantDetail measure_plant(const FigureStage& stage) {
  const std::string directory = scene_directory(stage, "plant"), scene = directory + "/plant.toml";
  write_text(scene, plant_example(directory, {.short_shot = stage.options().quick}));
  PlantDetail out;
  out.take = take_enriched(stage, "plant", scene);
  out.with_frames = out.take.drawn(1, true), out.without_frames = out.take.drawn(1, false);
  for (int f = 0; f < out.take.n_frames(); ++f) out.input_frames.push_back(out.take.input(f));
  out.input = ripple_spectrum(out.input_frames.back());
  out.with_detail = ripple_spectrum(out.with_frames.back());
  out.without = ripple_spectrum(out.without_frames.back());
  out.input_band = bands(out.input_frames);
  out.with_band = bands(out.with_frames);
  out.without_band = bands(out.without_frames);
  return out;
}

Figure figure_plant(FigureStage& stage) {
  Figure f{.number = 3, .title = "Detail that is finer than the tets"};
  const PlantDetail plant = measure_plant(stage);
  const TriMesh& mesh = plant.take.job.surface.mesh;
  RenderMesh pot = to_render(read_obj(scene_directory(stage, "plant") + "/pot.obj"));
  pot.color = {0.55, 0.25, 0.15};
  std::vector<Image> strip;
  Points all = pot.vertices;
  for (const auto* frames : {&plant.input_frames, &plant.without_frames, &plant.with_frames})
    all.insert(all.end(), frames->back().begin(), frames->back().end());
  for (const auto* frames : {&plant.input_frames, &plant.without_frames, &plant.with_frames}) {
    RenderMesh m;
    m.vertices = frames->back(), m.triangles = mesh.triangles, m.color = {0.20, 0.42, 0.12};
    const Camera camera = fit_camera(bounding_box(all), {-0.5, -0.35, -1}, 0.95);
    strip.push_back(render({pot, m}, camera, {.width = 380, .height = 400}));
  }
  write_figure_picture(stage, f, "plant.png", film_strip(strip));

  std::vector<double> frames;
  for (size_t k = 0; k < plant.input_band.size(); ++k) frames.push_back(static_cast<double>(k));
  Plot spectrum{.title = "Ripples at the last frame",
                .x_label = "waves along a leaf",
                .y_label = "amplitude [mm]",
                .y_from_zero = true,
                .width = 560,
                .height = 300};
  Plot over_time{.title = fmt::format("Between {:g} and {:g} waves, over the shot", kBandFrom, kBandTo),
                 .x_label = "frame",
                 .y_label = "rms [mm]",
                 .y_from_zero = true,
                 .width = 560,
                 .height = 300};
  Columns csv, time_csv;
  csv.add("waves", plant.input.waves);
  time_csv.add("frame", frames);
  PageTable table{
      .title = fmt::format("Ripples of {:g} to {:g} waves along a leaf, at the last frame", kBandFrom, kBandTo),
      .note = "Off the smooth part of the leaf, along its normal.",
      .head = {"shown", "rms [mm]", "of the input's [%]"},
      .rows = {}};
  struct Shown {
    const char* name;
    const RippleSpectrum* spectrum;
    const std::vector<double>* band;
  };
  for (const Shown& s :
       {Shown{"input", &plant.input, &plant.input_band}, Shown{"detail kept", &plant.with_detail, &plant.with_band},
        Shown{"detail off", &plant.without, &plant.without_band}}) {
    const std::vector<double> mm = scaled(s.spectrum->amplitude, 1e3), band = scaled(*s.band, 1e3);
    spectrum.lines.push_back({.label = s.name, .x = s.spectrum->waves, .y = mm});
    over_time.lines.push_back({.label = s.name, .x = frames, .y = band});
    csv.add(fmt::format("amplitude_mm[{}]", s.name), mm);
    time_csv.add(fmt::format("band_mm[{}]", s.name), band);
    table.rows.push_back(
        {s.name, number(band.back(), 3), fmt::format("{:.1f}", 100 * s.band->back() / plant.input_band.back())});
  }
  write_figure_plots(stage, f, "plant.svg", {spectrum, over_time}, 2);
  write_figure_csv(stage, f, "plant.csv", csv);
  write_figure_csv(stage, f, "plant_band.csv", time_csv);
  f.tables.push_back(table);
  f.caption = fmt::format(
      "The plant at the last frame: the input, which withers and ripples; physics alone (enrich.detail = false); and "
      "with the detail of the input put back. Tets are too coarse for ripples of {} waves a leaf: physics alone has "
      "{:.0f} % of them, and with detail {:.1f} % are there.",
      kPlantRippleWaves, 100 * plant.without_band.back() / plant.input_band.back(),
      100 * plant.with_band.back() / plant.input_band.back());
  return f;
}

}  // namespace supple::demos
