#include "supple/pipeline/curves/modes.h"

#include <fmt/format.h>

#include <algorithm>

#include "supple/base/error.h"

namespace supple::pipeline::curves {

namespace {

// What r = 0 of the modes is: of parameters of the scene's rig, at a time.
class ModeOrigin {
 public:
  ModeOrigin(const CurvesSetup& setup, const CurveSamples& found)
      : rest_(setup.rig.rig->rest()), held_(setup.config.curves.pose == "keyed") {
    if (held_) keyed_ = keyed_with(setup.rig.rig, found);
  }
  VecX at(double t) const { return held_ ? keyed_(t) : rest_; }

 private:
  VecX rest_;
  bool held_;
  KeyedParameters keyed_;
};

// Columns of a table for some parameters of a rig, as departures; those that it has not do not depart.
MatX departures(const CurveTable& table, const std::vector<int>& free, const CurvesSetup& setup,
                const ModeOrigin& origin, int& found) {
  MatX samples = MatX::Zero(table.values.rows(), static_cast<Eigen::Index>(free.size()));
  std::vector<Eigen::Index> columns(free.size(), -1);
  found = 0;
  for (size_t a = 0; a < free.size(); ++a) {
    const std::string& name = setup.rig.rig->parameters()[static_cast<size_t>(free[a])].name;
    const auto at = std::find(table.names.begin(), table.names.end(), name);
    if (at == table.names.end()) continue;
    columns[a] = at - table.names.begin();
    ++found;
  }
  const CurvesTimeline& time = setup.rig.time;
  for (Eigen::Index f = 0; f < samples.rows(); ++f) {
    const VecX zero = origin.at((table.frames[static_cast<size_t>(f)] - time.first) / time.fps);
    for (size_t a = 0; a < free.size(); ++a)
      if (columns[a] >= 0) samples(f, static_cast<Eigen::Index>(a)) = table.values(f, columns[a]) - zero[free[a]];
  }
  return samples;
}

}  // namespace

std::optional<ParameterModes> find_modes(const CurvesSetup& setup, size_t k, const CurveSamples& found,
                                         const Watch& watch, std::vector<std::string>& warnings,
                                         CurvesProgress* progress) {
  const SceneConfig& config = setup.config;
  const std::string& layer_name = setup.plans[k].name;
  const ModeOrigin origin(setup, found);
  std::vector<int> free = setup.rig.free[k];
  const std::vector<RigParameter>& all = setup.rig.rig->parameters();
  const bool given = !config.curves.modes_from.empty();
  MatX samples;
  if (given) {
    int columns = 0;
    samples = departures(read_curves(config.curves.modes_from.path), free, setup, origin, columns);
    if (columns == 0)
      throw InputError(config.locate("curves.modes_from"),
                       fmt::format("{} has curves of nothing that is free", config.curves.modes_from.text),
                       "Give curves of the same rig and parameters.");
  } else {
    watch.note(fmt::format("layer {}: a first pass for its modes", layer_name));
    CurvesLayer layer = make_layer(setup, k, found);
    const LayerResult first = run_layer(setup, layer, watch, progress);
    free = first.free;
    samples = first.curves;
    for (Eigen::Index f = 0; f < samples.rows(); ++f) {
      const VecX zero = origin.at(static_cast<double>(f) / setup.rig.time.fps);
      for (size_t a = 0; a < free.size(); ++a) samples(f, static_cast<Eigen::Index>(a)) -= zero[free[a]];
    }
  }
  std::vector<std::string> names;
  VecX units(static_cast<Eigen::Index>(free.size()));
  for (size_t a = 0; a < free.size(); ++a) {
    names.push_back(all[static_cast<size_t>(free[a])].name);
    units[static_cast<Eigen::Index>(a)] = all[static_cast<size_t>(free[a])].unit;
  }
  ParameterModes modes = learn_modes(names, samples, units, setup.plans[k].modes);
  if (modes.n_modes() > 0) return modes;
  if (given)
    throw InputError(
        config.locate("curves.modes_from"),
        fmt::format("the curves of {} never depart from {}, so there are no modes in them",
                    config.curves.modes_from.text, config.curves.pose == "keyed" ? "what is keyed" : "rest"),
        "Give curves in which what is free moves.");
  warnings.push_back(fmt::format("layer {}: nothing departs from what is keyed, so there are no modes", layer_name));
  return std::nullopt;
}

}  // namespace supple::pipeline::curves
