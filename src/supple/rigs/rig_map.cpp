#include "supple/rigs/rig_map.h"

#include <stdexcept>

namespace supple {

VecX RigMap::rest() const {
  VecX p(n_parameters());
  for (int a = 0; a < n_parameters(); ++a) p[a] = parameters()[static_cast<size_t>(a)].rest;
  return p;
}

VecX RigMap::keyed(double) const { return rest(); }

// Asking a rig for derivatives that it does not offer is a mistake of ours, not of the user.
MatX RigMap::jacobian(const VecX&, double, const std::vector<int>&) const {
  throw std::logic_error("this rig offers no derivatives: wrap it by with_derivatives");
}
MatX RigMap::curvature(const VecX&, double, const std::vector<int>&, const VecX&) const {
  throw std::logic_error("this rig offers no derivatives: wrap it by with_derivatives");
}

std::shared_ptr<const RigMap> RigMap::for_points(const std::vector<int>&) const { return nullptr; }

}  // namespace supple
