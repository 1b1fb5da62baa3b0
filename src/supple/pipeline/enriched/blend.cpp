#include "supple/pipeline/enriched/blend.h"

#include <algorithm>

#include "supple/base/parallel.h"
#include "supple/inertia/adjustment.h"
#include "supple/pipeline/enriched/enriched.h"
#include "supple/pipeline/setup/drawing.h"
#include "supple/pipeline/setup/maps.h"

namespace supple::pipeline {

PointCache blended_tets(const SceneConfig& config, const EnrichSetup& s, int first_frame, const PointCache& simulated) {
  const EnrichConfig& e = config.enrich;
  if (e.blend == 1 && e.blend_map.empty() && e.blend_keys.empty()) return {};
  std::vector<double> share(s.cage.vertices.size(), 1);
  if (!e.blend_map.empty())
    share = on_tets(s, read_painted(s.input, e.blend_map, config.locate("enrich.blend_map")), 1);
  FactorKeys keys;
  keys.keys = e.blend_keys.file.empty() ? e.blend_keys.keys : read_dial_keys(e.blend_keys.file.path, true);
  const std::vector<double> of_tet = tet_shares(s.cage, share);
  const RotationStrainBlend blend(s.cage, s.fixed());
  std::vector<VecX> frames(static_cast<size_t>(simulated.n_samples));
  parallel_for(frames.size(), 1, [&](size_t begin, size_t end) {
    for (size_t f = begin; f < end; ++f) {
      const int frame = first_frame + static_cast<int>(f);
      std::vector<double> now = of_tet;
      for (double& x : now) x = std::clamp(x * e.blend * keys.at(frame), 0.0, 1.0);
      frames[f] = blend.at(s.fitted(frame), sample_of(simulated, static_cast<int>(f)), now);
    }
  });
  PointCache out;
  out.start = simulated.start, out.rate = simulated.rate;
  for (const VecX& x : frames) out.add(x);
  return out;
}

}  // namespace supple::pipeline
