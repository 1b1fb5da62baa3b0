#include "supple/pipeline/curves/refit.h"

#include <algorithm>
#include <cmath>

namespace supple::pipeline::curves {

namespace {

constexpr int kFewestFrames = 2;  // over which a material changes

}  // namespace

MaterialOverTime::MaterialOverTime(const CurvesSetup& setup, const CurvesLayer& layer)
    : setup_(setup), layer_(layer), memory_{.met = layer.fit ? layer.fit->misfit : 0} {}

std::optional<MaterialFit> MaterialOverTime::better_at(const VecX& p, double t) {
  const double limit = setup_.config.curves.refit;
  if (!(limit > 0) || layer_.stiffness.size() == 0 || under_way()) return std::nullopt;
  const VecX all = layer_.reduced ? layer_.reduced->expand(p, t) : p;
  if (!base_) base_ = with_stiffness(layer_, std::vector<double>(), setup_.rig.rig);
  const double misfit =
      material_misfit(*base_, layer_.base_free, layer_.stiffness, layer_.body->spec().stiffness, all, t);
  if (!(misfit - memory_.met > limit)) return std::nullopt;
  MaterialFit fit =
      fit_materials(*base_, layer_.base_free, layer_.stiffness, {.ridge = setup_.config.curves.ridge}, all, t);
  // A fit that does no better is no reason to begin anew, nor to try again at every frame.
  const bool better = fit.misfit < misfit;
  memory_.met = better ? fit.misfit : misfit;
  if (!better) return std::nullopt;
  return fit;
}

void MaterialOverTime::begin(std::vector<double> to, double t) {
  memory_.to = std::move(to);
  memory_.from = layer_.body->spec().stiffness;
  if (memory_.from.empty()) memory_.from.assign(memory_.to.size(), 1);
  const double hz = layer_.numbers.adjusted.frequency_hz;
  memory_.ramp = {t, std::max(kFewestFrames / setup_.rig.time.fps, hz > 0 ? 1 / hz : 0)};
}

double MaterialOverTime::Ramp::share(double t) const {
  const double s = (t - start) / length;
  return s > 1 - 1e-9 ? 1 : std::max(s, 0.0);
}

std::vector<double> MaterialOverTime::field(double share) const {
  if (share >= 1) return memory_.to;
  std::vector<double> out(memory_.to.size());
  for (size_t e = 0; e < out.size(); ++e)
    out[e] = std::pow(memory_.from[e], 1 - share) * std::pow(memory_.to[e], share);
  return out;
}

}  // namespace supple::pipeline::curves
