// A withering plant in a pot, y up, the pot standing on y = 0: a stem and four large leaves that droop and curl down
// while fine ripples grow on them. At the end the leaves pass through the rim of the pot.
#pragma once
#include "supple/demos/shapes/drawn_animation.h"

namespace supple::demos {

struct PlantOptions {
  bool ripples = true;  // false: the smooth motion under them
  int frames = 120;     // from fresh to withered, at least 2
};

// Each leaf is a sheet of kPlantLeafAlong by kPlantLeafAcross vertices, its neighbours along it at equal distances.
// Leaves come first, the stem after them.
constexpr int kPlantLeaves = 4, kPlantLeafAlong = 31, kPlantLeafAcross = 7;
inline int plant_vertex(int leaf, int along, int across) {
  return (leaf * kPlantLeafAlong + along) * kPlantLeafAcross + across;
}

constexpr double kPlantFps = 24;
constexpr int kPlantRippleWaves = 7;            // along a leaf
constexpr double kPlantRippleAmplitude = 7e-3;  // [m] the most there is

// Parts: "stem" and "leaves". Soft everywhere but at the foot of the stem, which does not move. The first frame is the
// neutral shape. Throws InputError: fewer than 2 frames.
DrawnAnimation make_plant(const PlantOptions& options = {});
// What ripples add to each vertex in a frame, along the normal of the smooth leaf [m].
std::vector<double> plant_ripple(int frame, const PlantOptions& options = {});

// A closed solid of revolution with a thick rim, hollow down to the soil.
TriMesh make_pot(int around = 48);

}  // namespace supple::demos
