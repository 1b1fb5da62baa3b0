#include "supple/pipeline/curves/keys.h"

#include <utility>

#include "supple/inertia/adjustment.h"

namespace supple::pipeline::curves {

VecX resampled(const CurveTable& table, int column, int first, int n_frames) {
  FactorKeys keys;
  for (size_t k = 0; k < table.frames.size(); ++k)
    keys.keys.push_back({table.frames[k], table.values(static_cast<Eigen::Index>(k), column)});
  VecX out(n_frames);
  for (int f = 0; f < n_frames; ++f) out[f] = keys.at(first + f);
  return out;
}

VecX bridged(VecX values, double fps, const MotionCuts& cuts) {
  std::vector<double> times;
  for (Eigen::Index f = 0; f < values.size(); ++f) times.push_back(static_cast<double>(f) / fps);
  for (int frame : cuts.bridged()) {
    double sum = 0;
    for (const auto& [k, weight] : bridge_of(frame, times, cuts)) sum += weight * values[k];
    values[frame] = sum;
  }
  return values;
}

KeyedParameters keyed_with(std::shared_ptr<const RigMap> rig, CurveSamples samples) {
  return [rig = std::move(rig), samples = std::move(samples)](double t) {
    VecX p = rig->keyed(t);
    samples.put(t, p);
    return p;
  };
}

}  // namespace supple::pipeline::curves
