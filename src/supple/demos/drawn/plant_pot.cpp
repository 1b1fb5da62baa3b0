#include <array>
#include <cmath>
#include <numbers>

#include "supple/demos/drawn/plant.h"
#include "supple/demos/drawn/plant_plan.h"

namespace supple::demos {

TriMesh make_pot(int around) {
  // Radius and height, from the middle of the sole over the rim to the middle of the soil.
  constexpr std::array<std::array<double, 2>, 14> kOutline = {{{0.04, 0},
                                                               {0.078, 0},
                                                               {0.084, 0.004},
                                                               {0.096, 0.065},
                                                               {0.108, 0.126},
                                                               {0.120, 0.128},
                                                               {0.124, 0.132},
                                                               {0.126, 0.166},
                                                               {0.122, 0.171},
                                                               {0.114, 0.171},
                                                               {0.110, 0.166},
                                                               {0.106, kPotSoil - 0.003},
                                                               {0.07, kPotSoil - 0.001},
                                                               {0.035, kPotSoil}}};
  TriMesh pot;
  for (const auto& [radius, height] : kOutline)
    for (int k = 0; k < around; ++k) {
      const double a = 2 * std::numbers::pi * k / around;
      pot.vertices.emplace_back(radius * std::sin(a), height, radius * std::cos(a));
    }
  const int sole = pot.n_vertices(), soil = sole + 1;
  pot.vertices.emplace_back(0, 0, 0);
  pot.vertices.emplace_back(0, kPotSoil, 0);
  const int rings = static_cast<int>(kOutline.size());
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k) {
      const int a = r * around + k, b = r * around + (k + 1) % around;
      if (r == 0) pot.triangles.push_back({sole, b, a});
      if (r + 1 == rings) {
        pot.triangles.push_back({soil, a, b});
      } else {
        pot.triangles.insert(pot.triangles.end(), {{a, b, b + around}, {a, b + around, a + around}});
      }
    }
  return pot;
}

}  // namespace supple::demos
