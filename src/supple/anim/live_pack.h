// A live pack as data: per soft part of a character a handful of modes, and what it takes to step them from the motion
// of one bone (DyRT). What the numbers mean is in docs/reference/live-pack.md; metres, seconds, kilograms.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "supple/base/types.h"

namespace supple {

// Ratios to what was measured; 1 leaves alone.
struct LiveDials {
  double frequency = 1, amplitude = 1, sag = 1, half_life = 1;
  bool sustained = false;  // which motion the amount is kept for when the speed changes: a jolt, or a long push
};

// What one vertex list of the drawn surface does in one mode: changes of position [m] and of the unit normal for a
// weight of 1, in the bound world (Drawn's own order and axes).
struct LiveShape {
  std::vector<int> vertices;  // drawn vertices that move, ascending
  Points positions, normals;  // one a vertex of the list; normals empty: not corrected
};

struct LiveMode {
  std::string name;                             // of its morph target: "belly 1"
  double frequency_hz = 0;                      // undamped
  double decay = 0;                             // [1/s] amplitudes fall by exp(-decay t)
  double mass = 0;                              // [kg] of a weight of 1: kinetic energy is mass w'^2 / 2
  double reach = 0;                             // [m] largest displacement of a vertex at weight 1
  double share = 0;                             // of the response to motion like the character's, 0..1
  bool correction = false;                      // not a mode of the body: what makes steady leaning and hanging right
  std::array<double, 6> transfer{};             // forcing by the bone's acceleration: about x y z, along x y z
  std::array<double, 6> centrifugal{};          // forcing by the products xx yy zz xy xz yz of the bone's turning rate
  std::vector<std::array<double, 3>> coriolis;  // by turning rate times the rate of each mode; empty: left out
  LiveShape shape;
};

struct LivePart {
  std::string name;
  std::string bone;
  int node = -1;                  // of the character
  Vec3 rest_gravity = {0, 0, 0};  // gravity in the bone's axes that the drawn shape already hangs under [m/s^2]
  double size = 0;                // longest side [m]
  double cut_m = 0;               // a bone that leaves its course by more in one step was put elsewhere
  double cut_rad = 1.5;
  double force_limit = 0;          // [m/s^2] largest acceleration that the flesh is told of; 0: none
  double angular_force_limit = 0;  // [rad/s^2]
  double weight_limit = 0;         // weights are bent towards it from seven tenths on; 0: none
  double force_scale = 1;          // of inertial forces, before the dials
  LiveDials dials;                 // as the pack starts
  std::vector<LiveMode> modes;     // the most excited first
};

struct LivePack {
  double unit = 1;               // metres a unit of the file
  Vec3 gravity = {0, -9.81, 0};  // world axes of the file [m/s^2]
  std::vector<LivePart> parts;
};

}  // namespace supple
