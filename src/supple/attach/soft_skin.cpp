#include "supple/attach/soft_skin.h"

#include <algorithm>
#include <cmath>

#include "supple/attach/reach.h"
#include "supple/base/most.h"

namespace supple {

SoftSkin soft_skin(const TetMesh& mesh, const Flesh& flesh, const VertexBlend& blend) {
  const std::vector<double> reach = reach_of(mesh, flesh);
  const std::vector<int> region = groups_of_vertices(mesh, flesh.region);
  SoftSkin out;
  for (int s = 0; s < blend.size(); ++s) {
    if (flesh.still_skin[static_cast<size_t>(s)]) continue;
    int carrier = -1;
    double most = 0, mine = 0, largest = 0;
    for (int k = blend.first[s]; k < blend.first[s + 1]; ++k) {
      const auto v = static_cast<size_t>(blend.vertex[k]);
      mine += blend.weight[k] * reach[v], largest = std::max(largest, reach[v]);
      if (flesh.softness[v] > 0 && clearly_more(std::abs(blend.weight[k]), most))
        most = std::abs(blend.weight[k]), carrier = blend.vertex[k];
    }
    // Weights of either sign may overshoot.
    const double length = std::min(mine, largest);
    if (carrier < 0 || !(length > 0)) continue;
    out.skin.push_back(s), out.carrier.push_back(carrier), out.reach.push_back(length);
    out.region.push_back(region[static_cast<size_t>(carrier)]);
  }
  out.blend = only(blend, out.skin);
  return out;
}

}  // namespace supple
