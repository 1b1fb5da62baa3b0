#include "supple/anim/weight_keys.h"

#include "supple/anim/key_samples.h"

namespace supple {

std::vector<size_t> frames_as_keys(const std::vector<float>& times, const Eigen::MatrixXf& weights, const VecX& reach,
                                   double allowed) {
  KeySamples samples{.width = static_cast<int>(weights.cols()),
                     .measure = KeyMeasure::distance,
                     .times = {times.begin(), times.end()},
                     .written_times = {times.begin(), times.end()},
                     .values = {},
                     .written = {},
                     .allowed = allowed};
  samples.values.reserve(static_cast<size_t>(weights.size()));
  for (Eigen::Index f = 0; f < weights.rows(); ++f)
    for (Eigen::Index k = 0; k < weights.cols(); ++k)
      samples.values.push_back(reach[k] * static_cast<double>(weights(f, k)));
  samples.written = samples.values;
  return linear_keys(samples);
}

}  // namespace supple
