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

KeyedParameters keyed_with(std::shared_ptr<const RigMap> rig, CurveSamples samples) {
  return [rig = std::move(rig), samples = std::move(samples)](double t) {
    VecX p = rig->keyed(t);
    samples.put(t, p);
    return p;
  };
}

}  // namespace supple::pipeline::curves
